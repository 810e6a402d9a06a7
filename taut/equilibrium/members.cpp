#include "taut/equilibrium/members.h"

#include <fmt/format.h>

#include <algorithm>

#include "taut/base/error.h"
#include "taut/base/text/text.h"
#include "taut/equilibrium/static_forces.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/solve/dense.h"

namespace taut {

const std::string& member_name(const Model& model, int member) {
  return is_cable(model, member) ? model.cables[member].name : model.bars[member - model.cables.size()].name;
}

bool must_pull(const Model& model, int member) {
  return is_cable(model, member) && model.cables[member].law.kind != LawKind::spring;
}

std::vector<int> member_path(const Model& model, int member) {
  if (is_cable(model, member)) return model.cables[member].path;
  const Bar& bar = model.bars[member - model.cables.size()];
  return {bar.a, bar.b};
}

MemberPieces member_pieces(const Model& model) {
  MemberPieces pieces;
  for (int m = 0; m < member_count(model); ++m) {
    const std::vector<int> path = member_path(model, m);
    for (std::size_t k = 0; k + 1 < path.size(); ++k) {
      pieces.ends.emplace_back(path[k], path[k + 1]);
      pieces.member.push_back(m);
    }
  }
  return pieces;
}

void require_nodes_and_members(const Model& model, const char* method) {
  require_structure(model);
  const auto refuse = [&](const auto& entity, const std::string& what) {
    throw InputError(entity.place, entity.name,
                     fmt::format("{}: {}, which the method cannot hold, since it chooses where every node is; expected "
                                 "nodes, bars and cables alone, or --method relax, newton or prestress",
                                 method, what));
  };
  for (const Body& body : model.bodies) refuse(body, fmt::format("body \"{}\" keeps its own shape", body.name));
  for (const Bar& bar : model.bars)
    if (!bar.attached.empty()) refuse(bar, fmt::format("bar \"{}\" keeps the nodes that ride on it", bar.name));
  for (const Constraint& c : model.constraints) refuse(c, "a linear constraint ties nodes to each other");
  require_no_ground(model, method);
}

void require_soft_ground(const Model& model) {
  if (model.ground && model.ground->law == PressKind::rigid)
    throw InputError(
        "environment.ground.law: rigid has no stiffness, so equilibria, modes and linear models know nothing of it; "
        "expected linear, smooth or hunt_crossley (and rigid for runs), or no ground");
}

void require_no_ground(const Model& model, const char* method) {
  require_structure(model);
  if (model.ground)
    throw InputError(fmt::format(
        "{}: the force of the ground depends on how deep nodes are, which is not known before the shape; fix the nodes "
        "that stand on it and leave out environment.ground, or take --method relax or newton",
        method));
}

Eigen::VectorXd positions(const Model& model) {
  Eigen::VectorXd x(3 * static_cast<long>(model.nodes.size()));
  for (std::size_t i = 0; i < model.nodes.size(); ++i) x.segment<3>(3 * static_cast<long>(i)) = model.nodes[i].position;
  return x;
}

double member_length(const Model& model, int member, const Eigen::VectorXd& x) {
  const std::vector<int> path = member_path(model, member);
  double sum = 0.0;
  for (std::size_t k = 0; k + 1 < path.size(); ++k)
    sum += (x.segment<3>(3 * path[k + 1]) - x.segment<3>(3 * path[k])).norm();
  return sum;
}

double mean_member_length(const Model& model, const Eigen::VectorXd& x) {
  double sum = 0.0;
  for (int m = 0; m < member_count(model); ++m) sum += member_length(model, m, x);
  return sum / std::max(1, member_count(model));
}

double mean_piece_length(const Model& model, const Eigen::VectorXd& x) {
  double sum = 0.0;
  int count = 0;
  const auto piece = [&](int a, int b) { sum += (x.segment<3>(3 * b) - x.segment<3>(3 * a)).norm(), ++count; };
  for (const Bar& bar : model.bars) piece(bar.a, bar.b);
  for (const Cable& cable : model.cables)
    for (std::size_t k = 0; k + 1 < cable.path.size(); ++k) piece(cable.path[k], cable.path[k + 1]);
  return count > 0 ? sum / count : 0.0;
}

std::string shrunk_members(const Model& model, const Eigen::VectorXd& start, const Eigen::VectorXd& x) {
  const double length = mean_member_length(model, start);
  std::vector<int> gone;
  for (int m = 0; m < member_count(model); ++m)
    if (member_length(model, m, start) > no_length * length && !(member_length(model, m, x) > no_length * length))
      gone.push_back(m);
  if (gone.empty()) return {};
  return fmt::format("the shape collapses: {} shrink{} to nothing", list_names(model, gone),
                     gone.size() == 1 ? "s" : "");
}

std::string drawn_together(const Model& model, const Eigen::VectorXd& x) {
  const auto distance = [&](int a, int b) { return (x.segment<3>(3 * b) - x.segment<3>(3 * a)).norm(); };
  for (const Cable& cable : model.cables) {
    double length = 0.0;
    for (std::size_t k = 0; k + 1 < cable.path.size(); ++k) length += distance(cable.path[k], cable.path[k + 1]);
    for (std::size_t k = 0; cable.path.size() > 2 && k + 1 < cable.path.size(); ++k)
      if (const int a = cable.path[k], b = cable.path[k + 1]; distance(a, b) < 0.02 * length)
        return fmt::format(": nodes \"{}\" and \"{}\" of cable \"{}\" run into each other", model.nodes[a].name,
                           model.nodes[b].name, cable.name);
  }
  return {};
}

int dimension(const Eigen::VectorXd& x) { return dimension(x, flat_shape); }

int dimension(const Eigen::VectorXd& x, double flat) {
  const long n = x.size() / 3;
  Vec3 centre = Vec3::Zero();
  for (long i = 0; i < n; ++i) centre += x.segment<3>(3 * i) / static_cast<double>(n);
  Mat3 spread = Mat3::Zero();
  for (long i = 0; i < n; ++i) spread += (x.segment<3>(3 * i) - centre) * (x.segment<3>(3 * i) - centre).transpose();
  const Vec3 values = principal_values(spread);
  int count = 0;
  for (double value : values) count += value > flat * flat * values[2];
  return values[2] > 0.0 ? count : 0;
}

std::string list_names(const Model& model, const std::vector<int>& members) {
  std::vector<std::string> names;
  for (const int member : members) names.push_back(fmt::format("\"{}\"", member_name(model, member)));
  return listed(names, 8);
}

std::vector<Vec3> external_forces(const Model& model, std::string& note) {
  std::vector<Vec3> external = StaticForces(model).external();
  const bool held = std::any_of(model.nodes.begin(), model.nodes.end(), [](const Node& node) {
    return node.fixed != Axes{false, false, false};
  });
  if (held) return external;
  for (const Load& load : model.loads)
    if (load.from <= 0.0 && load.to > 0.0 && load.force != Vec3::Zero())
      throw InputError(
          load.place, "",
          fmt::format(
              "the load on node \"{}\" acts on a structure that nothing holds: a state of self-stress carries no "
              "load; fix nodes, or leave the loads out",
              model.nodes[load.node].name));
  for (Vec3& force : external) {
    if (force != Vec3::Zero())
      note = "its weight is left out: nothing holds it, and it falls as it is; environment.gravity = [0, 0, 0] says so";
    force.setZero();
  }
  return external;
}

}  // namespace taut
