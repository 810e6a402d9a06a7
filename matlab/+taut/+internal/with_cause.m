function message = with_cause(message)
  % WITH_CAUSE  A message, and what the control function threw, if it did.
  cause = taut.internal.thrown();
  if ~isempty(cause)
    message = [strrep(message, 'the control function returned 1 at', 'the control function failed at') ': ' cause];
  end
end
