function value = numbers(value, what)
  % NUMBERS  A value as real doubles, or an error that says what was expected.
  if ~(isnumeric(value) || islogical(value)) || ~isreal(value)
    error('taut:Misuse', '%s: expected real numbers, got a %s', what, class(value));
  end
  value = double(full(value));
end
