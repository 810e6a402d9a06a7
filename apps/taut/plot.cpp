// taut plot: curves of a run as SVG or PNG.
#include "taut/export/plot.h"

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
#include "apps/taut/watch.h"
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
        {{{options.source, 0, 0}, "", "is a model file: run it first with taut run, then plot its results"}});
  const Run result = load_result(options.source, what.data_sets);
  doing("drawing " + file.string());
  Plot picture = make_plot(result, what, options.select, options.from, options.to);
  picture.title = options.title;
  set_size(picture, options.size);
  TextFile output(file, png ? "png" : "svg");
  const std::string text = svg(picture);
  output.write(png ? png_of_svg(text) : text);
}

}  // namespace

Command plot_command() {
  const auto options = std::make_shared<PlotOptions>();
  std::string words;
  for (const Plottable& entry : plottables()) words += (words.empty() ? "" : " | ") + std::string(entry.word);
  Command command{"plot", "Draw curves of a run as SVG or PNG"};
  command.options = {
      required({"SOURCE", "", &options->source, "A folder of results or a run.h5"}),
      {"--what", "W", &options->what, words + " [tensions]"},
      {"--select", "NAMES", &options->select, "Only these curves, with * and ?, divided by commas: 'a1*,b2.z' [all]"},
      {"--from", "T", &options->from, "Begin at this time, s [the start]"},
      {"--to", "T", &options->to, "End at this time, s [the end]"},
      {"--size", "WxH", &options->size, "Width and height in mm [160x100]"},
      {"--title", "TEXT", &options->title, "Heading of the picture [none]"},
      {"-o,--output", "FILE", &options->file, "Where to write it, .svg or .png [NAME-WHAT.svg]"},
  };
  command.footer =
      "Of more than eight curves, the seven that move most are named and the others drawn in grey.\n"
      "A PNG needs rsvg-convert, inkscape or ImageMagick.\n"
      "Examples:\n"
      "  taut plot prism-run --what tensions -o tensions.svg\n"
      "  taut plot prism-run --what nodes --select 'b*.z' --from 1 --to 2 -o height.png";
  command.run = [options] {
    plot(*options);
    return 0;
  };
  return command;
}

}  // namespace taut
