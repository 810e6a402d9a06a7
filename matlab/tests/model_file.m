function file = model_file(name)
  file = fullfile(getenv('TAUT_MODELS'), name);
end
