#include "apps/taut/result_file.h"

#include <fmt/format.h>

#include "apps/taut/in_file.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/results/hdf5/read_hdf5.h"
#include "taut/run/still.h"

namespace taut {

namespace fs = std::filesystem;

ResultKind kind_of(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw InputError({{{path.string(), 0, 0}, "", "there is no such file or folder"}});
  if (fs::is_directory(path, error)) return ResultKind::folder;
  if (looks_like_hdf5(path) || path.extension() == ".h5") return ResultKind::run;
  return path.extension() == ".html" || path.extension() == ".htm" ? ResultKind::page : ResultKind::model;
}

Run load_result(const fs::path& path, const std::vector<std::string>& wanted) {
  const ResultKind kind = kind_of(path);
  doing("reading " + path.string());
  switch (kind) {
    case ResultKind::folder:
      if (std::error_code error; !fs::exists(path / "run.h5", error))
        throw InputError({{{path.string(), 0, 0}, "", "holds no run.h5: a folder that `taut run` wrote was expected"}});
      return read_run(path / "run.h5", wanted);
    case ResultKind::run:
      return read_run(path, wanted);
    case ResultKind::page:
      throw InputError({{{path.string(), 0, 0}, "", "is a page to look at; the numbers are in run.h5 beside it"}});
    case ResultKind::model:
      break;
  }
  return in_file(path.string(), [&] { return still_run(read_scenario(path.string())); });
}

std::string stem_of(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  const fs::path named = error ? path : whole;
  const fs::path name = named.filename() == "run.h5" ? named.parent_path().filename() : named.stem();
  return name.empty() ? "taut" : name.string();
}

}  // namespace taut
