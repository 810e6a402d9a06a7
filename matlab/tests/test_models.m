function test_models()
  % Models: what is read, set and asked is what the program has.
  assert(~isempty(regexp(taut.version(), '^\d+\.\d+\.\d+', 'once')));
  model = taut.load(model_file('six_bar_drop.toml'));
  assert(numel(model.nodes) == 12 && numel(model.bars) == 6 && numel(model.cables) == 24);
  assert(isequal(size(model.positions), [12 3]) && isequal(size(model.bar_nodes), [6 2]));
  assert(all(model.bar_nodes(:) >= 1) && all(model.bar_nodes(:) <= 12) && numel(model.cable_nodes{24}) == 2);

  % Values of every kind; what is set is what is there.
  model.set('cables.*.stiffness', 812.5, 'environment.gravity', [0 0 -1.62]);
  assert(isequal(model.get('cables.*.stiffness'), 812.5 * ones(24, 1)));
  assert(isequal(model.get('environment.gravity'), [0; 0; -1.62]));
  model.set('simulation.integrator', 'rk4', 'simulation.settle', true, 'simulation.corrections', int32(2));
  assert(strcmp(model.get('simulation.integrator'), 'rk4') && model.get('simulation.settle') == true);
  assert(model.get('simulation.corrections') == 2);
  model.set('simulation.settle', false, 'simulation.step', 0.1 + 0.2);
  assert(model.get('simulation.step') == 0.1 + 0.2);
  name = model.nodes{1};
  model.set(['nodes.' name '.at'], model.positions(1, :) + 1e-17);
  assert(isequal(model.get(['nodes.' name '.at']).', model.positions(1, :)));
  assert(isequal(model.get('nodes.*.at'), model.positions));
  assert(isempty(model.get('bars.*.EA')));

  % As a file and back; a copy is another model.
  again = taut.loads(model.toml());
  assert(strcmp(again.toml(), model.toml()));
  other = model.copy('simulation.step', 1e-3);
  assert(other.get('simulation.step') == 1e-3 && model.get('simulation.step') == 0.1 + 0.2);
  file = [tempname() '.toml'];
  model.save(file);
  again = taut.load(file);
  assert(strcmp(again.toml(), model.toml()));
  delete(file);
  model = taut.load(model_file('six_bar_drop.toml'), 'simulation.step', 0.25, 'bars.*.mass', 3.5);
  assert(model.get('simulation.step') == 0.25 && isequal(model.get('bars.*.mass'), 3.5 * ones(6, 1)));

  % A bar of the length that was asked for.
  model = taut.generate('six_bar', 'rod_length', 1.25);
  x = model.positions;
  ends = model.bar_nodes;
  assert(abs(norm(x(ends(1, 1), :) - x(ends(1, 2), :)) - 1.25) < 1e-15);

  % Answers. 36 coordinates less 6, 30 members, one state of self-stress: one mechanism (Maxwell's count).
  model = taut.load(model_file('six_bar_drop.toml'));
  assert(model.check().balanced && model.check().degrees_of_freedom == 30);
  counts = model.statics();
  assert(counts.self_stress_states == 1 && counts.mechanisms == 1 && counts.rigid_motions == 6);
  assert(strcmp(counts.stability, 'super-stable') && counts.sign_feasible);
  hanging = taut.loads(sprintf(['[nodes]\na = { at = [0, 0, 0], fixed = true }\nb = { at = [0, 0, -1], mass = 4.0, ' ...
                                'fixed = ["x", "y"] }\n[[cables]]\nnodes = ["a", "b"]\nstiffness = 400.0\n' ...
                                'rest_length = 0.5\n']));
  assert(abs(hanging.modes(1) - sqrt(400 / 4) / (2 * pi)) < 1e-12);
end
