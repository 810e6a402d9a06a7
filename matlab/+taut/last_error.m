function error = last_error()
  % LAST_ERROR  What the last error of taut said: message, time (s, where a motion stopped, else NaN), places (a struct
  % array: file, line, column, key, message; empty texts and 0 where there is nothing to say).
  error = taut_mex('last_error');
end
