// taut plot: curves of a run as SVG or PNG.
#include "taut/run/plot.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>

#include "apps/taut/commands.h"
#include "apps/taut/convert.h"
#include "apps/taut/result_file.h"
#include "apps/taut/text_file.h"
#include "taut/base/error.h"

namespace taut {
namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  std::string source, file, what = "tensions", select, size, title;
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
};

// "160x100", in mm.
void set_size(Plot& plot, const std::string& text) {
  if (text.empty()) return;
  const char *first = text.data(), *end = first + text.size();
  const auto width = std::from_chars(first, end, plot.width_mm);
  const bool split = width.ec == std::errc{} && width.ptr != end && *width.ptr == 'x';
  const auto height = split ? std::from_chars(width.ptr + 1, end, plot.height_mm)
                            : std::from_chars_result{end, std::errc::invalid_argument};
  const auto sensible = [](double mm) { return mm >= 40.0 && mm <= 2000.0; };
  if (height.ec != std::errc{} || height.ptr != end || !sensible(plot.width_mm) || !sensible(plot.height_mm))
    throw InputError(
        fmt::format("--size {}: expected WIDTHxHEIGHT in mm, each from 40 to 2000, such as 160x100", text));
}

void plot(const PlotOptions& options) {
  const Plottable& what = plottable(options.what);
  const fs::path file = options.file.empty() ? fs::path(fmt::format("{}-{}.svg", stem_of(options.source), what.word))
                                             : fs::path(options.file);
  const bool png = file.extension() == ".png";
  if (!png && file.extension() != ".svg")
    throw InputError(fmt::format("cannot write {}: expected a name that ends in .svg or .png", file.string()));
  if (kind_of(options.source) == ResultKind::model)
    throw InputError(
        {{{options.source, 0, 0}, "", "is a model file; there is something to plot once it has run: taut run"}});
  const RunResult result = load_result(options.source, what.data_sets);
  Plot picture = make_plot(result, what, options.select, options.from, options.to);
  picture.title = options.title;
  set_size(picture, options.size);
  TextFile output(file);
  const std::string text = svg(picture);
  output.write(png ? png_of_svg(text) : text);
}

}  // namespace

void add_plot(CLI::App& app, int& exit_code) {
  CLI::App& command = *app.add_subcommand("plot", "Draw curves of a run as SVG or PNG");
  const auto options = std::make_shared<PlotOptions>();
  std::string words;
  for (const Plottable& entry : plottables()) words += (words.empty() ? "" : " | ") + std::string(entry.word);
  const auto option = [&](const char* names, const char* value, auto& to, const std::string& help) {
    return command.add_option(names, to, help)->type_name(value);
  };
  option("SOURCE", "", options->source, "A folder of results or a run.h5")->required();
  option("--what", "W", options->what, words + " [tensions]");
  option("--select", "NAMES", options->select, "Only these curves, with * and ?, divided by commas: 'a1*,b2.z' [all]");
  option("--from", "T", options->from, "Begin at this time, s [the start]");
  option("--to", "T", options->to, "End at this time, s [the end]");
  option("--size", "WxH", options->size, "Width and height in mm [160x100]");
  option("--title", "TEXT", options->title, "Heading of the picture [none]");
  option("-o,--output", "FILE", options->file, "Where to write it, .svg or .png [NAME-WHAT.svg]");
  command.footer(
      "Of more than eight curves, the seven that move most are named and the others drawn in grey.\n"
      "A PNG needs rsvg-convert, inkscape or ImageMagick.\n"
      "Examples:\n"
      "  taut plot prism-run --what tensions -o tensions.svg\n"
      "  taut plot prism-run --what nodes --select 'b*.z' --from 1 --to 2 -o height.png");
  command.callback([options, &exit_code] {
    plot(*options);
    exit_code = 0;
  });
}

}  // namespace taut
