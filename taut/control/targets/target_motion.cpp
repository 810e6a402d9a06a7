#include "taut/control/targets/target_motion.h"

#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/control/targets/jet.h"
#include "taut/formulation/node_arrays.h"
#include "taut/model/control_names.h"
#include "taut/model/shape/frame_pose.h"

namespace taut {

namespace {

constexpr const char *metres = "m/s²", *radians = "rad/s²";

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw InputError(fmt::format("target {}: {}", what, why));
}

// The pose of a frame on three moving points; C_base⁻¹ C.
struct JetPose {
  Jet3 origin, x, y, z;
};

JetPose pose_of(const Jet3& a, const Jet3& b, const Jet3& c) {
  JetPose pose;
  pose.origin = (1.0 / 3.0) * (a + b + c);
  const Jet3 to_a = a - pose.origin, normal = cross(to_a, b - pose.origin);
  pose.x = to_a / norm(to_a);
  pose.z = normal / norm(normal);
  pose.y = cross(pose.z, pose.x);
  return pose;
}

JetPose relative(const JetPose& base, const JetPose& pose) {
  const auto seen = [&](const Jet3& d) { return Jet3(dot(base.x, d), dot(base.y, d), dot(base.z, d)); };
  return {seen(pose.origin - base.origin), seen(pose.x), seen(pose.y), seen(pose.z)};
}

Jet column_of(const JetPose& p, int column) {
  switch (column) {
    case 3:
      return atan2(p.x[1], p.x[0]);
    case 4:
      return atan2(-p.x[2], sqrt(p.x[0] * p.x[0] + p.x[1] * p.x[1]));
    case 5:
      return atan2(p.y[2], p.z[2]);
    default:
      return p.origin[column];
  }
}

}  // namespace

TargetMotion::TargetMotion(const Dynamics& dynamics, std::vector<ControlTarget> targets)
    : dynamics_(&dynamics), targets_(std::move(targets)), sums_(targets_.size()) {
  for (const ControlTarget& target : targets_) check(target);
  value_.setZero(size());
  rate_.setZero(size());
}

void TargetMotion::check(const ControlTarget& target) {
  const Model& model = dynamics_->model();
  const JointSide* joints = dynamics_->formulation().joints();
  TargetTerms& sum = sums_[names_.size()];
  const auto named = [&](const auto& list, const char* kind) -> const auto& {
    if (target.index < 0 || target.index >= std::ssize(list))
      refuse(fmt::format("{} {}", kind, target.index + 1), fmt::format("the model has {} of these", list.size()));
    return list[static_cast<std::size_t>(target.index)];
  };
  const auto column = [&](const std::string& owner, int columns) {
    if (target.column < 0 || target.column >= columns)
      refuse(fmt::format("{}, number {}", owner, target.column + 1), fmt::format("it has {} numbers", columns));
  };
  const char* unit = metres;
  switch (target.kind) {
    case ControlTarget::Kind::node: {
      const Node& node = named(model.nodes, "node");
      column(node.name, 3);
      names_.push_back(target_name(model, target));
      sum.nodes = {{target.index, Vec3::Unit(target.column)}};
      break;
    }
    case ControlTarget::Kind::frame: {
      const Frame& frame = named(model.frames, "frame");
      column(frame.name, frame_columns);
      names_.push_back(target_name(model, target));
      if (target.column >= 3) unit = radians;
      for (const int node : frame.nodes) sum.nodes.push_back({node, Vec3::Zero()});
      if (frame.relative_to >= 0)
        for (const int node : model.frames[static_cast<std::size_t>(frame.relative_to)].nodes)
          sum.nodes.push_back({node, Vec3::Zero()});
      break;
    }
    case ControlTarget::Kind::cable: {
      const Cable& cable = named(model.cables, "cable");
      column(cable.name, 2);
      names_.push_back(target_name(model, target));
      if (target.column == 0) refuse(names_.back(), "a tension has no acceleration; bound it instead");
      for (const int node : cable.path) sum.nodes.push_back({node, Vec3::Zero()});
      break;
    }
    case ControlTarget::Kind::joint: {
      const JointSpec& joint = named(model.joints, "joint");
      if (!plain_coordinates(joint.type))
        refuse(joint.name, fmt::format("the coordinates of a {} joint cannot be steered one by one; expected a "
                                       "node or a frame on what it moves",
                                       name(joint.type)));
      column(joint.name, joint_velocities(joint.type));
      add_coordinate(target, joint.name, joints->joint_indices(target.index), sum);
      if (joint.type == JointType::revolute || joint.type == JointType::universal ||
          (joint.type == JointType::planar && target.column == 2))
        unit = radians;
      break;
    }
    case ControlTarget::Kind::pulley: {
      const PulleySpec& pulley = named(model.pulleys, "pulley");
      const JointIndices at = joints->pulley_indices(target.index);
      const int coordinates = at.velocities;
      column(pulley.name, coordinates + 2);
      if (target.column == coordinates + 1)
        refuse(pulley.name + ".tension", "a tension has no acceleration; bound it instead");
      if (target.column < coordinates) {
        add_coordinate(target, pulley.name, at, sum);
        const int turns = pulley.node < 0 ? 2 : 1;
        if (target.column < turns)
          unit = radians;
        else if (pulley.variant == PulleyVariant::epsilon)
          unit = "1/s²";
      } else {
        names_.push_back(target_name(model, target));
        sum.is_length = true;
        for (int i = 0; i < coordinates; ++i) sum.velocities.push_back({at.v + i, 0.0});
      }
      break;
    }
  }
  units_.push_back(unit);
}

void TargetMotion::add_coordinate(const ControlTarget& target, const std::string& owner, const JointIndices& at,
                                  TargetTerms& sum) {
  if (at.v < 0)
    refuse(owner,
           "it closes a loop, and its coordinates are not among those of the motion; expected a joint of the "
           "tree (role = \"tree\")");
  names_.push_back(target_name(dynamics_->model(), target));
  if (at.imposed) refuse(names_.back(), "the model imposes the motion of this joint");
  sum.velocities = {{at.v + target.column, 1.0}};
  sum.coordinate = at.q + target.column;
}

std::string TargetMotion::place(const double* q, const double* v, const Terms& terms) {
  const Model& model = dynamics_->model();
  for (int i = 0; i < size(); ++i) {
    const ControlTarget& target = targets_[static_cast<std::size_t>(i)];
    TargetTerms& sum = sums_[static_cast<std::size_t>(i)];
    bool placed = true;
    switch (target.kind) {
      case ControlTarget::Kind::node:
        value_[i] = at3(terms.x.data(), target.index)[target.column];
        rate_[i] = at3(terms.xd.data(), target.index)[target.column];
        break;
      case ControlTarget::Kind::frame:
        placed = place_frame_target(model.frames[static_cast<std::size_t>(target.index)], target.column, terms, i);
        break;
      case ControlTarget::Kind::cable:
        placed = place_cable(model.cables[static_cast<std::size_t>(target.index)], terms, i);
        break;
      case ControlTarget::Kind::joint:
      case ControlTarget::Kind::pulley: {
        if (sum.is_length) {
          place_pulley_length(q, v, i);
          break;
        }
        value_[i] = q[sum.coordinate];
        rate_[i] = v[sum.velocities.front().velocity];
        break;
      }
    }
    if (!placed || !std::isfinite(value_[i]) || !std::isfinite(rate_[i]) || !std::isfinite(sum.drift))
      return fmt::format("{} is not defined here: {}", names_[static_cast<std::size_t>(i)],
                         target.kind == ControlTarget::Kind::frame
                             ? "the nodes of its frame lie in one line, or its pitch is 90°"
                             : "nodes coincide, or the state is not finite");
  }
  return "";
}

bool TargetMotion::place_frame_target(const Frame& frame, int column, const Terms& terms, int target) {
  TargetTerms& sum = sums_[static_cast<std::size_t>(target)];
  const auto at = [&](std::size_t k) { return at3(terms.x.data(), sum.nodes[k].node); };
  const auto corners = [&](std::size_t first) {
    Pose unused;
    return place_frame(at(first), at(first + 1), at(first + 2), unused);
  };
  if (!corners(0) || (frame.relative_to >= 0 && !corners(3))) return false;
  // The column with these velocities of the nodes.
  const auto moved = [&](const auto& velocity) {
    const auto pose = [&](std::size_t first) {
      const auto jet = [&](std::size_t k) { return Jet3(at(k), velocity(k), Vec3::Zero()); };
      return pose_of(jet(first), jet(first + 1), jet(first + 2));
    };
    return frame.relative_to < 0 ? pose(0) : relative(pose(3), pose(0));
  };
  const JetPose now = moved([&](std::size_t k) { return at3(terms.xd.data(), sum.nodes[k].node); });
  if (column >= 3 && !(std::hypot(now.x[0].value, now.x[1].value) > locked_pitch)) return false;
  const Jet y = column_of(now, column);
  value_[target] = y.value;
  rate_[target] = y.rate;
  sum.drift = y.second;
  for (std::size_t k = 0; k < sum.nodes.size(); ++k)
    for (int axis = 0; axis < 3; ++axis)
      sum.nodes[k].by[axis] =
          column_of(moved([&](std::size_t n) { return n == k ? Vec3(Vec3::Unit(axis)) : Vec3(Vec3::Zero()); }), column)
              .rate;
  return true;
}

// l = Σ |d|: along each piece l̇ = u·ḋ, l̈ = u·d̈ + (|ḋ|² - l̇²)/|d|.
bool TargetMotion::place_cable(const Cable& cable, const Terms& terms, int target) {
  TargetTerms& sum = sums_[static_cast<std::size_t>(target)];
  for (OfNode& node : sum.nodes) node.by.setZero();
  value_[target] = rate_[target] = sum.drift = 0.0;
  for (std::size_t k = 0; k + 1 < cable.path.size(); ++k) {
    const Vec3 d = at3(terms.x.data(), cable.path[k + 1]) - at3(terms.x.data(), cable.path[k]),
               d_rate = at3(terms.xd.data(), cable.path[k + 1]) - at3(terms.xd.data(), cable.path[k]);
    const double length = d.norm();
    if (!(length > 0.0)) return false;
    const Vec3 u = d / length;
    const double along = u.dot(d_rate);
    value_[target] += length;
    rate_[target] += along;
    sum.drift += (d_rate - along * u).squaredNorm() / length;
    sum.nodes[k].by -= u;
    sum.nodes[k + 1].by += u;
  }
  return true;
}

void TargetMotion::place_pulley_length(const double* q, const double* v, int target) {
  TargetTerms& sum = sums_[static_cast<std::size_t>(target)];
  const int pulley = targets_[static_cast<std::size_t>(target)].index;
  const JointCableLength length = dynamics_->formulation().joints()->cable_length(pulley, q, v);
  value_[target] = length.value;
  sum.drift = length.drift;
  rate_[target] = 0.0;
  for (std::size_t i = 0; i < sum.velocities.size(); ++i) {
    sum.velocities[i].by = length.by[i];
    rate_[target] += length.by[i] * v[sum.velocities[i].velocity];
  }
}

void TargetMotion::accelerations(const double* nodes, const double* v_rate, Eigen::VectorXd& out) const {
  out.resize(size());
  for (int i = 0; i < size(); ++i) {
    const TargetTerms& sum = sums_[static_cast<std::size_t>(i)];
    out[i] = sum.drift;
    for (const OfNode& g : sum.nodes) out[i] += g.by.dot(Vec3(nodes + 4 * g.node));
    for (const OfVelocity& c : sum.velocities) out[i] += c.by * v_rate[c.velocity];
  }
}

double TargetMotion::reach(int target, double node, double v_rate) const {
  const TargetTerms& sum = sums_[static_cast<std::size_t>(target)];
  double most = 0.0;
  for (const OfNode& g : sum.nodes) most += node * g.by.lpNorm<1>();
  for (const OfVelocity& c : sum.velocities) most += v_rate * std::abs(c.by);
  return most;
}

}  // namespace taut
