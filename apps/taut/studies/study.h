// What a study of a paper is made of: settings in, numbers and curves out. One file per study, one line in studies.cpp.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taut/export/plot.h"
#include "taut/model/scenario.h"
#include "taut/report/report.h"

namespace taut::reproduce {

enum class Check { positive, not_negative, any };

// A parameter of a study: a number, one of a few words, or a vector.
struct Setting {
  std::string key;
  double number = 0.0;
  std::string help;  // with the unit
  Check check = Check::positive;
  std::string word{};  // the standard word; empty: a number
  std::vector<std::string_view> words{};
  std::vector<double> vector{};  // not empty: a list of as many numbers, "[0, 0, -9.81]"
};

class Settings {
 public:
  // Standard values with "key=value" texts on top. Throws InputError for all that is wrong with them.
  Settings(std::string_view study, const std::vector<Setting>& known, const std::vector<std::string>& given);

  double number(std::string_view key) const;
  const std::string& word(std::string_view key) const;
  const std::vector<double>& vector(std::string_view key) const;

 private:
  std::map<std::string, double, std::less<>> numbers_;
  std::map<std::string, std::string, std::less<>> words_;
  std::map<std::string, std::vector<double>, std::less<>> vectors_;
};

// Where the digits of a number say something, the same on every machine: what is below comes from rounding ("< 1e-12"),
// what is above has grown from it ("> 0.1").
struct Digits {
  double rounding = 1e-12, grown = INFINITY;
};

// One line of the table. No value: what was looked for is not there; no published one: the paper prints none.
struct Number {
  std::string name;
  std::vector<double> value, published;
  std::string unit, note;
  bool list = false;
  // For the table of all papers: what it is, what the study assumed that the paper does not print, and, where the paper
  // prints no number, what it says ("equal"); where it prints one, what goes before it (`at_most`, "2 K ρ =").
  std::string quantity{}, gap{}, words{};
  Digits digits{};
};

// Said of a published number that is a bound of an error: a ratio to it tells nothing.
inline constexpr const char* at_most = "at most";

// Columns over time, or over another abscissa.
struct Series {
  std::string file;  // NAME.csv
  std::vector<double> x;
  std::vector<Curve> columns;
  std::string x_name = "t";
};

struct Mark {
  std::string name;
  std::vector<double> x, y;
};

struct Figure {
  std::string file;  // NAME.svg
  Plot plot;
  bool time = true;
  std::vector<Mark> published{};  // in report.html, as open marks
};

struct ModelFile {
  std::string file;  // NAME.toml
  Scenario scenario;
};

// A page of its own for another machine than the report shows.
struct Page {
  std::string file, title;  // NAME.html
  Scenario scenario;
  std::vector<ReportRun> runs;
};

struct Drawing {
  std::string file, svg;  // NAME.svg
};

struct Findings {
  std::vector<Number> numbers;
  std::vector<Series> series;
  std::vector<Figure> figures;
  std::vector<ModelFile> models;
  std::vector<ReportRun> runs;  // of the first model, for the 3-D scene
  std::vector<Page> pages{};
  std::vector<Drawing> drawings{};
  std::vector<std::string> assumptions{};  // what fills the gaps of the paper

  // Columns of a series as a figure.
  Figure& draw(const Series& from, const std::string& file, const std::string& title, const std::string& y_label);
  void add(const std::string& name, double value, std::optional<double> published, const std::string& unit,
           const std::string& note = "");
  void add(const std::string& name, std::optional<double> value, std::optional<double> published,
           const std::string& unit, const std::string& note);
  void add_list(const std::string& name, std::vector<double> values, const std::string& unit, const std::string& note);
  // Puts a number that is there into the table of all papers. An empty gap: the paper prints all that it takes.
  void compare(const std::string& name, const std::string& quantity, const std::string& gap,
               const std::string& words = "", const Digits& digits = {});
};

// Says what comes next; throws RunError when the user has asked to stop.
using Step = std::function<void(const std::string& what)>;

struct Study {
  std::string name, title, source;  // source: authors, year, the paper's own title, where it is
  std::vector<Setting> settings;
  int steps = 0;  // how often `step` is called
  void (*run)(const Settings& settings, Findings& findings, const Step& step);
  std::string paper;  // authors and year, as docs/references.md has them, with the section
};

const std::vector<Study>& studies();
Study savin();
Study sixbar();
Study stacked();
Study involute();
Study arsenault();
Study control();

}  // namespace taut::reproduce
