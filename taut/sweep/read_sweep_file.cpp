#include <fmt/format.h>

#include <filesystem>

#include "taut/base/text/enum_name.h"
#include "taut/file/read/documents.h"
#include "taut/file/read/parse_toml.h"
#include "taut/sweep/read_sweep.h"

namespace taut {

const char* name(SweepEngine engine) { return enum_name<SweepEngine::batch>(engine, {"auto", "run", "batch"}); }

void set_engine(SweepFile& sweep, SweepEngine engine) {
  if (sweep.engine == engine) return;
  sweep.engine = engine;
  sweep.engine_place = {{}, "engine"};
  sweep.text += fmt::format("\nengine = \"{}\"\n", name(engine));
}

SweepFile read_sweep_file(const std::string& file) {
  SweepFile sweep;
  sweep.file = file;
  sweep.text = read_text_file(file);
  Problems problems;
  problems.announce_file(file);
  const auto source = std::make_shared<const Source>(Source{.name = std::make_shared<const std::string>(file)});
  sweep.sources = {source};
  const Table root = parse_toml(sweep.text, *source);
  const Fields top(problems, KeyPath{""}, {&root}, root.at);

  static constexpr std::string_view beside[] = {"model", "set"};
  read_sweep(top, beside, sweep);
  if (sweep.title.empty()) sweep.title = std::filesystem::path(file).stem().string();
  if (top.require("model", "the path of a model file"))
    if (const auto model = top.text("model")) sweep.model = path_beside(file, *model);
  const auto place = [&](const char* key) { return place_of(top.has(key) ? top.find(key)->at : top.self()); };
  sweep.model_place = place("model");
  sweep.set_place = place("set");
  sweep.set = read_texts(top, "set");
  check_sweep(top, sweep);
  problems.throw_if_any();
  return sweep;
}

}  // namespace taut
