function value = text(value)
  % TEXT  A text as a char array.
  if isa(value, 'string') && isscalar(value), value = char(value); end
end
