#include "taut/model/shape/body_pose.h"

#include <algorithm>

#include "taut/model/shape/frame_pose.h"

namespace taut {

std::vector<Carrier> posed_carriers(const Model& model) {
  std::vector<Carrier> carriers;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) carriers.push_back({Carrier::Kind::body, static_cast<int>(i)});
  std::vector<char> held(model.bars.size(), 0);
  const auto hold = [&](const Carrier& carrier) {
    if (carrier.kind == Carrier::Kind::bar) held[carrier.index] = 1;
  };
  for (const JointSpec& joint : model.joints) hold(joint.predecessor), hold(joint.successor);
  for (const PulleySpec& pulley : model.pulleys) {
    hold(pulley.wheel.body);
    if (pulley.node < 0) hold(pulley.second.body);
  }
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i] != 0) carriers.push_back({Carrier::Kind::bar, static_cast<int>(i)});
  return carriers;
}

const std::string& carrier_name(const Model& model, const Carrier& carrier) {
  return carrier.kind == Carrier::Kind::bar ? model.bars[carrier.index].name : model.bodies[carrier.index].name;
}

Vec3 drawn_centre(const Model& model, const Carrier& carrier) {
  if (carrier.kind == Carrier::Kind::ground) return Vec3::Zero();
  if (carrier.kind == Carrier::Kind::body) return model.bodies[carrier.index].centre;
  const Bar& bar = model.bars[carrier.index];
  return (1.0 - bar.com) * model.nodes[bar.a].position + bar.com * model.nodes[bar.b].position;
}

void put_pose(const Vec3& centre, const Mat3& turn, double* pose) {
  Eigen::Quaterniond q(turn);
  q.normalize();
  if (q.w() < 0.0) q.coeffs() = -q.coeffs();
  std::copy_n(centre.data(), 3, pose);
  for (const double part : {q.w(), q.x(), q.y(), q.z()}) pose[3] = part, ++pose;
}

BodyPoses::BodyPoses(const Model& model) {
  for (const Body& body : model.bodies) {
    OnNodes on;
    if (!body.nodes.empty()) {
      // The first node, the one farthest from it, and the one farthest from their line.
      const auto at = [&](int node) { return model.nodes[node].position; };
      const Vec3 a = at(body.nodes[0]);
      const auto farthest = [&](auto distance) {
        return *std::max_element(body.nodes.begin(), body.nodes.end(),
                                 [&](int i, int j) { return distance(at(i)) < distance(at(j)); });
      };
      const int b = farthest([&](const Vec3& x) { return (x - a).norm(); });
      const Vec3 along = at(b) - a;
      const int c = farthest([&](const Vec3& x) { return along.cross(x - a).norm(); });
      on.nodes = {body.nodes[0], b, c};
      Pose pose;
      on.turns = along.cross(at(c) - a).norm() > 1e-9 * along.squaredNorm() && place_frame(a, at(b), at(c), pose);
      if (!on.turns) pose = {a, Mat3::Identity()};
      on.axes = pose.axes;
      on.arm = pose.axes.transpose() * (body.centre - pose.origin);
    }
    bodies_.push_back(on);
  }
}

void BodyPoses::place(const std::vector<double>& nodes, double* poses) const {
  for (const OnNodes& on : bodies_) {
    const auto at = [&](int i) { return Vec3(nodes.data() + 3 * on.nodes[i]); };
    Pose pose{at(0), on.axes};
    if (on.turns) place_frame(at(0), at(1), at(2), pose);
    put_pose(pose.origin + pose.axes * on.arm, pose.axes * on.axes.transpose(), poses);
    poses += pose_columns;
  }
}

}  // namespace taut
