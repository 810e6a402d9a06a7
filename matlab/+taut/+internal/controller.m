function guarded = controller(f, memory)
  % CONTROLLER  A control function whose errors and answers are looked at before they reach taut.
  if ischar(f), f = str2func(f); end
  if ~isa(f, 'function_handle'), error('taut:Misuse', 'control: expected a function'); end
  guarded = @(now) taut.internal.ask(f, now, memory > 0);
end
