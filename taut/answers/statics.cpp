#include "taut/answers/statics.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "taut/answers/from_run.h"
#include "taut/base/error.h"
#include "taut/base/text/suggest.h"

namespace taut {
namespace {

int node_of(const Model& model, const std::string& word) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    if (model.nodes[i].name == word) return static_cast<int>(i);
    names.push_back(model.nodes[i].name);
  }
  throw InputError(
      {Problem{{}, "--compliance", fmt::format("there is no node \"{}\"{}", word, suggestion(word, names))}});
}

std::string coordinate_name(const Model& model, int coordinate) {
  return model.nodes[coordinate / 3].name + "." + "xyz"[coordinate % 3];
}

// Both triangles of a symmetric matrix.
EntryMatrix whole(const std::string& name, long size, const std::vector<SparseEntry>& triangle) {
  EntryMatrix matrix{name, size, size, {}};
  for (const SparseEntry& e : triangle) {
    matrix.entries.push_back(e);
    if (e.row != e.column) matrix.entries.push_back({e.column, e.row, e.value});
  }
  return matrix;
}

EntryMatrix entries_of(const std::string& name, const Eigen::MatrixXd& dense) {
  EntryMatrix matrix{name, dense.rows(), dense.cols(), {}};
  for (int i = 0; i < dense.rows(); ++i)
    for (int j = 0; j < dense.cols(); ++j)
      if (dense(i, j) != 0.0) matrix.entries.push_back({i, j, dense(i, j)});
  return matrix;
}

StaticsMatrices structure_matrices(const Model& model, const Statics& s) {
  StaticsMatrices m;
  for (int c : s.rows.coordinate_of) m.coordinates.push_back(coordinate_name(model, c));
  for (const StaticMember& member : s.rows.members) m.members.push_back(member.name);
  std::vector<SparseEntry> equilibrium = transposed(free_gradients(s.rows, s.rows.start));
  std::erase_if(equilibrium, [&](const SparseEntry& e) { return e.column >= static_cast<int>(s.rows.members.size()); });
  const auto coordinates = static_cast<long>(m.coordinates.size()), members = static_cast<long>(m.members.size());
  m.list = {{"equilibrium", coordinates, members, std::move(equilibrium)},
            whole("material_stiffness", coordinates, s.tangent.material),
            whole("geometric_stiffness", coordinates, s.tangent.geometric)};
  return m;
}

StaticsMatrices machine_matrices(const MachineStatics& s) {
  StaticsMatrices m;
  m.coordinates = s.velocities;
  for (const MachineMember& member : s.members) m.members.push_back(member.name);
  m.list = {entries_of("equilibrium", s.equilibrium.leftCols(static_cast<long>(s.members.size()))),
            entries_of("loops", s.equilibrium.rightCols(s.inner)), entries_of("stiffness", s.stiffness)};
  return m;
}

Json matrices_json(const StaticsMatrices& matrices) {
  Json object;
  object["coordinates"] = matrices.coordinates;
  object["members"] = matrices.members;
  for (const EntryMatrix& matrix : matrices.list) {
    Json& list = object[matrix.name] = Json::array();
    for (const SparseEntry& e : matrix.entries) list.push_back(Json::array({e.row, e.column, e.value}));
  }
  return object;
}

}  // namespace

const Words& force_words() {
  static const Words words = {"least-norm", "least-prestress", "bounded"};
  return words;
}

void require(const StaticsOptions& options) {
  require(rules::between(0.0, most_dependent), options.tolerance, "--tolerance");
  for (const auto& [option, force] :
       {std::pair("--min-tension", options.min_tension), std::pair("--max-tension", options.max_tension),
        std::pair("--max-compression", options.max_compression)})
    if (force) require(rules::not_negative(), *force, option);
  if (options.min_tension && options.max_tension && *options.min_tension > *options.max_tension)
    throw InputError(
        {Problem{{},
                 "--min-tension",
                 fmt::format("is {:g} N, more than --max-tension allows, {:g} N: expected no more than that",
                             *options.min_tension, *options.max_tension)}});
}

std::vector<int> compliance_nodes(const Model& model, const std::vector<std::string>& names) {
  std::vector<int> nodes;
  for (const std::string& name : names)
    if (const int node = node_of(model, name); std::find(nodes.begin(), nodes.end(), node) == nodes.end())
      nodes.push_back(node);
  return nodes;
}

StaticsAnswer answer_statics(Scenario scenario, const StaticsOptions& options, const RecordedState* from) {
  require(options);
  StaticsAnswer answer;
  answer.scenario = std::move(scenario);
  std::optional<MachinePlace> place;
  if (from && has_joints(answer.scenario.model)) {
    RecordedMachine machine = machine_at(*from);
    answer.scenario.model = std::move(machine.model);
    place = std::move(machine.place);
  } else if (from) {
    start_at(*from, answer.scenario);
  }
  if (has_joints(answer.scenario.model))
    answer.found = analyse_machine(answer.scenario.model, options, place);
  else
    answer.found = analyse_statics(answer.scenario.model, options);
  return answer;
}

StaticsMatrices matrices_of(const StaticsAnswer& answer) {
  if (const auto* structure = std::get_if<Statics>(&answer.found))
    return structure_matrices(answer.scenario.model, *structure);
  return machine_matrices(std::get<MachineStatics>(answer.found));
}

Json json_of(const StaticsAnswer& answer, bool matrices) {
  const auto* structure = std::get_if<Statics>(&answer.found);
  Json object = structure ? statics_json(answer.scenario.model, *structure)
                          : machine_statics_json(answer.scenario.model, std::get<MachineStatics>(answer.found));
  if (matrices) object["matrices"] = matrices_json(matrices_of(answer));
  return object;
}

}  // namespace taut
