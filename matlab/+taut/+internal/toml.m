function text = toml(value)
  % TOML  A value as --set of the program takes it; numbers to the last bit. A text stays what it is.
  if ischar(value)
    text = value;
  elseif iscell(value)
    value = taut.internal.plain(value);
    text = ['[' strjoin(cellfun(@entry, value(:).', 'UniformOutput', false), ', ') ']'];
  elseif islogical(value) && isscalar(value)
    words = {'false', 'true'};
    text = words{value + 1};
  elseif isnumeric(value) && isreal(value) && ~issparse(value) && ndims(value) == 2
    text = numbers(double(value));
  else
    error('taut:Misuse', 'expected a number, a matrix of real numbers, a text, a logical or a cell array, got a %s', class(value));
  end
end

function text = entry(value)
  % In a list texts have quotes.
  text = taut.internal.toml(value);
  if ischar(value), text = ['"' strrep(strrep(text, '\', '\\'), '"', '\"') '"']; end
end

function text = numbers(value)
  if isscalar(value)
    text = sprintf('%.17g', value);
    if strcmp(text, 'Inf') || strcmp(text, '-Inf') || strcmp(text, 'NaN'), text = lower(text); end
  elseif isvector(value) || isempty(value)
    text = ['[' strjoin(arrayfun(@numbers, value(:).', 'UniformOutput', false), ', ') ']'];
  else
    rows = cell(1, size(value, 1));
    for i = 1:numel(rows), rows{i} = numbers(value(i, :)); end
    text = ['[' strjoin(rows, ', ') ']'];
  end
end
