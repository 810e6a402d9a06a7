function [given, settings] = options(list, given)
  % OPTIONS  Those that `given` has fields for, numbers where they are numbers there; the rest are keys of [simulation], or whole
  % key paths.
  list = taut.internal.pairs(list);
  settings = {};
  for i = 1:2:numel(list)
    name = list{i};
    if isfield(given, name)
      value = list{i + 1};
      if isscalar(given.(name)), value = taut.internal.numbers(value, name); end
      given.(name) = value;
    else
      if ~any(name == '.'), name = ['simulation.' name]; end
      settings(end + 1:end + 2) = {name, list{i + 1}};
    end
  end
end
