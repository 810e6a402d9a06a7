#include "taut/run/recorded_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "taut/base/error.h"
#include "taut/file/write/tree.h"
#include "taut/file/write/write_toml.h"
#include "taut/formulation/multibody/system/system.h"
#include "taut/formulation/node_coordinates.h"
#include "taut/model/laws/yielding.h"
#include "taut/results/hdf5/read_hdf5.h"
#include "taut/run/engine.h"
#include "taut/run/memory_row.h"

namespace taut {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw InputError({{{file, 0, 0}, "", why}});
}

// --- Which row.

struct Wish {
  fs::path file;
  std::optional<double> time;  // s; none: the last row
};

Wish wish_of(const std::string& text) {
  Wish wish{text, std::nullopt};
  std::error_code error;
  const std::size_t at = text.rfind('@');
  if (at != std::string::npos && !fs::exists(text, error)) {
    const std::string_view time = std::string_view(text).substr(at + 1);
    double value = 0.0;
    const auto [end, problem] = std::from_chars(time.data(), time.data() + time.size(), value);
    if (problem != std::errc() || end != time.data() + time.size() || !std::isfinite(value))
      refuse(text, fmt::format("\"{}\" is not a time in seconds: expected a file and a time as in run.h5@1.25", time));
    wish = {text.substr(0, at), value};
  }
  if (fs::is_directory(wish.file, error)) wish.file /= "run.h5";
  return wish;
}

// A time counts as that of a row within this part of the distance to the next one.
constexpr double same_row = 1e-3;

std::size_t row_at(const std::string& file, const std::vector<double>& t, double time) {
  const auto after = std::lower_bound(t.begin(), t.end(), time);
  const auto nearest = after == t.begin()                    ? after
                       : after == t.end()                    ? after - 1
                       : time - *(after - 1) < *after - time ? after - 1
                                                             : after;
  const auto row = static_cast<std::size_t>(nearest - t.begin());
  const double apart = t.size() < 2 ? 0.0 : row + 1 < t.size() ? t[row + 1] - t[row] : t[row] - t[row - 1];
  if (std::abs(t[row] - time) <= std::max(same_row * apart, 1e-9 * (1.0 + std::abs(time)))) return row;
  if (after == t.begin() || after == t.end())
    refuse(file, fmt::format("has no row at t = {:.9g} s: its rows are from {:.9g} s to {:.9g} s", time, t.front(),
                             t.back()));
  refuse(file, fmt::format("has no row at t = {:.9g} s: the rows beside it are at {:.9g} s and {:.9g} s", time,
                           *(after - 1), *after));
}

// --- Whether it is the same model.

// Where the model of a run and another differ, by keys.
class ModelComparison {
 public:
  void models(const Model& run, const Model& given) {
    tables(tree_of(Scenario{run, {}}), tree_of(Scenario{given, {}}), "");
    members("bars", &Model::bars, run, given);
    members("cables", &Model::cables, run, given);
  }

  std::vector<Problem> list;  // without their file

 private:
  void tables(const Table& run, const Table& given, const std::string& under) {
    const std::string before = under.empty() ? "" : under + ".";
    for (const auto& [key, value, at] : run.items) {
      const Value* other = given.find(key);
      if (is_free(under, key)) continue;
      if (other)
        values(value, *other, before + key);
      else
        add(before + key, fmt::format("is {} in the run, and not given in the model", short_text(value)));
    }
    for (const auto& [key, value, at] : given.items)
      if (!is_free(under, key) && !run.find(key))
        add(before + key, fmt::format("is not given in the run, and {} in the model", short_text(value)));
  }

  // How a motion is computed may differ, and so may the folder in which the program of a controller runs. Bars and cables
  // are compared one by one: a file has those that are alike together.
  static bool is_free(const std::string& under, const std::string& key) {
    if (!under.empty()) return key == "folder";
    return key == "simulation" || key == "name" || key == "bars" || key == "cables";
  }

  void values(const Value& run, const Value& given, const std::string& name) {
    if (run.table() && given.table()) return tables(*run.table(), *given.table(), name);
    const List *a = run.list(), *b = given.list();
    const bool entries = a && b && !a->empty() && a->front().table();
    if (entries && a->size() != b->size())
      return add(name, fmt::format("there are {} in the run, {} in the model", a->size(), b->size()));
    for (std::size_t i = 0; entries && i < a->size(); ++i) values((*a)[i], (*b)[i], fmt::format("{}[{}]", name, i));
    if (!entries && toml_value(run) != toml_value(given))
      add(name, fmt::format("is {} in the run, {} in the model", short_text(run), short_text(given)));
  }

  template <class Member>
  void members(const char* kind, std::vector<Member> Model::*list_of, const Model& run, const Model& given) {
    const std::vector<Member>&a = run.*list_of, &b = given.*list_of;
    if (a.size() != b.size())
      return add(kind, fmt::format("there are {} in the run, {} in the model", a.size(), b.size()));
    const auto alone = [&](const Model& model, const Member& member) {
      Model one;
      one.nodes = model.nodes;
      (one.*list_of).push_back(member);
      const Table tree = tree_of(Scenario{one, {}});
      return *tree.find(kind)->list()->front().table();
    };
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(a[i] == b[i])) tables(alone(run, a[i]), alone(given, b[i]), fmt::format("{}.{}", kind, a[i].name));
  }

  static std::string short_text(const Value& value) {
    if (const List* list = value.list(); list && !list->empty() && list->front().table())
      return fmt::format("a list of {}", list->size());
    const std::string text = toml_value(value);
    return text.size() <= 60 ? text : text.substr(0, 57) + "...";
  }

  void add(const std::string& key, std::string message) { list.push_back({{}, key, std::move(message)}); }
};

// The drawn shape of a run that was settled first is that of its equilibrium.
void take_settled_shape(const Model& run, Model& model) {
  const auto take = [](double from, double& to) {
    if (std::abs(to - from) <= 1e-9 * std::abs(from)) to = from;  // lengths between other positions, rounded
  };
  if (run.nodes.size() != model.nodes.size() || run.bars.size() != model.bars.size()) return;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) model.nodes[i].position = run.nodes[i].position;
  for (std::size_t i = 0; i < model.bars.size(); ++i) {
    take(run.bars[i].inertia, model.bars[i].inertia);
    take(run.bars[i].rest_length, model.bars[i].rest_length);
  }
  // Of a machine everything is drawn anew.
  if (!has_joints(model) || run.bodies.size() != model.bodies.size() || run.joints.size() != model.joints.size() ||
      run.pulleys.size() != model.pulleys.size())
    return;
  model.bodies = run.bodies;
  model.joints = run.joints;
  model.pulleys = run.pulleys;
}

// --- The structure as it is there.

// How the nodes of a body have moved it: from x to R x + d.
struct Move {
  Mat3 turn = Mat3::Identity();
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();  // of one of its nodes

  Vec3 operator()(const Vec3& x) const { return to + turn * (x - from); }
};

// Right-handed axes: along ab, and across it towards c.
Mat3 axes_of(const Vec3& a, const Vec3& b, const Vec3& c) {
  Mat3 axes;
  axes.col(0) = (b - a).normalized();
  axes.col(1) = (c - a - (c - a).dot(axes.col(0)) * axes.col(0)).normalized();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return axes;
}

// The shortest turn of a unit vector into another.
Mat3 shortest_turn(const Vec3& from, const Vec3& to) {
  const Vec3 half = from + to;
  if (half.norm() < 1e-6) {  // half a round about any axis across
    const Vec3 axis = from.unitOrthogonal();
    return 2.0 * axis * axis.transpose() - Mat3::Identity();
  }
  // Half a round about `half`, after half a round about `from`.
  const Vec3 h = half.normalized();
  return (2.0 * h * h.transpose() - Mat3::Identity()) * (2.0 * from * from.transpose() - Mat3::Identity());
}

Move move_of(const Model& model, const Body& body, const double* x) {
  Move move;
  if (body.nodes.empty()) return move;
  const auto before = [&](int node) { return model.nodes[static_cast<std::size_t>(node)].position; };
  const auto after = [&](int node) { return Vec3(x + 4 * node); };
  const int a = body.nodes.front();
  move.from = before(a), move.to = after(a);
  // The node furthest from the first, and the one furthest from the line through both.
  const auto furthest = [&](const auto& distance) {
    return *std::max_element(body.nodes.begin(), body.nodes.end(),
                             [&](int i, int j) { return distance(before(i)) < distance(before(j)); });
  };
  const int b = furthest([&](const Vec3& p) { return (p - move.from).norm(); });
  const Vec3 line = before(b) - move.from;
  if (!(line.norm() > 0.0)) return move;
  const auto beside = [&](const Vec3& p) { return line.cross(p - move.from).norm() / line.norm(); };
  const int c = furthest(beside);
  if (beside(before(c)) > 1e-6 * line.norm())
    move.turn = axes_of(move.to, after(b), after(c)) * axes_of(move.from, before(b), before(c)).transpose();
  else
    move.turn = shortest_turn(line.normalized(), (after(b) - move.to).normalized());
  return move;
}

// A member that has kept p of its elongation, elastic about where it is.
void take_yield(CableLaw& law, double& rest, double p) {
  law.stiffness = unloading_tension(law, p + 1.0, rest, p);
  if (law.kind == LawKind::table) law.kind = LawKind::linear;
  law.by_EA = law.unloads = false;
  law.yield = law.hardening = 0.0;
  rest += p;
}

void take_members(const Dynamics& dynamics, const CableTerms& terms, Model& model) {
  const Cables& cables = dynamics.cables();
  const auto kept = [&](int slot) { return cables.yields() ? terms.permanent[static_cast<std::size_t>(slot)] : 0.0; };
  for (std::size_t i = 0; i < model.cables.size(); ++i) {
    const int slot = cables.slot_of_cable(static_cast<int>(i));
    Cable& cable = model.cables[i];
    cable.rest_length = terms.rest[static_cast<std::size_t>(slot)];
    if (const double p = kept(slot); p != 0.0) take_yield(cable.law, cable.rest_length, p);
  }
  for (std::size_t i = 0; i < model.bars.size(); ++i) {
    const int slot = cables.slot_of_bar(static_cast<int>(i));
    if (slot < 0) continue;
    Bar& bar = model.bars[i];
    bar.rest_length = terms.rest[static_cast<std::size_t>(slot)];
    if (kept(slot) == 0.0) continue;
    const double k = bar.EA / bar.rest_length;
    bar.rest_length += kept(slot);
    bar.EA = k * bar.rest_length;
    bar.yield = bar.hardening = 0.0;
  }
}

// A telescoping bar keeps the length that it has.
void freeze_driven_bars(Model& model) {
  for (const BarDrive& drive : model.bar_drives) {
    Bar& bar = model.bars[drive.bar];
    if (bar.elastic) continue;
    const double length = start_length(model, bar);
    bar.inertia *= length * length / (bar.rest_length * bar.rest_length);
    bar.rest_length = length;
  }
  model.bar_drives.clear();
}

// Nothing drives members any more, and loads stay what they are.
void freeze(const Dynamics& dynamics, const Terms& terms, Model& model) {
  take_members(dynamics, terms.cables, model);
  std::erase_if(model.loads, [&](const Load& load) { return !(terms.time >= load.from && terms.time < load.to); });
  for (Load& load : model.loads) load.from = 0.0, load.to = INFINITY;
  model.actuators.clear();
  freeze_driven_bars(model);
  model.controllers.clear();
}

// With the memory of a state; at a jump that has not been crossed yet, its left side.
Terms terms_at(const Dynamics& dynamics, const State& state) {
  const std::vector<double> jumps = dynamics.breakpoints(INFINITY);
  const auto jump = std::upper_bound(jumps.begin(), jumps.end(), state.memory.crossed);
  Terms terms = dynamics.make_terms();
  dynamics.recall(state, terms);
  if (jump != jumps.end() && *jump <= state.t) terms.segment_end = state.t;
  return terms;
}

bool is_steered(const Model& model, int joint) {
  return std::any_of(model.controllers.begin(), model.controllers.end(), [&](const ControllerSpec& spec) {
    return std::any_of(spec.steer.inputs.begin(), spec.steer.inputs.end(),
                       [&](const ControlInput& input) { return input.joint == joint; });
  });
}

// Torques as drives that stay what they are: of actuators and of controllers.
void take_torques(const Dynamics& dynamics, Terms& terms, Model& model) {
  const JointSide& joints = *dynamics.formulation().joints();
  const multibody::SystemTerms& at = joints.load(terms);
  const std::vector<JointDrive> given = model.drives;
  std::erase_if(model.drives, [](const JointDrive& drive) { return !drive.imposed; });
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const JointIndices where = joints.joint_indices(j);
    const bool steered = is_steered(dynamics.model(), j);
    for (int k = 0; k < joint_velocities(model.joints[j].type); ++k) {
      const auto drive = std::find_if(given.begin(), given.end(), [&](const JointDrive& d) {
        return d.joint == j && d.coordinate == k && !d.imposed;
      });
      JointDrive still{j, k, false, {}, {}};
      if (drive != given.end()) still = *drive;
      const bool in_tree = where.v >= 0 && !where.imposed;
      const double torque = in_tree ? at.applied[where.v + k] : value(still.signal, terms.time);
      if (drive == given.end() && !(in_tree && (steered || torque != 0.0))) continue;
      still.signal = Signal{};
      still.signal.value = torque;
      model.drives.push_back(still);
    }
  }
}

}  // namespace

namespace {

RecordedState recorded_in(const Run& run, const std::string& file, std::optional<double> time) {
  if (run.rows() == 0) refuse(file, "holds no rows to go on from");
  if (run.columns.memory.empty())
    refuse(file, "holds no states to go on from: a taut before version 0.2 wrote it; compute the run again");
  return {file, run.scenario, run.summary.formulation, run.summary.integrator,
          row_of(run, time ? row_at(file, run.t, *time) : run.rows() - 1)};
}

}  // namespace

RecordedState read_recorded_state(const std::string& text) {
  const Wish wish = wish_of(text);
  return recorded_in(read_run(wish.file, {"nodes", "velocities", "coordinates", "memory"}), wish.file.string(),
                     wish.time);
}

RecordedState recorded_state(const Run& run, std::optional<double> time) { return recorded_in(run, "the run", time); }

void require_same_model(const RecordedState& recorded, const Model& model) {
  constexpr std::size_t most_named = 8;
  const Scenario& run = recorded.scenario;
  Model given = model;
  if (run.simulation.settle) take_settled_shape(run.model, given);
  if (run.model == given) return;
  ModelComparison comparison;
  comparison.models(run.model, given);
  std::vector<Problem>& problems = comparison.list;
  if (problems.empty()) return;
  const std::size_t count = problems.size();
  problems.resize(std::min(count, most_named));
  if (count > most_named) problems.push_back({{}, "", fmt::format("{} more keys differ", count - most_named)});
  problems.push_back({{}, "", "is a run of another model: expected one of the same"});
  for (Problem& problem : problems) problem.place.file = recorded.file;
  throw InputError(problems);
}

State state_of(const RecordedState& recorded, const Dynamics& dynamics, const State& start,
               std::string_view integrator) {
  const FormulationFacts& facts = dynamics.formulation().facts();
  if (facts.name != recorded.formulation)
    refuse(recorded.file, fmt::format("was computed in formulation {0}, and its coordinates are not those of {1}: add "
                                      "--formulation {0}, or formulation = \"{0}\" under [simulation]",
                                      recorded.formulation, facts.name));
  std::vector<double> numbers = recorded.row.coordinates;
  if (nodes_are_coordinates(dynamics.formulation())) {
    numbers = recorded.row.nodes;
    numbers.insert(numbers.end(), recorded.row.velocities.begin(), recorded.row.velocities.end());
  }
  const auto expected = static_cast<std::size_t>(facts.nq + facts.nv);
  if (numbers.size() != expected)
    refuse(recorded.file, fmt::format("has {} coordinates, {} were expected", numbers.size(), expected));
  State state = start;
  state.t = recorded.row.t;
  std::copy(numbers.begin(), numbers.end(), state.y.data());
  const std::string why = take_memory(dynamics, recorded.row.memory, state);
  if (!why.empty() || !state.y.allFinite())
    refuse(recorded.file, why.empty() ? "its coordinates are not finite numbers" : why);
  if (integrator != recorded.integrator) {
    state.memory.next_step = 0.0;
    state.memory.slack = 0;
    state.memory.taut.clear();
    state.memory.stretched.clear();
  }
  return state;
}

State state_of(const RecordedState& recorded) {
  Engine engine(recorded.scenario, recorded.formulation);
  engine.start();
  return state_of(recorded, engine.dynamics(), engine.state);
}

Model model_at(const Dynamics& dynamics, const State& state) {
  Terms terms = terms_at(dynamics, state);
  dynamics.forces(state.t, state.q(), state.v(), terms);

  Model model = dynamics.model();
  for (Body& body : model.bodies) {
    const Move move = move_of(model, body, terms.x.data());
    body.centre = move(body.centre);
    body.inertia = move.turn * body.inertia * move.turn.transpose();
    body.velocity.reset();
    body.angular_velocity.reset();
  }
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    model.nodes[i].position = Vec3(terms.x.data() + 4 * i);
    model.nodes[i].velocity = Vec3(terms.xd.data() + 4 * i);
  }
  freeze(dynamics, terms, model);
  return model;
}

Model model_at(const RecordedState& recorded) {
  const RunSettings& asked = recorded.scenario.simulation;
  const Dynamics dynamics(recorded.scenario.model, recorded.formulation, asked.constraints);
  return model_at(dynamics, state_of(recorded));
}

RecordedMachine machine_at(const RecordedState& recorded) {
  Engine engine(recorded.scenario, recorded.formulation);
  engine.start();
  const Dynamics& dynamics = engine.dynamics();
  State state = state_of(recorded, dynamics, engine.state);
  Terms terms = terms_at(dynamics, state);
  engine.controllers().rule(terms);
  Eigen::VectorXd rates(dynamics.size());
  dynamics.rhs(state.t, state.y.data(), rates.data(), terms);
  RecordedMachine machine{dynamics.model(), {Eigen::VectorXd::Map(state.q(), state.nq), terms.time}};
  freeze(dynamics, terms, machine.model);
  take_torques(dynamics, terms, machine.model);
  return machine;
}

}  // namespace taut
