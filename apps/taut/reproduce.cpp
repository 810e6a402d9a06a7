// taut reproduce: the experiments of a paper, computed beside its published numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/taut/commands.h"
#include "apps/taut/studies/published.h"
#include "apps/taut/studies/write.h"
#include "apps/taut/terminal.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/text/suggest.h"

namespace taut {
namespace {

using reproduce::Findings;
using reproduce::Study;

struct ReproduceOptions {
  std::string name, folder;
  std::vector<std::string> set;
  bool list = false;
};

// "3 of 9: working range", in the line on a terminal.
class StepLine {
 public:
  explicit StepLine(int steps) : steps_(steps) {}
  void operator()(const std::string& what) { doing(fmt::format("{} of {}: {}", ++done_, steps_, what)); }

 private:
  int steps_, done_ = 0;
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
  study.run(settings, findings, say);
  return findings;
}

int reproduce_study(const Study& study, const ReproduceOptions& options) {
  const reproduce::Settings settings(study.name, study.settings, options.set);
  const std::string folder = options.folder.empty() ? study.name + "-reproduce" : options.folder;
  OutputDir dir(folder);
  StepLine line(study.steps);
  const Findings findings = run_study(study, settings, [&](const std::string& what) { line(what); });
  doing("writing " + folder);
  write(dir, study, findings);
  no_line();
  fmt::print("{}\n{} files in {}\n", table(study, findings), dir.written().size(), dir.path().string());
  if (!reports_possible()) fmt::print("no report.html: {}\n", no_viewer);
  return 0;
}

// All studies, one after the other, and one table. A study that fails is named; the others count.
int reproduce_all(const std::string& folder) {
  OutputDir dir(folder);
  OutputFile page(dir, "published.md");
  int steps = 0;
  for (const Study& study : reproduce::studies()) steps += study.steps;
  std::vector<std::pair<const Study*, Findings>> done;
  std::vector<std::string> failures;
  StepLine line(steps);
  for (const Study& study : reproduce::studies()) try {
      done.emplace_back(&study, run_study(study, {study.name, study.settings, {}},
                                          [&](const std::string& what) { line(study.name + ", " + what); }));
    } catch (const RunError& error) {
      failures.push_back(fmt::format("{}: {}", study.name, error.what()));
    }
  doing("writing " + folder);
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
  no_line();
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
