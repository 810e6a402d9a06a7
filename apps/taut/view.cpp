// taut view: opens a result in the browser, or a model file as the still structure that it describes.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/taut/browser.h"
#include "apps/taut/commands.h"
#include "apps/taut/result_file.h"
#include "apps/taut/terminal.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/report/record_scene.h"
#include "taut/report/report_model.h"
#include "taut/results/hdf5/read_hdf5.h"
#include "taut/results/output_target.h"

namespace taut {
namespace {

namespace fs = std::filesystem;

struct ViewOptions {
  std::string source, file;
  bool no_open = false;
};

// Where a page goes: its folder, which is made if need be, and its name.
struct PagePath {
  explicit PagePath(const fs::path& file)
      : dir(checked(file).has_parent_path() ? file.parent_path() : fs::path(".")), name(file.filename().string()) {}
  static const fs::path& checked(const fs::path& file) {
    output_target(file);
    keep_other_kinds(file, "html");
    return file;
  }
  OutputDir dir;
  std::string name;
};

void need_viewer(const std::string& source) {
  if (!reports_possible()) throw InputError({{{source, 0, 0}, "", std::string("no page can be made: ") + no_viewer}});
}

fs::path page_of_run(const std::string& source, const fs::path& run, const fs::path& to) {
  need_viewer(source);
  doing("reading " + run.string());
  const Run result = read_run(run);
  doing("writing " + to.string());
  PagePath path(to);
  SceneRecorder scene(path.dir, stem_of(run), path.name);
  replay(result, scene);
  return to;
}

fs::path page_of_model(const std::string& source, const fs::path& to) {
  need_viewer(source);
  doing("reading " + source);
  const Scenario scenario = read_scenario(source);
  const Report report = model_report(scenario, stem_of(source));
  doing("writing " + to.string());
  PagePath path(to);
  OutputFile file(path.dir, path.name);
  write_report(report, [&](std::string_view text) { file.append(text, 0.0); });
  file.finish(0.0);
  return to;
}

// A page that is there already; with -o a copy of it.
fs::path page_itself(const fs::path& page, const std::string& to) {
  if (std::error_code error; !fs::is_regular_file(page, error))
    throw InputError({{{page.string(), 0, 0}, "", "is not a plain file, a page was expected"}});
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(page.c_str(), "rb"), std::fclose);
  std::string text;
  char block[1 << 16];
  for (std::size_t n = 0; stream && (n = std::fread(block, 1, sizeof block, stream.get())) > 0;) text.append(block, n);
  if (!stream || std::ferror(stream.get()) != 0) throw InputError({{{page.string(), 0, 0}, "", "cannot be read"}});
  if (text.find("id=\"taut-document\"") == std::string::npos || text.find("id=\"taut-arrays\"") == std::string::npos)
    throw InputError({{{page.string(), 0, 0}, "", "is not a report of taut: it holds no data"}});
  if (std::error_code error; to.empty() || fs::equivalent(page, to, error)) return page;
  PagePath path{fs::path(to)};
  OutputFile file(path.dir, path.name);
  file.append(text, 0.0);
  file.finish(0.0);
  return to;
}

// A page older than the run belongs to an earlier one.
bool is_current(const fs::path& page, const fs::path& run) {
  std::error_code error;
  if (!fs::is_regular_file(page, error)) return false;
  const auto made = fs::last_write_time(page, error);
  return !fs::exists(run, error) || made >= fs::last_write_time(run, error);
}

fs::path page_for(const ViewOptions& options) {
  const fs::path source = options.source;
  switch (kind_of(source)) {
    case ResultKind::folder: {
      const fs::path page = source / SceneRecorder::file_name, run = source / "run.h5";
      if (is_current(page, run)) return page_itself(page, options.file);
      if (std::error_code error; !fs::exists(run, error))
        throw InputError(
            {{{options.source, 0, 0}, "", "holds neither report.html nor run.h5: a folder of results was expected"}});
      return page_of_run(options.source, run, options.file.empty() ? page : fs::path(options.file));
    }
    case ResultKind::run:
      return page_of_run(
          options.source, source,
          options.file.empty() ? source.parent_path() / SceneRecorder::file_name : fs::path(options.file));
    case ResultKind::page:
      return page_itself(source, options.file);
    case ResultKind::model:
      break;
  }
  return page_of_model(options.source,
                       options.file.empty() ? fs::path(stem_of(source) + "-view.html") : fs::path(options.file));
}

void view(const ViewOptions& options) {
  const fs::path page = page_for(options);
  no_line();
  const std::string program = options.no_open ? "" : open_in_browser(page);
  fmt::print("{}\n", page.string());
  std::fflush(stdout);
  if (!options.no_open)
    message("{}\n", program.empty() ? "There is no browser here that could show it; the file opens in any."
                                    : fmt::format("opened with {}", program));
}

}  // namespace

Command view_command() {
  const auto options = std::make_shared<ViewOptions>();
  Command command{"view", "Look at a result or a model file in the browser"};
  command.options = {
      required({"SOURCE", "", &options->source, "A folder of results, a run.h5, a report.html, or a model file"}),
      {"-o,--output", "FILE", &options->file,
       "Where to put the page [report.html in the folder; NAME-view.html for a model]"},
      {"--no-open", "", &options->no_open, "Only make the page and print its path"},
  };
  command.footer =
      "A model file is shown at rest: names, supports, loads, and its members coloured by their force at the start.\n"
      "The browser is $BROWSER, or the one of the desktop; where there is none, the path of the page is printed.\n"
      "Examples:\n"
      "  taut view prism-run\n"
      "  taut view prism.toml --no-open -o prism.html";
  command.run = [options] {
    view(*options);
    return 0;
  };
  return command;
}

}  // namespace taut
