function [commands, memory] = ask(f, now, remembers)
  % ASK  A user's control function; what it throws is kept for the message, and ends the motion.
  memory = [];
  try
    if remembers
      [commands, memory] = f(now);
    else
      commands = f(now);
    end
    commands = checked(commands, numel(now.commands), 'commands', 'inputs');
    memory = checked(memory, numel(now.memory), 'memory', 'numbers to remember');
  catch thrown
    taut.internal.thrown(thrown.message);
    rethrow(thrown);
  end
end

function numbers = checked(numbers, count, what, of_what)
  if isempty(numbers)
    numbers = [];
  elseif ~(isnumeric(numbers) || islogical(numbers)) || ~isreal(numbers)
    error('taut:RunError', 'it returned a %s as %s: expected real numbers', class(numbers), what);
  elseif numel(numbers) ~= count
    error('taut:RunError', 'it returned %d %s for %d %s', numel(numbers), what, count, of_what);
  else
    numbers = double(full(numbers(:)));
  end
end
