function throws(identifier, part, f)
  % THROWS  Asserts that f() ends with this error, whose message holds `part`.
  try
    f();
  catch failure
    assert(strcmp(failure.identifier, identifier), sprintf('threw "%s": %s', failure.identifier, failure.message));
    assert(isempty(part) || ~isempty(strfind(failure.message, part)), sprintf('said "%s", not "%s"', failure.message, part));
    return
  end
  error('taut:Tests', 'did not throw %s', identifier);
end
