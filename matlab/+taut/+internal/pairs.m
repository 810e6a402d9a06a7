function list = pairs(list)
  % PAIRS  Names and values, plain; refuses what is no list of these.
  list = taut.internal.plain(list);
  if mod(numel(list), 2) ~= 0 || ~all(cellfun(@ischar, list(1:2:end)))
    error('taut:Misuse', 'expected names and values in turn: ''duration'', 2, ...');
  end
end
