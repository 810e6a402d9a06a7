// taut export: a run, or the start shape of a model, for other programs.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/taut/commands.h"
#include "apps/taut/result_file.h"
#include "apps/taut/terminal.h"
#include "apps/taut/text_file.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/export/gltf.h"
#include "taut/export/vtk.h"
#include "taut/results/output_target.h"
#include "taut/results/record_csv.h"

namespace taut {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string source, to, file;
  std::optional<long> every;
};

constexpr double gltf_bytes = 100e6;  // of animation, unless --every asks for more

// Throws InputError unless the name ends as the format asks for.
fs::path named(const ExportOptions& options, const char* extension) {
  const fs::path file = options.file.empty() ? fs::path(stem_of(options.source) + extension) : fs::path(options.file);
  if (file.extension() != extension)
    throw InputError(fmt::format("cannot write {}: expected a name that ends in {}", file.string(), extension));
  return file;
}

void export_csv(const ExportOptions& options) {
  if (options.every) throw InputError("--every: CSV tables always hold every row");
  const Run result = load_result(options.source);
  // Beside run.h5, where `taut run --csv` puts them.
  fs::path folder = options.file;
  if (folder.empty()) {
    const fs::path source = options.source;
    const ResultKind kind = kind_of(source);
    folder = kind == ResultKind::folder ? source
             : kind == ResultKind::run  ? source.parent_path()
                                        : fs::path(stem_of(source) + "-csv");
    if (folder.empty()) folder = ".";
  }
  doing("writing " + folder.string());
  OutputDir dir(folder);
  CsvRecorder csv(dir, result.scenario.model);
  replay(result, csv);
  no_line();
  for (const fs::path& file : dir.written()) message("wrote {}\n", file.string());
}

void export_gltf(const ExportOptions& options) {
  const fs::path file = named(options, ".glb");
  const Run result = load_result(options.source, {"nodes", "tensions", "lengths", "rest_lengths", "joints", "bodies"});
  const std::size_t every = options.every ? static_cast<std::size_t>(*options.every) : gltf_stride(result, gltf_bytes);
  doing("writing " + file.string());
  TextFile output(file, "glb");
  output.write(glb(result, every));
  no_line();
  if (!options.every && every > 1) message("every {}. row only, to keep the file small; --every 1 takes all\n", every);
}

void export_vtk_files(const ExportOptions& options) {
  const fs::path file = named(options, ".pvd");
  const Run result = load_result(options.source, {"nodes", "velocities", "tensions", "lengths", "rest_lengths",
                                                  "bar_forces", "contact_forces", "joints", "bodies"});
  keep_other_kinds(file, "pvd");
  doing("writing " + file.string());
  export_vtk(result, file, options.every ? static_cast<std::size_t>(*options.every) : 1);
  no_line();
  message("wrote {} and {}\n", file.string(), (file.parent_path() / file.stem()).string() + "-vtk/");
}

void run_export(const ExportOptions& options) {
  if (options.every && *options.every < 1)
    throw InputError(fmt::format("--every {}: expected 1 or more", *options.every));
  if (options.to == "csv") return export_csv(options);
  if (options.to == "vtk") return export_vtk_files(options);
  if (options.to == "gltf" || options.to == "glb") return export_gltf(options);
  throw InputError("--to: " + unknown_word(options.to, {"csv", "vtk", "gltf"}));
}

}  // namespace

Command export_command() {
  const auto options = std::make_shared<ExportOptions>();
  Command command{"export", "Write a run for other programs: CSV, VTK (ParaView), glTF (Blender)"};
  command.options = {
      required({"SOURCE", "", &options->source, "A folder of results, a run.h5, or a model file for its start shape"}),
      required({"--to", "FORMAT", &options->to, "csv | vtk | gltf"}),
      {"-o,--output", "FILE", &options->file,
       "csv: folder [of the run]; vtk: FILE.pvd; gltf: FILE.glb [named as the run]"},
      {"--every", "N", &options->every, "vtk, gltf: only every N-th row, and the last"},
  };
  command.footer =
      "csv    the tables that `taut run --csv` writes: nodes.csv, cables.csv, energy.csv, ...\n"
      "vtk    FILE.pvd, which ParaView opens, and a folder FILE-vtk/ with a .vtp for each row\n"
      "gltf   one animated .glb with every bar and cable under its name\n"
      "Examples:\n"
      "  taut export prism-run --to vtk -o prism.pvd\n"
      "  taut export prism-run --to gltf --every 2 -o prism.glb";
  command.run = [options] {
    run_export(*options);
    return 0;
  };
  return command;
}

}  // namespace taut
