function build_taut(prefix)
  % BUILD_TAUT  Compiles taut_mex for this MATLAB or Octave, beside this file.
  %
  %   build_taut                 libtaut_c as pkg-config finds it
  %   build_taut('/usr/local')   installed there
  %
  % Afterwards addpath this folder, and taut.load, taut.generate, ... are there.
  here = fileparts(mfilename('fullpath'));
  if nargin < 1
    flags = [pkg_config('--cflags') ' ' pkg_config('--libs')];
    folder = strtrim(pkg_config('--variable=libdir'));
  else
    folder = library_folder(prefix);
    flags = sprintf('-I%s -L%s -ltaut_c', fullfile(prefix, 'include'), folder);
  end
  names = {'bridge.c', 'models.c', 'simulations.c', 'runs.c'};
  sources = cellfun(@(name) fullfile(here, 'src', name), names, 'UniformOutput', false);
  flags = strsplit(strtrim(flags));
  if exist('OCTAVE_VERSION', 'builtin')
    output = fullfile(here, 'taut_mex.mex');
    mkoctfile('--mex', sources{:}, flags{:}, ['-Wl,-rpath,' folder], '-o', output);
    objects = strrep(names, '.c', '.o');  % mkoctfile leaves them where it was called
    for i = 1:numel(objects)
      if exist(fullfile(pwd, objects{i}), 'file'), delete(fullfile(pwd, objects{i})); end
    end
    built = exist(output, 'file') ~= 0;
  else
    mex('-R2018a', 'CFLAGS=$CFLAGS -std=c99', ['LDFLAGS=$LDFLAGS -Wl,-rpath,' folder], '-outdir', here, ...
        '-output', 'taut_mex', sources{:}, flags{:});
    built = true;
  end
  if ~built
    error('taut:Internal', 'taut_mex was not built; the messages above say why');
  end
end

function text = pkg_config(what)
  [status, text] = system(['pkg-config ' what ' taut-c']);
  if status ~= 0
    error('taut:Misuse', ['pkg-config does not find taut-c. Set PKG_CONFIG_PATH to the lib/pkgconfig of the installed ' ...
                          'taut, or give build_taut the folder into which taut was installed.']);
  end
  text = strtrim(text);
end

function folder = library_folder(prefix)
  found = [dir(fullfile(prefix, 'lib', 'libtaut_c.*')); dir(fullfile(prefix, 'lib*', 'libtaut_c.*'));
           dir(fullfile(prefix, 'lib', '*', 'libtaut_c.*'))];
  if isempty(found)
    error('taut:Misuse', '%s: there is no lib/libtaut_c below; expected the folder into which taut was installed', prefix);
  end
  folder = found(1).folder;
end
