function model = load(file, varargin)
  % LOAD  A model from a file.
  %
  %   model = taut.load('robot.toml')
  %   model = taut.load('robot.toml', 'simulation.step', 1e-3, 'cables.*.stiffness', 800)   % these win over the file
  %
  % Errors: taut:InputError with every problem of the file; taut.last_error() has their places.
  model = taut.Model(taut_mex('load', taut.internal.text(file), taut.internal.assignments(varargin)));
end
