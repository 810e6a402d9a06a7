function test_simulations()
  % Stepping: the numbers are those of a run, snapshots repeat to the last bit, commands and control functions act.
  model = taut.load(model_file('six_bar_drop.toml'), 'simulation.integrator', 'rk4', 'simulation.step', 2^-12, ...
                    'simulation.output_step', 2^-6, 'simulation.duration', 2^-3);
  run = model.run();
  sim = taut.Simulation(model);
  for row = 1:numel(run.t)
    if row > 1, sim.advance(2^-6); end
    assert(sim.time == run.t(row));
    assert(isequal(sim.nodes, squeeze(run.nodes(row, :, :))));
    assert(isequal(sim.velocities, squeeze(run.velocities(row, :, :))));
    assert(isequal(sim.tensions.', run.tensions(row, :)) && isequal(sim.lengths.', run.lengths(row, :)));
    assert(isequal(sim.bar_forces.', run.bar_forces(row, :)));
    assert(sim.energy.kinetic == run.energy.kinetic(row) && sim.energy.balance == run.energy.balance(row));
    assert(isequal(sim.contact_forces, squeeze(run.contact_forces(row, :, :))));
  end

  % Settings win over the model, which stays as it is.
  coarse = taut.Simulation(model, 'step', 2^-11);
  coarse.advance(2^-3);
  assert(~isequal(coarse.nodes, sim.nodes) && norm(coarse.nodes - sim.nodes) < 1e-4);
  assert(model.get('simulation.step') == 2^-12);

  % Back, and the same again; in another simulation too, and through a file.
  here = sim.snapshot();
  sim.advance(0.05);
  there = sim.nodes;
  sim.restore(here);
  assert(sim.time == 2^-3);
  sim.advance(0.05);
  assert(isequal(sim.nodes, there));
  file = [tempname() '.mat'];
  save(file, 'here');
  kept = load(file);
  delete(file);
  other = taut.Simulation(model);
  other.restore(kept.here);
  other.advance(0.05);
  assert(isequal(other.nodes, there));
  other.reset();
  assert(other.time == 0 && isequal(other.nodes, model.positions));

  % By name or all at once is the same.
  rest = sim.rest_lengths;
  sim.reset();
  other.reset();
  rest(3) = 0.9 * rest(3);
  for i = 1:numel(rest), sim.command(sim.inputs{i}, rest(i), 0.1); end
  other.command(rest, 0.1);
  sim.advance(0.1);
  other.advance(0.1);
  assert(isequal(sim.nodes, other.nodes) && abs(sim.rest_lengths(3) - rest(3)) < 1e-15);

  % A mass that falls: z = -g t²/2; rk4 is exact for it.
  falling = taut.Simulation(taut.loads(sprintf(['[nodes]\na = { at = [0, 0, 0], mass = 2.0 }\n[environment]\n' ...
                                                'gravity = [0, 0, -9.75]\n'])), 'integrator', 'rk4', 'step', 0.125);
  falling.advance(2);
  assert(isequal(falling.nodes(1:2), [0 0]) && abs(falling.nodes(3) + 0.5 * 9.75 * 4) < 1e-13);

  control();
end

function control()
  % A cable is kept at 50 N; the integral lives in the state. In a run the function sees and does the same.
  model = taut.generate('six_bar', 'simulation.integrator', 'rk4', 'simulation.step', 2^-12, ...
                        'simulation.output_step', 2^-5, 'simulation.duration', 4);
  sim = taut.Simulation(model);
  rest = sim.rest_lengths(2);
  hold = @(now) hold_tension(now, rest);
  sim.control(hold, 'rate', 64, 'speed', 0.5, 'memory', 1);
  for i = 1:128, sim.advance(2^-5); end
  assert(abs(sim.tensions(2) - 50) < 2);
  run = model.run('control', hold, 'rate', 64, 'speed', 0.5, 'memory', 1);
  assert(isequal(squeeze(run.nodes(end, :, :)), sim.nodes) && sim.time == 4);
  here = sim.snapshot();
  sim.advance(2^-3);
  other = taut.Simulation(model);
  other.control(hold, 'rate', 64, 'speed', 0.5, 'memory', 1);
  other.restore(here);
  other.advance(2^-3);
  assert(isequal(other.nodes, sim.nodes));

  % One that uses its own simulation finds it busy; one that uses another is free to.
  sim.control(@(now) sim.nodes, 'rate', 64);
  throws('taut:RunError', 'using this handle', @() sim.advance(0.1));
  sim.control(@(now) other_one(now, other), 'rate', 64);
  sim.advance(0.1);

  % Ctrl-C in a control function ends the call, and nothing else: the simulation is as before, and goes on.
  if exist('OCTAVE_VERSION', 'builtin')
    sim.reset();
    sim.control(@(now) interrupted(now), 'rate', 64);
    throws('taut:Stopped', 'Ctrl-C', @() sim.advance(1));
    assert(sim.time == 0);
    sim.control(@(now) [], 'rate', 64);
    sim.advance(1);
    throws('taut:Stopped', 'Ctrl-C', @() model.run('control', @(now) interrupted(now), 'rate', 64));
    model.run('duration', 0.1);
  end
end

function commands = interrupted(now)
  if now.time == 0.25
    kill(getpid(), 2);
    while true, end  % until it is here
  end
  commands = [];
end

function [commands, memory] = hold_tension(now, rest)
  memory = now.memory + (50 - now.tensions(2)) / 64;
  commands = now.commands;
  commands(2) = rest - 2e-5 * (50 - now.tensions(2)) - 1e-2 * memory;
end

function commands = other_one(now, other)
  other.advance(0.01);
  commands = [];
end
