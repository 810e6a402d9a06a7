// taut reproduce: the experiments of a paper, computed beside its published numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/taut/commands.h"
#include "apps/taut/studies/motion.h"
#include "apps/taut/studies/published.h"
#include "apps/taut/studies/write.h"
#include "apps/taut/terminal.h"
#include "taut/base/error.h"
#include "taut/base/suggest.h"

namespace taut {
namespace {

using reproduce::Findings;
using reproduce::Study;

struct ReproduceOptions {
  std::string name, folder;
  std::vector<std::string> set;
  bool list = false;
};

constexpr int folder_signals[] = {SIGINT, SIGTERM, SIGHUP};
// A folder that this study has made, as a signal handler can have it; empty: none.
char made_folder[4096] = "";

// The first signal ends the study so that nothing is left behind; the next one ends the program at once, and takes the
// folder with it unless there is something in it.
extern "C" void ask_study_to_stop(int signal) {
  if (reproduce::stop_asked().exchange(true)) {
    if (made_folder[0] != '\0') ::rmdir(made_folder);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

class FolderSignals {
 public:
  explicit FolderSignals(const std::string& folder) {
    reproduce::stop_asked();  // made before a signal can come
    std::error_code ignored;
    if (!std::filesystem::exists(folder, ignored) && folder.size() < sizeof made_folder)
      std::copy_n(folder.c_str(), folder.size() + 1, made_folder);
    // A program that is to outlive its terminal has SIGHUP ignored, and keeps it so.
    for (const int signal : folder_signals)
      if (std::signal(signal, ask_study_to_stop) == SIG_IGN && signal == SIGHUP) std::signal(signal, SIG_IGN);
  }
  ~FolderSignals() {
    for (const int signal : folder_signals)
      if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
    made_folder[0] = '\0';
  }
  FolderSignals(const FolderSignals&) = delete;
  FolderSignals& operator=(const FolderSignals&) = delete;
};

// "  3 of 9: working range", on a terminal only.
class StepLine {
 public:
  explicit StepLine(int steps) : steps_(steps), live_(is_terminal(stderr)) {}
  ~StepLine() {
    if (live_ && done_ > 0) message("\r\033[K");
  }
  StepLine(const StepLine&) = delete;
  StepLine& operator=(const StepLine&) = delete;

  void operator()(const std::string& what) {
    ++done_;
    if (!live_) return;
    message("\r  {} of {}: {}\033[K", done_, steps_, what);
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
  throw InputError("reproduce: " + unknown_word(name, names));
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

Findings run_study(const Study& study, const reproduce::Settings& settings, const reproduce::Step& say) {
  Findings findings;
  study.run(settings, findings, [&](const std::string& what) {
    if (reproduce::stop_asked().load()) throw RunError(0.0, "interrupted; nothing was written");
    say(what);
  });
  return findings;
}

int reproduce_study(const Study& study, const ReproduceOptions& options) {
  const reproduce::Settings settings(study.name, study.settings, options.set);
  const std::string folder = options.folder.empty() ? study.name + "-reproduce" : options.folder;
  const FolderSignals signals(folder);
  OutputDir dir(folder);
  Findings findings;
  {
    StepLine line(study.steps);
    findings = run_study(study, settings, [&](const std::string& what) { line(what); });
  }
  write(dir, study, findings);
  fmt::print("{}\n{} files in {}\n", table(study, findings), dir.written().size(), dir.path().string());
  if (!reports_possible()) fmt::print("no report.html: {}\n", no_viewer);
  return 0;
}

// All studies, one after the other, and one table. A study that fails is named; the others count.
int reproduce_all(const std::string& folder) {
  const FolderSignals signals(folder);
  OutputDir dir(folder);
  OutputFile page(dir, "published.md");
  int steps = 0;
  for (const Study& study : reproduce::studies()) steps += study.steps;
  std::vector<std::pair<const Study*, Findings>> done;
  std::vector<std::string> failures;
  {
    StepLine line(steps);
    for (const Study& study : reproduce::studies()) try {
        done.emplace_back(&study, run_study(study, {study.name, study.settings, {}},
                                            [&](const std::string& what) { line(study.name + ", " + what); }));
      } catch (const RunError& error) {
        if (reproduce::stop_asked().load()) throw;
        failures.push_back(fmt::format("{}: {}", study.name, error.what()));
      }
  }
  std::vector<reproduce::PublishedRow> rows;
  std::size_t files = 1;
  for (const auto& [study, findings] : done) {
    OutputDir own(dir.path() / study->name);
    write(own, *study, findings);
    files += own.written().size();
    for (auto& row : published_rows(*study, findings)) rows.push_back(std::move(row));
  }
  const std::string text = reproduce::published_table(rows);
  page.append(text, 0.0);
  page.finish(0.0);
  fmt::print("{}\n{} files in {}\n", text, files, dir.path().string());
  if (!reports_possible()) fmt::print("no report.html: {}\n", no_viewer);
  for (const std::string& failure : failures) message("{}\n", failure);
  return failures.empty() ? 0 : 1;
}

int reproduce_named(const ReproduceOptions& options) {
  if (options.list) {
    list_studies();
    return 0;
  }
  if (!options.name.empty()) return reproduce_study(find_study(options.name), options);
  if (!options.set.empty())
    throw InputError("reproduce: --set needs the name of a study; taut reproduce --list shows them");
  return reproduce_all(options.folder.empty() ? "reproduce" : options.folder);
}

}  // namespace

Command reproduce_command() {
  const auto options = std::make_shared<ReproduceOptions>();
  Command command{"reproduce", "A paper's experiments: computed beside its published numbers, with its figures"};
  command.options = {
      {"NAME", "", &options->name, "The study; none: all of them, in one table"},
      {"-o,--output", "DIR", &options->folder, "Folder for the results [NAME-reproduce, or reproduce for all]"},
      {"--set", "KEY=VALUE", &options->set, "Change a setting of the study; may be repeated"},
      {"--list", "", &options->list, "List the studies with their settings"},
  };
  command.footer =
      "DIR/results.json holds every number: value, published (null where the paper prints none), unit, note. Beside it "
      "are the\n"
      "series (CSV), the figures (SVG), the model files, report.html and published.md, the study's rows of the table "
      "of all "
      "papers.\n"
      "Examples:\n"
      "  taut reproduce\n"
      "  taut reproduce --list\n"
      "  taut reproduce savin\n"
      "  taut reproduce savin --set length=0.3 --set formulation=nodal -o printed-length";
  command.run = [options] { return reproduce_named(*options); };
  return command;
}

}  // namespace taut
