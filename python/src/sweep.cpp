// Many runs of one model.
#include "taut/sweep/sweep.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "python/src/bindings.h"
#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/report/report.h"
#include "taut/sweep/table/table_page.h"

namespace taut::python {

namespace {

constexpr int most_threads = 4096;

// Tells a Python function how far the sweep is: at the start, ten times a second and at the end, one call at a time and from
// any thread. What the function raises ends the sweep.
class Progress {
 public:
  explicit Progress(py::object function) : function_(std::move(function)) {}

  std::function<void(const SweepCounts&)> teller(LongCall& call) {
    if (function_.is_none()) return {};
    return [this, &call](const SweepCounts& counts) { tell(counts, call); };
  }
  // With the interpreter lock, when nobody works any more.
  void raise_what_was_raised() {
    if (raised_) throw py::error_already_set(std::move(*raised_));
  }

 private:
  using Clock = std::chrono::steady_clock;

  void tell(const SweepCounts& counts, LongCall& call) {
    const Clock::time_point now = Clock::now();
    if (Released::leaving() || raised_ || (counts.computed > 0 && counts.there < counts.runs && now < next_)) return;
    next_ = now + std::chrono::milliseconds(100);
    const py::gil_scoped_acquire lock;
    try {
      function_(counts.runs, counts.there, counts.computed, counts.failed, counts.refused, counts.stopped);
    } catch (py::error_already_set& error) {
      call.stop();
      if (!error.matches(PyExc_KeyboardInterrupt)) raised_ = std::move(error);
    }
  }

  const py::object function_;
  std::optional<py::error_already_set> raised_;
  Clock::time_point next_{};
};

// What taut.Sweep is made of, in the words of its sweep_page().
py::tuple parts_of(const SweepResult& result, const std::string& file, const std::string& model) {
  need_numpy();
  const auto rows = static_cast<py::ssize_t>(result.rows.size());
  py::list columns, values;
  for (const TableColumn& column : result.columns)
    columns.append(py::make_tuple(column.name, column.parameter, column.texts, column.whole));
  py::array_t<std::int64_t> runs(rows), statuses(rows);
  py::list reasons(result.rows.size());
  for (py::ssize_t i = 0; i < rows; ++i) {
    const TableRow& row = result.rows[static_cast<std::size_t>(i)];
    runs.mutable_at(i) = row.run;
    statuses.mutable_at(i) = static_cast<std::int64_t>(row.status);
    reasons[static_cast<std::size_t>(i)] = row.reason;
  }
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    py::array_t<double> column(rows);
    for (py::ssize_t i = 0; i < rows; ++i) {
      const double value = result.rows[static_cast<std::size_t>(i)].values[c];
      column.mutable_at(i) = std::isnan(value) ? std::abs(value) : value;
    }
    values.append(column);
  }
  return py::make_tuple(py::make_tuple(result.title, file, model, result.counts.runs), columns, runs, values, statuses,
                        reasons, result.counts.computed, name(result.engine), result.engine_reason);
}

SweepFile sweep_file(const py::object& source, const py::dict& keys, const py::dict& set) {
  if (py::isinstance<py::str>(source)) return read_sweep_file(source.cast<std::string>());
  Draft draft = source.cast<Draft>();
  std::vector<std::pair<std::string, Value>> values;
  for (const auto& [key, value] : set) {
    const std::string word = py::str(key);
    values.emplace_back(word, to_value(value, word));
  }
  if (!values.empty()) draft.set(values);
  return sweep_of(draft, to_table(keys, ""));
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// (parts, whether Ctrl-C ended it); no parts where that was before the first run.
py::tuple sweep(const py::object& source, const py::dict& keys, const py::dict& set, const std::string& folder,
                int threads, bool keep_runs, bool report, const py::object& progress) {
  if (threads < 0 || threads > most_threads)
    throw InputError(
        {Problem{{}, "threads", fmt::format("is {}, expected a number from 1 to {}", threads, most_threads)}});
  if (keep_runs && folder.empty())
    throw InputError({Problem{{}, "keep_runs", "expected a folder for the runs to be kept in"}});
  SweepFile file = sweep_file(source, keys, set);
  const std::string name = file_name(file.file), model = file_name(file.model);
  SweepOptions options;
  options.folder = folder;
  options.threads = threads;
  options.keep_runs = keep_runs;
  options.report = report;
  options.rows = true;
  options.ranks = false;
  options.advice = "take another folder, or remove it";
  Progress told(progress);
  SweepResult result;
  bool begun = true, interrupted = false;
  {
    LongCall call;
    options.stop = call.flag();
    options.progress = told.teller(call);
    try {
      result = run_sweep(std::move(file), options);
    } catch (const Stopped&) {
      begun = false;
    }
    interrupted = call.finish();
  }
  told.raise_what_was_raised();
  if (!begun) return py::make_tuple(py::none(), true);
  return py::make_tuple(parts_of(result, name, model), interrupted && !result.complete);
}

// The report page of a sweep's parts; None where this build can make none.
py::object sweep_page(const py::tuple& head, const py::list& columns, const py::object& all_runs,
                      const py::list& values, const py::object& all_statuses, const py::list& reasons) {
  if (!reports_possible()) return py::none();
  need_numpy();
  const auto runs = all_runs.cast<py::array_t<std::int64_t>>(),
             statuses = all_statuses.cast<py::array_t<std::int64_t>>();
  TablePage page;
  page.title = head[0].cast<std::string>();
  page.sweep_file = head[1].cast<std::string>();
  page.model = head[2].cast<std::string>();
  page.runs = head[3].cast<long>();
  std::vector<TableColumn> shown;
  std::vector<py::array_t<double>> numbers;
  for (const py::handle column : columns) {
    const auto [name, parameter, texts, whole] =
        column.cast<std::tuple<std::string, bool, std::vector<std::string>, bool>>();
    shown.push_back({name, parameter, texts, whole});
    numbers.push_back(values[shown.size() - 1].cast<py::array_t<double>>());
  }
  const auto rows = [&]() -> NextRow {
    return [&, i = py::ssize_t{0}](TableRow& row) mutable {
      if (i == runs.size()) return false;
      row.run = runs.at(i);
      row.values.clear();
      for (const py::array_t<double>& column : numbers) row.values.push_back(column.at(i));
      row.status = static_cast<RowStatus>(statuses.at(i));
      row.reason = reasons[static_cast<std::size_t>(i)].cast<std::string>();
      ++i;
      return true;
    };
  };
  return py::str(table_page(page, shown, rows));
}

}  // namespace

void bind_sweep(py::module_& m) {
  m.def("sweep", sweep);
  m.def("sweep_page", sweep_page);
  m.def("unknown_word", [](const std::string& word, const std::vector<std::string>& known) {
    return unknown_word(word, {known.begin(), known.end()});
  });
}

}  // namespace taut::python
