classdef Model < handle
  % MODEL  A structure with its environment and settings, which can still be changed.
  %
  %   model = taut.load('robot.toml');
  %   model.set('cables.*.stiffness', 800);
  %   model.get('cables.a1-b2.stiffness')
  %   run = model.run('duration', 2, 'integrator', 'rk4');
  %
  % A handle: copies are the same model. It is freed with its last copy, or by delete(model).

  properties (SetAccess = private, Hidden)
    id = [];
  end
  properties (Dependent)
    nodes        % names, a cell array; so are the next
    bars
    cables
    bodies
    joints
    positions    % of the nodes, N x 3, m
    bar_nodes    % B x 2, counted from 1
    cable_nodes  % a cell array of rows, counted from 1
  end

  methods
    function self = Model(id)
      % Models are made by taut.load, taut.loads, taut.generate.
      self.id = id;
    end

    function delete(self)
      if ~isempty(self.id), taut_mex('free', self.id); end
    end

    function names = get.nodes(self), names = taut_mex('names', self.id, 0); end
    function names = get.bars(self), names = taut_mex('names', self.id, 1); end
    function names = get.cables(self), names = taut_mex('names', self.id, 2); end
    function names = get.bodies(self), names = taut_mex('names', self.id, 3); end
    function names = get.joints(self), names = taut_mex('names', self.id, 4); end
    function x = get.positions(self), x = reshape(taut_mex('numbers', self.id, 'nodes.*.at'), 3, []).'; end
    function ends = get.bar_nodes(self)
      paths = taut_mex('paths', self.id, 1);
      ends = vertcat(zeros(0, 2), paths{:});
    end
    function paths = get.cable_nodes(self), paths = taut_mex('paths', self.id, 2); end

    function set(self, varargin)
      % SET  model.set(key, value, ...): values by key path, as --set of the program knows them. Numbers, vectors and
      % matrices, logicals, cell arrays; a text is taken as --set takes it: a TOML value or a bare word. A value that the
      % model cannot have is refused, and changes nothing.
      list = taut.internal.pairs(varargin);
      for i = 1:2:numel(list)
        value = list{i + 1};
        if ~(isnumeric(value) && isscalar(value) && isreal(value)), value = taut.internal.toml(value); end
        if isnumeric(value), value = double(full(value)); end
        taut_mex('set', self.id, list{i}, value);
      end
    end

    function value = get(self, key)
      % GET  The value under a key: a number, a column of numbers, with "*" of vectors a row for each entity; a logical; a
      % text; of other lists and of tables their TOML text. [] where the key has no value.
      key = taut.internal.text(key);
      value = taut.internal.value(taut_mex('get', self.id, key), @() taut_mex('numbers', self.id, key));
    end

    function answer = check(self)
      % CHECK  As `taut check`: balanced, imbalance, mean_force (N), slack (cables), degrees_of_freedom, parts.
      answer = taut_mex('check', self.id);
    end

    function counts = statics(self)
      % STATICS  As `taut statics`: self_stress_states, mechanisms, rigid_motions, rank, stability, sign_feasible.
      counts = taut_mex('statics', self.id);
    end

    function frequencies = modes(self, count)
      % MODES  The lowest `count` natural frequencies, Hz, ascending.
      frequencies = taut_mex('modes', self.id, taut.internal.numbers(count, 'count'));
    end

    function text = toml(self)
      % TOML  The whole as a model file.
      text = taut_mex('toml', self.id);
    end

    function save(self, file)
      % SAVE  As a model file.
      stream = fopen(taut.internal.text(file), 'w');
      if stream < 0, error('taut:InputError', '%s cannot be written', file); end
      fwrite(stream, unicode2native(self.toml(), 'UTF-8'));
      fclose(stream);
    end

    function other = copy(self, varargin)
      % COPY  Another model with the same values, and with these: model.copy('simulation.step', 1e-4).
      other = taut.loads(self.toml(), varargin{:});
    end

    function [run, failure] = run(self, varargin)
      % RUN  The whole motion: a taut.Run.
      %
      %   run = model.run('duration', 2, 'tolerance', 1e-9)     any key of [simulation], or a whole key path
      %   run = model.run('control', f, 'rate', 100)            see taut.Simulation/control; 'speed', 'memory'
      %   [run, failure] = model.run(...)                       no error where a motion had to stop: failure has its
      %                                                         identifier and message ('' where it did not), and run
      %                                                         the rows up to then
      [given, settings] = taut.internal.options(varargin, struct('duration', 0, 'control', [], 'rate', 100, 'speed', 0, ...
                                                                 'memory', 0));
      model = self;
      if ~isempty(settings), model = self.copy(settings{:}); end
      if ~isempty(given.control), given.control = taut.internal.controller(given.control, given.memory); end
      taut.internal.thrown([]);
      answer = taut_mex('run', model.id, given.duration, given.control, given.rate, given.speed, given.memory);
      run = taut.Run(answer{1});
      failure = struct('identifier', answer{2}, 'message', taut.internal.with_cause(answer{3}));
      if nargout < 2 && ~isempty(failure.identifier), error(failure.identifier, '%s', failure.message); end
    end

    function disp(self)
      fprintf('  taut.Model: %d nodes, %d bars, %d cables\n', numel(self.nodes), numel(self.bars), numel(self.cables));
    end
  end
end
