#include "taut/results/hdf5/read_hdf5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/base/version.h"
#include "taut/file/read/read_toml.h"
#include "taut/model/control_names.h"
#include "taut/model/shape/body_pose.h"
#include "taut/model/shape/frame_pose.h"
#include "taut/results/hdf5/read_hdf5_raw.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/results/read_summary.h"

namespace taut {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::size_t>;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw InputError({{{path.string(), 0, 0}, "", why}});
}

// Is it ours, and of a format that this version knows?
void check_origin(const fs::path& path, const Hdf5Contents& contents) {
  if (!contents.format) refuse(path, "holds no result of taut: its root has no attribute \"format\"");
  if (*contents.format > hdf5_format)
    refuse(path, fmt::format("has format {}, of a newer taut; taut {} reads format {}", *contents.format, version(),
                             hdf5_format));
  if (*contents.format != hdf5_format)
    refuse(path, fmt::format("has format {}, {} was expected", *contents.format, hdf5_format));
  for (const char* name : {"model", "summary"})
    if (!contents.texts.contains(name)) refuse(path, fmt::format("has no data set \"{}\" that is one text", name));
}

// The numbers of a data set, if their shape is right. `words` describes it.
std::vector<double> take(const fs::path& path, Hdf5Contents& contents, const char* name, const Shape& expected,
                         const char* words) {
  const auto found = contents.numbers.find(name);
  if (found == contents.numbers.end()) refuse(path, fmt::format("has no data set \"{}\" of numbers {}", name, words));
  if (found->second.shape != expected)
    refuse(path, fmt::format("data set \"{}\" has the shape [{}], {} = [{}] was expected", name,
                             fmt::join(found->second.shape, ", "), words, fmt::join(expected, ", ")));
  return std::move(found->second.values);
}

void check_times(const fs::path& path, const std::vector<double>& t) {
  for (std::size_t i = 0; i < t.size(); ++i)
    if (!std::isfinite(t[i]) || (i > 0 && t[i] < t[i - 1]))
      refuse(path, fmt::format("data set \"t\" does not ascend at row {}", i));
}

// A problem inside the file's texts is one of the file.
template <class Work>
auto about(const fs::path& path, const Work& work) {
  try {
    return work();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      if (problem.place.file.empty()) problem.place.file = path.string();
    throw InputError(std::move(problems));
  }
}

}  // namespace

Run read_run(const fs::path& path, const std::vector<std::string>& wanted) {
  // What to ask for.
  const auto is_wanted = [&](const char* name) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  std::vector<std::string> asked{"t"};
  for (const char* name : {"nodes", "velocities", "tensions", "lengths", "rest_lengths", "bar_forces", "energy",
                           "constraint_error", "contact_forces", "support_forces", "frames", "joints", "controls",
                           "bodies", "coordinates", "memory", "bar_lengths", "bar_rest_lengths"})
    if (is_wanted(name)) asked.emplace_back(name);
  Hdf5Contents contents = read_hdf5_contents(path, {"model", "summary"}, asked);
  check_origin(path, contents);

  Run result;
  result.scenario = about(path, [&] { return read_scenario_text(contents.texts["model"], path.string() + ": model"); });
  const Model& model = result.scenario.model;
  result.summary = about(path, [&] { return parse_summary(contents.texts["summary"], model); });
  const auto t = contents.numbers.find("t");
  if (t == contents.numbers.end() || t->second.shape.size() != 1)
    refuse(path, "has no data set \"t\" of numbers [rows]");
  result.t = std::move(t->second.values);
  check_times(path, result.t);

  const std::size_t T = result.t.size(), N = model.nodes.size(), C = model.cables.size(), B = model.bars.size();
  const std::size_t S = support_nodes(model).size();
  const auto get = [&](const char* name, std::vector<double>& to, const Shape& shape, const char* words) {
    if (is_wanted(name)) to = take(path, contents, name, shape, words);
  };
  get("nodes", result.columns.nodes, {T, N, 3}, "[rows, nodes, 3]");
  get("velocities", result.columns.velocities, {T, N, 3}, "[rows, nodes, 3]");
  get("tensions", result.columns.tensions, {T, C}, "[rows, cables]");
  get("lengths", result.columns.lengths, {T, C}, "[rows, cables]");
  get("rest_lengths", result.columns.rest_lengths, {T, C}, "[rows, cables]");
  get("bar_forces", result.columns.bar_forces, {T, B}, "[rows, bars]");
  get("energy", result.columns.energy, {T, energy_columns}, "[rows, energies]");
  get("constraint_error", result.columns.constraint_error, {T}, "[rows]");
  if (const std::size_t F = model.frames.size(); F > 0)
    get("frames", result.columns.frames, {T, F, frame_columns}, "[rows, frames, 6]");
  if (const std::size_t columns = joint_columns(model).size(); columns > 0)
    get("joints", result.columns.joints, {T, columns}, "[rows, columns of joints]");
  if (const std::size_t columns = control_columns(model).size(); columns > 0)
    get("controls", result.columns.controls, {T, columns}, "[rows, columns of controls]");
  if (const std::size_t D = model.bar_drives.size(); D > 0) {
    get("bar_lengths", result.columns.bar_lengths, {T, D}, "[rows, driven bars]");
    get("bar_rest_lengths", result.columns.bar_rest_lengths, {T, D}, "[rows, driven bars]");
  }
  // These two are there only where there is something to touch or to hold.
  if (contents.numbers.contains("contact_forces"))
    get("contact_forces", result.columns.contact_forces, {T, N, 3}, "[rows, nodes, 3]");
  if (contents.numbers.contains("support_forces"))
    get("support_forces", result.columns.support_forces, {T, S, 3}, "[rows, supported nodes, 3]");
  // Runs of earlier versions have no poses.
  if (contents.numbers.contains("bodies"))
    get("bodies", result.columns.bodies, {T, posed_carriers(model).size(), pose_columns}, "[rows, bodies, 7]");
  // Their widths depend on the formulation, the memory is not in files of the first version.
  for (const auto& [name, to] :
       {std::pair{"coordinates", &result.columns.coordinates}, std::pair{"memory", &result.columns.memory}})
    if (const auto found = contents.numbers.find(name); found != contents.numbers.end())
      get(name, *to, {T, found->second.shape.back()}, "[rows, numbers]");
  result.events = events_of(result.summary, model);
  return result;
}

}  // namespace taut
