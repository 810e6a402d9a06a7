function run_tests()
  % RUN_TESTS  Every test_*.m of this folder; an error where one fails. TAUT_PROGRAM, TAUT_MODELS: the program and models/.
  here = fileparts(mfilename('fullpath'));
  addpath(here);
  files = dir(fullfile(here, 'test_*.m'));
  failed = {};
  for i = 1:numel(files)
    name = files(i).name(1:end - 2);
    try
      feval(name);
      fprintf('%s: ok\n', name);
    catch failure
      fprintf('%s: FAILED: %s\n', name, failure.message);
      for k = 1:numel(failure.stack), fprintf('  %s:%d\n', failure.stack(k).name, failure.stack(k).line); end
      failed{end + 1} = name;
    end
  end
  if ~isempty(failed), error('taut:Tests', '%d tests failed', numel(failed)); end
end
