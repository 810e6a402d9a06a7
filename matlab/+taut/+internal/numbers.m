function value = numbers(value, what)
  % NUMBERS  A value as real doubles, or an error that says what was expected.
  if ~(isnumeric(value) || islogical(value)) || ~isreal(value)
    kind = class(value);
    if isnumeric(value), kind = ['complex ' kind]; end
    error('taut:Misuse', '%s: expected real numbers, got a %s', what, kind);
  end
  value = double(full(value));
end
