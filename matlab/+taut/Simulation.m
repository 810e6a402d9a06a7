classdef Simulation < handle
  % SIMULATION  A model that is stepped.
  %
  %   sim = taut.Simulation(model, 'integrator', 'symplectic', 'step', 1e-3);
  %   while sim.time < 5
  %     sim.command(policy(sim.nodes, sim.velocities));
  %     sim.advance(0.01);
  %   end
  %   here = sim.snapshot(); sim.restore(here); sim.reset();
  %
  % It has a copy of the model: changes of that later are not its own. Arrays are copies. A handle: it is freed with its
  % last copy, or by delete(sim).

  properties (SetAccess = private, Hidden)
    id = [];
    energy_names = {};
  end
  properties (Dependent)
    time            % s
    inputs          % names of what can be commanded: rest lengths, m, and torques, N m or N
    nodes           % N x 3, m
    velocities      % N x 3, m/s
    tensions        % N, a column; so are the next
    lengths         % m
    rest_lengths    % m
    bar_forces      % N, tension positive
    joints          % by the columns of joints.csv
    contact_forces  % N x 3, N; empty without ground and collisions
    support_forces  % a row per node with a fixed axis, N
    energy          % J, a struct: kinetic, elastic, gravity, contact, dissipated, work, balance
  end

  methods
    function self = Simulation(model, varargin)
      % SIMULATION  taut.Simulation(model), or with keys of [simulation] or whole key paths that win over the model's.
      if ~isa(model, 'taut.Model'), error('taut:Misuse', 'Simulation: expected a taut.Model'); end
      [~, settings] = taut.internal.options(varargin, struct());
      if ~isempty(settings), model = model.copy(settings{:}); end
      self.id = taut_mex('simulation', model.id);
      self.energy_names = taut_mex('names', model.id, 8);
    end

    function delete(self)
      if ~isempty(self.id), taut_mex('free', self.id); end
    end

    function t = get.time(self), t = taut_mex('time', self.id); end
    function names = get.inputs(self), names = taut_mex('inputs', self.id); end
    function x = get.nodes(self), x = taut_mex('read', self.id, 1, 3); end
    function x = get.velocities(self), x = taut_mex('read', self.id, 2, 3); end
    function x = get.tensions(self), x = taut_mex('read', self.id, 3, 1); end
    function x = get.lengths(self), x = taut_mex('read', self.id, 4, 1); end
    function x = get.rest_lengths(self), x = taut_mex('read', self.id, 5, 1); end
    function x = get.bar_forces(self), x = taut_mex('read', self.id, 6, 1); end
    function x = get.joints(self), x = taut_mex('read', self.id, 12, 1); end
    function x = get.contact_forces(self), x = taut_mex('read', self.id, 8, 3); end
    function x = get.support_forces(self), x = taut_mex('read', self.id, 9, 3); end
    function e = get.energy(self), e = cell2struct(num2cell(taut_mex('read', self.id, 7, 1)), self.energy_names, 1); end

    function command(self, varargin)
      % COMMAND  What the inputs are to be from now on.
      %
      %   sim.command(values)               one number for each input, in their order
      %   sim.command(values, over)         rest lengths move there at constant speed within `over`, s
      %   sim.command(name, value)          one input
      %   sim.command(name, value, over)
      if nargin < 2, error('taut:Misuse', 'command: expected values, or a name and a value'); end
      varargin = taut.internal.plain(varargin);
      over = 0;
      if ischar(varargin{1})
        if nargin < 3, error('taut:Misuse', 'command: expected a value for "%s"', varargin{1}); end
        if nargin > 3, over = varargin{3}; end
        taut_mex('command_one', self.id, varargin{1}, taut.internal.numbers(varargin{2}, 'value'), taut.internal.numbers(over, 'over'));
      else
        if nargin > 2, over = varargin{2}; end
        taut_mex('command', self.id, taut.internal.numbers(varargin{1}, 'values'), taut.internal.numbers(over, 'over'));
      end
    end

    function control(self, f, varargin)
      % CONTROL  A function that is asked 'rate' times a second from now on, 100 where it is not given.
      %
      %   sim.control(@(now) rest - 1e-5 * now.tensions, 'rate', 100)
      %
      % It gets a struct: time, nodes, velocities, tensions, lengths, length_rates, rest_lengths, joints, contact_forces,
      % commands (those of the last instant; NaN: none yet), memory. It returns what each input is to be at the next
      % instant: NaN leaves one alone, [] all of them. With 'memory' N it returns N numbers of its own, too, part of the
      % state: [commands, memory] = f(now). 'speed', m/s: the most by which a rest length changes.
      [given, others] = taut.internal.options(varargin, struct('rate', 100, 'speed', 0, 'memory', 0));
      if ~isempty(others), error('taut:Misuse', 'control: "%s" is none of rate, speed, memory', others{1}); end
      taut_mex('control', self.id, taut.internal.controller(f, given.memory), given.rate, given.speed, given.memory);
    end

    function advance(self, dt)
      % ADVANCE  Goes on by dt > 0, s. Errors: taut:RunError where it cannot go on, taut:Stopped after Ctrl-C in a control
      % function; it is then as before the call.
      taut.internal.thrown([]);
      try
        taut_mex('advance', self.id, taut.internal.numbers(dt, 'dt'));
      catch failure
        error(failure.identifier, '%s', taut.internal.with_cause(failure.message));
      end
    end

    function bytes = snapshot(self)
      % SNAPSHOT  All that the simulation is now, as a row of uint8: a plain value.
      bytes = taut_mex('snapshot', self.id);
    end

    function restore(self, bytes)
      % RESTORE  Back to a snapshot, of this simulation or of another one of the same model. It goes on as it did the first
      % time, to the last bit.
      taut_mex('restore', self.id, bytes);
    end

    function reset(self)
      % RESET  To t = 0.
      taut_mex('reset', self.id);
    end

    function disp(self)
      fprintf('  taut.Simulation at t = %g s, %d inputs\n', self.time, numel(self.inputs));
    end
  end
end
