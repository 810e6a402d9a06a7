function test_cleanup()
  % Handles go with their last copy or by delete; one that is gone is an error.
  before = taut_mex('live');
  make_some();
  assert(taut_mex('live') == before);
  model = taut.generate('six_bar');
  copy = model;
  sim = taut.Simulation(model);
  run = model.run('duration', 0.01);
  assert(taut_mex('live') == before + 3);
  clear copy
  model.check();
  delete(model);
  assert(taut_mex('live') == before + 2);
  gone(@() model.check());
  gone(@() model.get('name'));
  gone(@() model.run());
  gone(@() taut.Simulation(model));
  sim.advance(0.01);  % has a model of its own
  delete(sim);
  gone(@() sim.advance(0.01));
  gone(@() sim.nodes);
  gone(@() sim.command(1));
  delete(run);
  gone(@() run.t);
  gone(@() run.save('nowhere.h5'));
  assert(taut_mex('live') == before);

  % Numbers that never were a handle, or are one of another kind.
  other = taut.generate('six_bar');
  for number = {0, -1, 1e9, NaN, Inf, 0.5}
    throws('taut:Deleted', 'deleted', @() taut_mex('time', number{1}));
    taut_mex('free', number{1});
  end
  throws('taut:Deleted', 'simulation', @() taut_mex('time', other.id));
  throws('taut:Misuse', '', @() taut_mex('time', 'x'));
  throws('taut:Misuse', '', @() taut_mex('time'));
  throws('taut:Misuse', '', @() taut_mex('no such command'));
  throws('taut:Misuse', '', @() taut_mex());

  % Errors on the way leave nothing behind.
  for i = 1:50
    try, taut.Simulation(other, 'integrator', 'rk5'); catch, end
    try, taut.loads('[nodes'); catch, end
    try, other.run('duration', -1); catch, end
    try, other.run('duration', 0.02, 'control', @(now) error('no'), 'rate', 100); catch, end
  end
  clear other
  assert(taut_mex('live') == before);
end

function make_some()
  model = taut.generate('six_bar');
  sims = cell(1, 5);
  for i = 1:5
    sims{i} = taut.Simulation(model, 'step', 1e-3);
    sims{i}.control(@(now) [], 'rate', 50);
    sims{i}.advance(0.05);
  end
  model.run('duration', 0.01);
end

function gone(f)
  % Octave asks taut, MATLAB knows by itself.
  try
    f();
  catch failure
    assert(any(strcmp(failure.identifier, {'taut:Deleted', 'MATLAB:class:InvalidHandle'})), failure.message);
    return
  end
  error('taut:Tests', 'a deleted handle was used');
end
