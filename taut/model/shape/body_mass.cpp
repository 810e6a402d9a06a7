#include "taut/model/shape/body_mass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "taut/model/shape/affine_base.h"
#include "taut/solve/dense.h"

namespace taut {

namespace {

constexpr double well_apart = 0.02;  // heights of a base, as a part of the body's size
constexpr double reach = 0.1;        // of an appended node, at least
constexpr double flat = 1e-8;        // a second moment this small beside m size² counts as zero

// Whether the whole structure moves in the plane across an axis.
bool planar(const Model& model, int axis) {
  const auto held = [&](const Node& node) { return node.fixed[axis]; };
  const auto movable = [](const Node& node) { return node.fixed != Axes{true, true, true}; };
  return std::all_of(model.nodes.begin(), model.nodes.end(), held) &&
         std::any_of(model.nodes.begin(), model.nodes.end(), movable);
}

// Whether nothing of a body moves along an axis: all its nodes are held along it, and it cannot roll about a line
// through them.
bool held_along(const Model& model, const Body& body, int axis) {
  if (!std::all_of(body.nodes.begin(), body.nodes.end(), [&](int i) { return model.nodes[i].fixed[axis]; }))
    return false;
  std::vector<Vec3> across;
  std::vector<int> order;
  for (int node : body.nodes) {
    order.push_back(static_cast<int>(across.size()));
    across.push_back(model.nodes[node].position);
    across.back()[axis] = 0.0;
  }
  return spanning(across, order, body_flatness * extent(across, order)).size() == 3 || planar(model, axis);
}

// A body as it can move: positions from its centre without the axes along which it is held.
struct Moving {
  Axes held;
  std::vector<Vec3> at;    // of its nodes
  std::vector<int> nodes;  // 0, 1, ...
  Mat3 second;             // S
  double gyration = 0.0;   // m
  double size = 0.0;       // m, of nodes and mass
  Mat3 directions;         // of S, ascending
  int dimensions = 0;      // of the mass: the last ones of these

  explicit Moving(const Model& model, const Body& body) {
    for (int axis = 0; axis < 3; ++axis) held[axis] = held_along(model, body, axis);
    const Vec3 keep(!held[0], !held[1], !held[2]);
    second = keep.asDiagonal() * second_moments(body.inertia) * keep.asDiagonal();
    gyration = std::sqrt(std::max(0.0, second.trace() / body.mass));
    size = gyration;
    for (int node : body.nodes) {
      at.push_back(keep.cwiseProduct(model.nodes[node].position - body.centre));
      size = std::max(size, at.back().norm());
    }
    nodes.resize(at.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    const PrincipalAxes principal = principal_axes(second);
    directions = principal.axes;
    for (double moment : principal.values) dimensions += moment > flat * body.mass * size * size;
  }

  // The part of a vector across the mass: what its plane or its line does not hold.
  Vec3 across(Vec3 r) const {
    for (int k = 3 - dimensions; k < 3; ++k) r -= directions.col(k).dot(r) * directions.col(k);
    return r;
  }
};

bool sound(const Model& model, const Body& body) {
  const auto in_range = [&](int i) {
    return i >= 0 && i < static_cast<int>(model.nodes.size()) && model.nodes[i].position.allFinite();
  };
  return !body.nodes.empty() && std::all_of(body.nodes.begin(), body.nodes.end(), in_range) && body.mass > 0.0 &&
         std::isfinite(body.mass) && body.centre.allFinite() && body.inertia.allFinite();
}

// The direction in which the next node goes: of the mass, across the span of the base, away from it.
Vec3 missing_direction(const Moving& body, const std::vector<int>& base) {
  std::vector<Vec3> axes;
  const auto across = [&](Vec3 r) {
    for (const Vec3& axis : axes) r -= axis.dot(r) * axis;
    return r;
  };
  for (std::size_t i = 1; i < base.size(); ++i)
    axes.push_back(across(body.at[base[i]] - body.at[base[0]]).normalized());
  Vec3 best = Vec3::Zero();
  for (int k = 2; k >= 3 - body.dimensions; --k)
    if (const Vec3 d = across(body.directions.col(k)); d.norm() > best.norm() + 1e-9) best = d;
  best.normalize();
  // Away from the span of the nodes; up where that is through the centre.
  const double side = -best.dot(body.at[base[0]]);
  Eigen::Index largest = 0;
  best.cwiseAbs().maxCoeff(&largest);
  return (std::abs(side) > 1e-9 * body.size ? side : best[largest]) < 0.0 ? Vec3(-best) : best;
}

// What the body lacks; `still`: their velocities are found otherwise.
std::vector<Node> missing_nodes(const Model& model, const Body& body, bool still) {
  std::vector<Node> result;
  if (!sound(model, body)) return result;
  Moving moving(model, body);
  const double radius = std::max(moving.gyration, reach * moving.size);
  std::vector<int> base = spanning(moving.at, moving.nodes, well_apart * moving.size);
  while (static_cast<int>(base.size()) <= moving.dimensions) {
    const Vec3 local = radius * missing_direction(moving, base);
    Node node;
    node.fixed = moving.held;
    node.contact = false;
    for (int axis = 0; axis < 3; ++axis)
      node.position[axis] =
          moving.held[axis] ? model.nodes[body.nodes[0]].position[axis] : body.centre[axis] + local[axis];
    if (!still) node.velocity = nearest_rigid_velocity(model, body.nodes, node.position).velocity;
    for (int axis = 0; axis < 3; ++axis)
      if (node.fixed[axis]) node.velocity[axis] = 0.0;
    base.push_back(static_cast<int>(moving.at.size()));
    moving.at.push_back(local);
    result.push_back(std::move(node));
  }
  return result;
}

}  // namespace

Mat3 second_moments(const Mat3& inertia) { return 0.5 * inertia.trace() * Mat3::Identity() - inertia; }

Body as_body(const Model& model, const Bar& bar) {
  Body body;
  body.name = bar.name;
  body.nodes = {bar.a, bar.b};
  body.nodes.insert(body.nodes.end(), bar.attached.begin(), bar.attached.end());
  body.mass = bar.mass;
  const Vec3 a = model.nodes[bar.a].position, b = model.nodes[bar.b].position, u = (b - a).normalized();
  body.centre = (1.0 - bar.com) * a + bar.com * b;
  body.inertia = bar.inertia * Mat3::Identity() + (bar.axial_inertia - bar.inertia) * u * u.transpose();
  return body;
}

std::vector<Body> rigid_bodies(const Model& model) {
  std::vector<Body> bodies = model.bodies;
  for (const Bar& bar : model.bars)
    if (!bar.attached.empty()) bodies.push_back(as_body(model, bar));
  return bodies;
}

BodyMass body_mass(const Model& model, const Body& body) {
  if (body.nodes.empty()) return {};  // in machines
  const Moving moving(model, body);
  const std::vector<int> base = spanning(moving.at, moving.nodes, body_flatness * moving.size);
  const double unit = moving.size > 0.0 ? moving.size : 1.0;
  const int k = static_cast<int>(base.size());
  Eigen::MatrixXd P(4, k);
  for (int i = 0; i < k; ++i) P.col(i) << 1.0, moving.at[base[i]] / unit;
  Eigen::Matrix4d J = Eigen::Matrix4d::Zero();
  J(0, 0) = body.mass;
  J.bottomRightCorner<3, 3>() = moving.second / (unit * unit);
  LeastSquares span;
  span.compute(P);
  const Eigen::MatrixXd inverse = span.pseudo_inverse();
  BodyMass result;
  const Eigen::MatrixXd M = inverse * J * inverse.transpose();
  result.mass = 0.5 * (M + M.transpose());
  result.share = result.mass.rowwise().sum();
  for (int i : base) result.base.push_back(body.nodes[i]);
  for (int i : moving.nodes) {
    if (std::find(base.begin(), base.end(), i) != base.end()) continue;
    const std::vector<double> beta = affine_weights(moving.at, base, moving.at[i]);
    result.others.push_back(body.nodes[i]);
    result.beta.push_back(Eigen::Map<const Eigen::VectorXd>(beta.data(), k));
  }
  return result;
}

std::string body_problem(const Model& model, const Body& body) {
  const Moving moving(model, body);
  for (std::size_t i = 0; i < moving.at.size(); ++i) {
    const double off = moving.across(moving.at[i]).norm();
    if (!(off > body_flatness * moving.size)) continue;
    const char* mass[] = {"has its mass in one point", "has its mass on a line", "has its mass in a plane"};
    return fmt::format("{}, and node \"{}\" is {:.3g} m off it: nothing says how it turns there",
                       mass[moving.dimensions], model.nodes[body.nodes[i]].name, off);
  }
  const auto base = spanning(moving.at, moving.nodes, body_flatness * moving.size);
  if (static_cast<int>(base.size()) > moving.dimensions) return {};
  return fmt::format("needs {} nodes more to span its mass", moving.dimensions + 1 - static_cast<int>(base.size()));
}

RigidVelocity nearest_rigid_velocity(const Model& model, const std::vector<int>& nodes, const Vec3& point) {
  Vec3 middle = Vec3::Zero(), mean = Vec3::Zero(), turn = Vec3::Zero(), omega = Vec3::Zero();
  for (int i : nodes) middle += model.nodes[i].position, mean += model.nodes[i].velocity;
  const double count = static_cast<double>(nodes.size());
  middle /= count, mean /= count;
  Mat3 inertia = Mat3::Zero();
  for (int i : nodes) {
    const Vec3 r = model.nodes[i].position - middle;
    inertia += r.squaredNorm() * Mat3::Identity() - r * r.transpose();
    turn += r.cross(model.nodes[i].velocity);
  }
  const auto [moments, axes] = principal_axes(inertia);
  for (int k = 0; k < 3; ++k)
    if (const double moment = moments[k]; moment > 1e-9 * inertia.trace())
      omega += axes.col(k).dot(turn) / moment * axes.col(k);
  return {omega, mean + omega.cross(point - middle)};
}

void move_body_nodes(Model& model) {
  for (const Body& body : model.bodies) {
    if (!body.velocity && !body.angular_velocity) continue;
    const Vec3 v = body.velocity.value_or(Vec3::Zero()), w = body.angular_velocity.value_or(Vec3::Zero());
    for (int i : body.nodes) {
      Node& node = model.nodes[i];
      node.velocity = v + w.cross(node.position - body.centre);
      for (int axis = 0; axis < 3; ++axis)
        if (node.fixed[axis]) node.velocity[axis] = 0.0;
    }
  }
}

void add_body_nodes(Model& model) {
  std::unordered_set<std::string> names;
  const auto append = [&](const auto& owner, std::vector<Node> nodes, std::vector<int>& list) {
    if (nodes.empty()) return;
    if (names.empty())
      for (const Node& node : model.nodes) names.insert(node.name);
    int number = 1;
    for (Node& node : nodes) {
      do node.name = fmt::format("{}.{}", owner.name, number++);
      while (!names.insert(node.name).second);
      node.place = owner.place;
      list.push_back(static_cast<int>(model.nodes.size()));
      model.nodes.push_back(std::move(node));
    }
  };
  // Twice: bodies that are given no motion are carried along by the nodes that they share with those that are.
  move_body_nodes(model);
  for (Body& body : model.bodies) append(body, missing_nodes(model, body, false), body.nodes);
  move_body_nodes(model);
  for (Body& body : model.bodies) body.velocity.reset(), body.angular_velocity.reset();
  for (Bar& bar : model.bars) {
    if (bar.attached.empty() || bar.elastic || bar.a == bar.b) continue;
    const int count = static_cast<int>(model.nodes.size());
    const auto out = [&](int i) { return i < 0 || i >= count; };
    if (out(bar.a) || out(bar.b) || std::any_of(bar.attached.begin(), bar.attached.end(), out)) continue;
    // The ends and the spin of the bar say how its nodes move, unless they say so themselves.
    const bool still = std::all_of(bar.attached.begin(), bar.attached.end(),
                                   [&](int i) { return model.nodes[i].velocity == Vec3::Zero(); });
    append(bar, missing_nodes(model, as_body(model, bar), still), bar.attached);
  }
}

}  // namespace taut
