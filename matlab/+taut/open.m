function run = open(file)
  % OPEN  A run that taut wrote: run.h5.
  run = taut.Run(taut_mex('open', taut.internal.text(file)));
end
