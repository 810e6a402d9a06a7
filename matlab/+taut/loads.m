function model = loads(text, varargin)
  % LOADS  A model from a text, as a model file holds it.
  %
  %   model = taut.loads(sprintf('[generate]\nkind = "six_bar"\n'), 'simulation.step', 1e-3)
  model = taut.Model(taut_mex('loads', taut.internal.text(text), 'model', taut.internal.assignments(varargin)));
end
