function texts = assignments(list)
  % ASSIGNMENTS  Names and values as texts "key=value", as --set of the program takes them.
  list = taut.internal.pairs(list);
  texts = cell(1, numel(list) / 2);
  for i = 1:numel(texts)
    texts{i} = [list{2 * i - 1} '=' taut.internal.toml(list{2 * i})];
  end
end
