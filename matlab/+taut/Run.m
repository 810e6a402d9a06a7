classdef Run < handle
  % RUN  A whole motion: T rows of N nodes, C cables, B bars. taut.Model/run makes it, taut.open reads it.
  %
  %   run.t(end), run.nodes(:, 3, 1), run.tensions, run.energy.kinetic, run.summary.status
  %   run.save('run.h5')
  %
  % A handle: it is freed with its last copy, or by delete(run).

  properties (SetAccess = private, Hidden)
    id = [];
  end
  properties (Dependent)
    status            % 'done', 'failed', 'interrupted'
    summary           % a struct, as summary.json
    t                 % T x 1, s
    nodes             % T x N x 3, m
    velocities        % T x N x 3, m/s
    tensions          % T x C, N
    lengths           % T x C, m
    rest_lengths      % T x C, m
    bar_forces        % T x B, N, tension positive
    energy            % a struct of T x 1, J: kinetic, elastic, gravity, contact, dissipated, work, balance
    contact_forces    % T x N x 3, N; empty where nothing touches
    support_forces    % T x S x 3, N, of the S nodes with a fixed axis
    joints            % T columns of joints.csv
    controls          % T columns of controls.csv
    frames            % T x 6 per frame: x, y, z, m, yaw, pitch, roll, rad
    constraint_error  % T x 1, m
  end

  methods
    function self = Run(id)
      self.id = id;
    end

    function delete(self)
      if ~isempty(self.id), taut_mex('free', self.id); end
    end

    function word = get.status(self), word = taut_mex('run_status', self.id); end
    function s = get.summary(self), s = jsondecode(taut_mex('summary', self.id)); end
    function x = get.t(self), x = taut_mex('column', self.id, 0); end
    function x = get.nodes(self), x = self.vectors(1); end
    function x = get.velocities(self), x = self.vectors(2); end
    function x = get.tensions(self), x = taut_mex('column', self.id, 3); end
    function x = get.lengths(self), x = taut_mex('column', self.id, 4); end
    function x = get.rest_lengths(self), x = taut_mex('column', self.id, 5); end
    function x = get.bar_forces(self), x = taut_mex('column', self.id, 6); end
    function x = get.contact_forces(self), x = self.vectors(8); end
    function x = get.support_forces(self), x = self.vectors(9); end
    function x = get.joints(self), x = taut_mex('column', self.id, 12); end
    function x = get.frames(self), x = taut_mex('column', self.id, 13); end
    function x = get.controls(self), x = taut_mex('column', self.id, 15); end
    function x = get.constraint_error(self), x = taut_mex('column', self.id, 16); end

    function e = get.energy(self)
      all = taut_mex('column', self.id, 7);
      names = {'kinetic', 'elastic', 'gravity', 'contact', 'dissipated', 'work', 'balance'};
      e = struct();
      for k = 1:numel(names), e.(names{k}) = all(:, k); end
    end

    function save(self, file)
      % SAVE  As run.h5, for taut.open, `taut view`, Python.
      taut_mex('save', self.id, taut.internal.text(file));
    end

    function model = model(self)
      % MODEL  As it was run: a new taut.Model.
      model = taut.Model(taut_mex('run_model', self.id));
    end

    function disp(self)
      t = self.t;
      if isempty(t)
        fprintf('  taut.Run: %s, no rows\n', self.status);
      else
        fprintf('  taut.Run: %s, %d rows to t = %g s\n', self.status, numel(t), t(end));
      end
    end
  end

  methods (Access = private)
    function x = vectors(self, quantity)
      all = taut_mex('column', self.id, quantity);
      x = permute(reshape(all, size(all, 1), 3, []), [1 3 2]);
    end
  end
end
