function result = value(text, numbers)
  % VALUE  A TOML text as MATLAB has it; `numbers` gives the numbers in it.
  if isempty(text)
    result = [];
  elseif strcmp(text, 'true') || strcmp(text, 'false')
    result = strcmp(text, 'true');
  elseif text(1) == '"'
    result = unquoted(text);
  elseif ~isempty(regexp(text, '^[-+.\d\[\],eE\sinfa]*$', 'once'))
    result = numbers();
    rows = sum(text == '[') - 1;
    if rows > 1 && mod(numel(result), rows) == 0, result = reshape(result, [], rows).'; end
  else
    result = text;
  end
end

function text = unquoted(text)
  text = text(2:end - 1);
  text = strrep(strrep(strrep(strrep(text, '\"', '"'), '\n', sprintf('\n')), '\t', sprintf('\t')), '\\', '\');
end
