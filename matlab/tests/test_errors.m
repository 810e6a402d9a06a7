function test_errors()
  % Every error has its identifier and says what is wrong; nothing crashes, and everything can be used further.
  throws('taut:InputError', '/nonexistent/robot.toml', @() taut.load('/nonexistent/robot.toml'));
  throws('taut:InputError', 'did you mean "stiffness"', ...
         @() taut.loads(sprintf('[nodes]\na = { at = [0, 0, 0] }\n[[cables]]\nnodes = ["a", "b"]\nstifness = 1\n')));
  last = taut.last_error();
  places = last.places;
  assert(numel(places) >= 2);
  spelt = find(~cellfun(@isempty, strfind({places.message}, 'did you mean')));
  assert(places(spelt(1)).line == 5 && places(spelt(1)).column == 1);
  assert(~isempty(strfind(places(spelt(1)).key, 'stifness')));
  throws('taut:InputError', 'six_bar', @() taut.generate('six_baar'));
  throws('taut:InputError', 'above 0', @() taut.generate('six_bar', 'rod_length', -1));
  throws('taut:Misuse', 'names and values', @() taut.generate('six_bar', 'rod_length'));
  throws('taut:Misuse', 'text', @() taut.load(3));
  throws('taut:Misuse', 'one row', @() taut.load(['ab'; 'cd']));
  throws('taut:Misuse', 'char(0)', @() taut.loads(['[nodes]' char(0) 'x']));
  throws('taut:InputError', 'HDF5', @() taut.open(model_file('six_bar_drop.toml')));

  model = taut.generate('six_bar');
  before = model.toml();
  throws('taut:InputError', 'step', @() model.set('simulation.step', -1));
  throws('taut:InputError', 'step', @() model.set('simulation.step', NaN));
  throws('taut:InputError', 'step', @() model.set('simulation.stepp', 1));
  throws('taut:Misuse', 'expected a number', @() model.set('simulation.step', 1i));
  throws('taut:Misuse', 'struct', @() model.set('simulation.step', struct()));
  throws('taut:InputError', 'none', @() model.get('cables.none.stiffness'));
  throws('taut:Misuse', 'count', @() model.modes(0));
  assert(strcmp(model.toml(), before));

  sim = taut.Simulation(model);
  rest = sim.rest_lengths;
  throws('taut:Misuse', '23 for 24', @() sim.command(rest(1:23)));
  throws('taut:Misuse', 'got a cell', @() sim.command({1, 2}));
  throws('taut:Misuse', 'real numbers', @() sim.command(rest + 1i));
  throws('taut:InputError', '', @() sim.command([rest(1:23); NaN]));
  throws('taut:Misuse', 'got a char', @() sim.advance('x'));
  throws('taut:InputError', 'did you mean', @() sim.command([sim.inputs{1} 'x'], 0.5));
  throws('taut:InputError', sim.inputs{1}, @() sim.command(sim.inputs{1}, -0.5));
  throws('taut:Misuse', '', @() sim.command());
  throws('taut:InputError', 'advance', @() sim.advance(-1));
  throws('taut:InputError', 'advance', @() sim.advance(NaN));
  throws('taut:Misuse', 'one number', @() sim.advance([0.1 0.2]));
  throws('taut:Misuse', 'snapshot', @() sim.restore(3));
  throws('taut:InputError', 'snapshot', @() sim.restore(uint8(1:100)));
  damaged = sim.snapshot();
  damaged(40) = bitxor(damaged(40), 1);
  throws('taut:InputError', 'damaged', @() sim.restore(damaged));
  falling = taut.Simulation(taut.loads(sprintf('[nodes]\na = { at = [0, 0, 0], mass = 2.0 }\n')));
  throws('taut:InputError', '', @() falling.restore(sim.snapshot()));
  throws('taut:InputError', 'integrator', @() taut.Simulation(model, 'integrator', 'rk5'));
  throws('taut:Misuse', 'taut.Model', @() taut.Simulation(3));
  assert(isequal(sim.rest_lengths, rest) && sim.time == 0);
  sim.command(rest.', 0.1);  % a row will do
  sim.advance(0.01);

  % Control functions that fail, or answer nonsense.
  short = model.copy('simulation.duration', 0.1);
  throws('taut:RunError', 'no idea', @() short.run('control', @(now) error('my:own', 'no idea'), 'rate', 50));
  throws('taut:RunError', '2 commands for 24', @() short.run('control', @(now) [1 2], 'rate', 50));
  throws('taut:RunError', 'struct', @() short.run('control', @(now) struct('a', 1), 'rate', 50));
  throws('taut:InputError', 'rate', @() short.run('control', @(now) [], 'rate', 0));
  throws('taut:Misuse', 'function', @() short.run('control', 3, 'rate', 50));
  throws('taut:InputError', 'duration', @() short.run('duration', -1));
  [run, failure] = short.run('control', @(now) late(now), 'rate', 50, 'output_step', 0.01);
  assert(strcmp(failure.identifier, 'taut:RunError') && ~isempty(strfind(failure.message, 'too late')));
  assert(strcmp(run.status, 'failed') && abs(run.t(end) - 0.06) < 1e-12);  % the row of that time is kept
  sim.control(@(now) late(now), 'rate', 50);
  before = sim.time;
  throws('taut:RunError', 'too late', @() sim.advance(0.2));
  assert(sim.time == before);
  throws('taut:Misuse', 'rates', @() sim.control(@(now) [], 'rates', 50));
  throws('taut:InputError', 'rate', @() sim.control(@(now) [], 'rate', -50));
  sim.control(@(now) [], 'rate', 50);
  sim.advance(0.2);
  sim.control(@(now) []);  % 100 times a second

  % What the classes never ask for.
  throws('taut:Misuse', 'rows of this width', @() taut_mex('read', sim.id, 1, 0));
  throws('taut:Misuse', 'rows of this width', @() taut_mex('read', sim.id, 1, 7));
  throws('taut:Misuse', 'complex', @() sim.advance(complex(1, 1)));
end

function commands = late(now)
  if now.time > 0.05, error('my:own', 'too late'); end
  commands = [];
end
