// taut reproduce: the experiments of a seed, computed beside published numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/taut/commands.h"
#include "apps/taut/reproduce/motion.h"
#include "apps/taut/reproduce/write.h"
#include "apps/taut/terminal.h"
#include "taut/base/error.h"
#include "taut/model/suggest.h"

namespace taut {
namespace {

using reproduce::Findings;
using reproduce::Study;

struct ReproduceOptions {
  std::string name, folder;
  std::vector<std::string> set;
};

using reproduce::stop_asked;

constexpr int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
// A folder that this study has made, as a signal handler can have it; empty: none.
char made_folder[4096] = "";

// The first signal ends the study so that nothing is left behind; the next one ends the program at once, and takes the
// folder with it unless there is something in it.
extern "C" void ask_study_to_stop(int signal) {
  if (stop_asked().exchange(true)) {
    if (made_folder[0] != '\0') ::rmdir(made_folder);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

class StopSignals {
 public:
  explicit StopSignals(const std::string& folder) {
    stop_asked();  // made before a signal can come
    std::error_code ignored;
    if (!std::filesystem::exists(folder, ignored) && folder.size() < sizeof made_folder)
      std::copy_n(folder.c_str(), folder.size() + 1, made_folder);
    // A program that is to outlive its terminal has SIGHUP ignored, and keeps it so.
    for (const int signal : stop_signals)
      if (std::signal(signal, ask_study_to_stop) == SIG_IGN && signal == SIGHUP) std::signal(signal, SIG_IGN);
  }
  ~StopSignals() {
    for (const int signal : stop_signals)
      if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
    made_folder[0] = '\0';
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

// "  3 of 9: working range", on a terminal only.
class StepLine {
 public:
  explicit StepLine(int steps) : steps_(steps), live_(is_terminal(stderr)) {}
  ~StepLine() {
    if (live_ && done_ > 0) fmt::print(stderr, "\r\033[K");
  }
  StepLine(const StepLine&) = delete;
  StepLine& operator=(const StepLine&) = delete;

  void operator()(const std::string& what) {
    ++done_;
    if (!live_) return;
    fmt::print(stderr, "\r  {} of {}: {}\033[K", done_, steps_, what);
    std::fflush(stderr);
  }

 private:
  int steps_, done_ = 0;
  bool live_;
};

const Study& find_study(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Study& study : reproduce::studies()) {
    if (study.name == name) return study;
    names.push_back(study.name);
  }
  const std::string_view near = nearest_word(name, names);
  throw InputError(fmt::format("there is no study \"{}\"{}; there are {}", name,
                               near.empty() ? "" : fmt::format(" (did you mean {}?)", near), fmt::join(names, ", ")));
}

void list_studies() {
  for (const Study& study : reproduce::studies()) {
    fmt::print("{:<10}{}\n          {}\n", study.name, study.title, study.source);
    for (const reproduce::Setting& setting : study.settings)
      fmt::print("            {:<27} {:<18} {}\n", setting.key,
                 !setting.vector.empty() ? fmt::format("{}", setting.vector)
                 : setting.word.empty()  ? fmt::format("{}", setting.number)
                                         : setting.word,
                 setting.help);
  }
}

int reproduce_study(const ReproduceOptions& options) {
  if (options.name.empty()) {
    if (!options.set.empty() || !options.folder.empty())
      throw InputError("reproduce: a study's name is missing; taut reproduce lists them");
    list_studies();
    return 0;
  }
  const Study& study = find_study(options.name);
  const reproduce::Settings settings(study.name, study.settings, options.set);
  const std::string folder = options.folder.empty() ? study.name + "-reproduce" : options.folder;
  const StopSignals signals(folder);
  OutputDir dir(folder);
  Findings findings;
  {
    StepLine line(study.steps);
    study.run(settings, findings, [&](const std::string& what) {
      if (stop_asked().load()) throw RunError(0.0, "interrupted; nothing was written");
      line(what);
    });
  }
  write(dir, study, findings);
  fmt::print("{}\n{} files in {}\n", table(study, findings), dir.written().size(), dir.path().string());
  if (!reports_possible()) fmt::print("no report.html: {}\n", no_viewer);
  return 0;
}

}  // namespace

void add_reproduce(CLI::App& app, int& exit_code) {
  CLI::App& command =
      *app.add_subcommand("reproduce", "A seed's experiments: computed beside published numbers, its figures");
  const auto options = std::make_shared<ReproduceOptions>();
  command.add_option("NAME", options->name, "The study; none: list them with their settings")->type_name("");
  command.add_option("-o,--output", options->folder, "Folder for the results [NAME-reproduce]")->type_name("DIR");
  command.add_option("--set", options->set, "Change a setting of the study; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.footer(
      "DIR/results.json holds every number: value, published (null where the seed prints none), unit, note. Beside it "
      "are the\n"
      "series (CSV), the figures (SVG), the model files and report.html.\n"
      "Examples:\n"
      "  taut reproduce\n"
      "  taut reproduce savin\n"
      "  taut reproduce savin --set length=0.3 --set formulation=nodal -o printed-length");
  command.callback([options, &exit_code] { exit_code = reproduce_study(*options); });
}

}  // namespace taut
