#include "taut/control/targets/targets.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace taut {

namespace {

// Value and rate of a direction d/|d|.
void unit_rate(const Vec3& d, const Vec3& d_rate, Vec3& unit, Vec3& rate) {
  const double length = d.norm();
  unit = d / length;
  rate = (d_rate - unit.dot(d_rate) * unit) / length;
}

}  // namespace

TimedPath::TimedPath(const ControlPath& path, int dimension) {
  const long rows = static_cast<long>(path.times.size());
  using Rows = Eigen::Map<const Eigen::MatrixXd>;
  if (rows == 1) point_ = Rows(path.values.data(), dimension, 1);
  if (rows > 1)
    spline_ =
        HermiteSpline(path.times, Rows(path.values.data(), dimension, rows), Rows(path.slopes.data(), dimension, rows));
}

void TimedPath::evaluate(double t, int order, Eigen::VectorXd& result) const {
  if (point_.size() == 0 && spline_.times().size() > 1) return spline_.evaluate(t, order, result);
  if (order == 0)
    result = point_;
  else
    result.setZero(point_.size());
}

Targets::Targets(const Model& model, const ControllerSpec& spec)
    : model_(model), targets_(spec.steer.targets), columns_(first_joint_columns(model)) {
  for (const PulleySpec& pulley : model.pulleys)
    pulley_coordinates_.push_back(static_cast<int>(coordinate_names(pulley).size()));
  const auto add_frame = [&](int frame) {
    if (frame >= 0 && std::find(frames_.begin(), frames_.end(), frame) == frames_.end()) frames_.push_back(frame);
  };
  for (const ControlTarget& target : targets_) {
    if (target.kind != ControlTarget::Kind::frame) continue;
    add_frame(target.index);
    add_frame(model.frames[target.index].relative_to);
  }
  if (spec.kind != ControllerKind::table) path_ = TimedPath(spec.steer.path, size());
}

void Targets::begin(const Observation& start) {
  if (path_.given()) return;
  Eigen::VectorXd value, rate;
  measure(start, nullptr, value, rate);
  path_.stay_at(value);
}

void Targets::begin_memory(double* memory) const {
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    Pose pose;
    const auto& [a, b, c] = model_.frames[frames_[i]].nodes;
    place_frame(model_.nodes[a].position, model_.nodes[b].position, model_.nodes[c].position, pose);
    Mat3::Map(memory + 9 * i) = pose.axes;
  }
}

Targets::MovingPose Targets::place(int frame, const Observation& now, double* memory) const {
  MovingPose moving;
  if (memory) memory += 9 * (std::find(frames_.begin(), frames_.end(), frame) - frames_.begin());
  if (memory) moving.pose.axes = Mat3::Map(memory);
  const auto at = [](const double* of, int node) { return Vec3(of + 4 * static_cast<std::size_t>(node)); };
  const auto& [a, b, c] = model_.frames[frame].nodes;
  moving.velocity = (at(now.v, a) + at(now.v, b) + at(now.v, c)) / 3.0;
  if (!place_frame(at(now.x, a), at(now.x, b), at(now.x, c), moving.pose)) return moving;
  if (memory) Mat3::Map(memory) = moving.pose.axes;
  const Vec3 to_a = at(now.x, a) - moving.pose.origin, to_b = at(now.x, b) - moving.pose.origin;
  const Vec3 a_rate = at(now.v, a) - moving.velocity, b_rate = at(now.v, b) - moving.velocity;
  Vec3 x, z, x_rate, z_rate;
  unit_rate(to_a, a_rate, x, x_rate);
  unit_rate(to_a.cross(to_b), a_rate.cross(to_b) + to_a.cross(b_rate), z, z_rate);
  moving.rate << x_rate, z_rate.cross(x) + z.cross(x_rate), z_rate;
  return moving;
}

void Targets::measure_frame(const ControlTarget& target, const Observation& now, double* memory, double& value,
                            double& rate) const {
  MovingPose m = place(target.index, now, memory);
  if (const int base = model_.frames[target.index].relative_to; base >= 0) {
    const MovingPose b = place(base, now, memory);
    const Mat3 back = b.pose.axes.transpose(), back_rate = b.rate.transpose();
    m.velocity = back_rate * (m.pose.origin - b.pose.origin) + back * (m.velocity - b.velocity);
    m.rate = back_rate * m.pose.axes + back * m.rate;
    m.pose = relative_pose(b.pose, m.pose);
  }
  if (target.column < 3) {
    value = m.pose.origin[target.column];
    rate = m.velocity[target.column];
    return;
  }
  const EulerAngles angles = euler_angles(m.pose.axes);
  value = target.column == 3 ? angles.yaw : target.column == 4 ? angles.pitch : angles.roll;
  const Mat3 &R = m.pose.axes, &dR = m.rate;
  const double cos_pitch = std::hypot(R(0, 0), R(1, 0));
  if (!(cos_pitch > locked_pitch))
    rate = 0.0;
  else if (target.column == 3)
    rate = (R(0, 0) * dR(1, 0) - R(1, 0) * dR(0, 0)) / (cos_pitch * cos_pitch);
  else if (target.column == 4)
    rate = -dR(2, 0) / cos_pitch;
  else
    rate = (R(2, 2) * dR(2, 1) - R(2, 1) * dR(2, 2)) / (cos_pitch * cos_pitch);
}

void Targets::measure(const Observation& now, double* memory, Eigen::VectorXd& value, Eigen::VectorXd& rate) {
  value.resize(size());
  rate.resize(size());
  for (int i = 0; i < size(); ++i) {
    const ControlTarget& target = targets_[i];
    switch (target.kind) {
      case ControlTarget::Kind::node:
        value[i] = now.x[4 * target.index + target.column];
        rate[i] = now.v[4 * target.index + target.column];
        break;
      case ControlTarget::Kind::frame:
        measure_frame(target, now, memory, value[i], rate[i]);
        break;
      case ControlTarget::Kind::joint: {
        const int first = columns_.joints[target.index] + target.column;
        value[i] = now.joints[first];
        rate[i] = now.joints[first + joint_velocities(model_.joints[target.index].type)];
        break;
      }
      case ControlTarget::Kind::pulley: {
        // Coordinates, as many velocities, then length and tension.
        const int n = pulley_coordinates_[target.index], first = columns_.pulleys[target.index];
        const bool coordinate = target.column < n;
        value[i] = now.joints[first + target.column + (coordinate ? 0 : n)];
        rate[i] = coordinate ? now.joints[first + n + target.column] : 0.0;
        break;
      }
      case ControlTarget::Kind::cable:
        value[i] = target.column == 0 ? now.tension[target.index] : now.length[target.index];
        rate[i] = target.column == 0 ? 0.0 : now.length_rate[target.index];
        break;
    }
  }
}

Eigen::VectorXd target_gains(const std::vector<double>& given, int targets) {
  if (given.empty()) return Eigen::VectorXd::Zero(targets);
  return Eigen::VectorXd::Map(given.data(), targets);
}

}  // namespace taut
