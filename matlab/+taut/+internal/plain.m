function list = plain(list)
  % PLAIN  A cell array with its strings (of MATLAB, in double quotes) as char arrays and cell arrays of these.
  for i = 1:numel(list)
    if isa(list{i}, 'string')
      if isscalar(list{i}), list{i} = char(list{i}); else, list{i} = cellstr(list{i}); end
    end
  end
end
