function test_runs()
  % Runs: to the last bit what the program writes, by its tables and by run.h5.
  folder = tempname();
  mkdir(folder);
  file = model_file('six_bar_drop.toml');
  [status, text] = system(sprintf('"%s" run --no-report --csv --duration 0.25 -o "%s" "%s"', getenv('TAUT_PROGRAM'), ...
                                  fullfile(folder, 'results'), file));
  assert(status == 0, text);
  model = taut.load(file);
  run = model.run('duration', 0.25);
  assert(strcmp(run.status, 'done') && strcmp(run.summary.status, 'done') && isfield(run.summary, 'steps'));
  table = dlmread(fullfile(folder, 'results', 'nodes.csv'), ',', 1, 0);
  rows = numel(run.t);
  assert(rows > 10 && isequal(size(run.nodes), [rows 12 3]) && isequal(size(run.tensions), [rows 24]));
  assert(isequal(table(:, 1), run.t));
  for node = 1:12
    assert(isequal(table(:, 3 * node - 1:3 * node + 1), squeeze(run.nodes(:, node, :))));
  end
  energies = dlmread(fullfile(folder, 'results', 'energy.csv'), ',', 1, 0);
  assert(isequal(energies(:, 2), run.energy.kinetic) && isequal(energies(:, 8), run.energy.balance));

  % Read back: what the program wrote, and what this writes.
  run.save(fullfile(folder, 'kept.h5'));
  same(run, taut.open(fullfile(folder, 'results', 'run.h5')));
  same(run, taut.open(fullfile(folder, 'kept.h5')));
  model = run.model();
  same(run, model.run('duration', 0.25));

  % A machine, whose supports bear it.
  model = taut.load(model_file('tensegrity_manipulator.toml'));
  run = model.run('duration', 0.1);
  assert(size(run.joints, 1) == numel(run.t) && size(run.joints, 2) > 0);
  if exist('OCTAVE_VERSION', 'builtin'), confirm_recursive_rmdir(false, 'local'); end
  rmdir(folder, 's');
end

function same(a, b)
  for list = {'t', 'nodes', 'velocities', 'tensions', 'lengths', 'rest_lengths', 'bar_forces', 'energy', ...
              'contact_forces', 'support_forces', 'joints', 'constraint_error'}
    assert(isequaln(a.(list{1}), b.(list{1})), list{1});
  end
end
