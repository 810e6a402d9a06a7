function model = generate(kind, varargin)
  % GENERATE  A model from a few numbers; docs/generators.md has every kind.
  %
  %   model = taut.generate('six_bar', 'rod_length', 1.0, 'simulation.duration', 2.0)
  model = taut.Model(taut_mex('generate', taut.internal.text(kind), taut.internal.assignments(varargin)));
end
