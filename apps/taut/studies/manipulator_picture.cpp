#include "apps/taut/studies/manipulator_picture.h"

#include <algorithm>
#include <numbers>

#include "taut/model/joint_columns.h"

namespace taut::reproduce {
namespace {

// m: Tables 5.4 and 5.5; links and cables thicker than they are.
constexpr double strut_width = 0.035, block_width = 0.03, link_width = 0.015, cable_width = 0.006;

template <class List>
std::size_t index_of(const List& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.name == name; });
  return static_cast<std::size_t>(found - list.begin());
}

struct Pose {
  const Model& model;
  RunRow row;
  std::vector<std::string> columns;  // of row.joints

  Vec3 node(const std::string& name) const {
    return row.nodes.col(static_cast<Eigen::Index>(index_of(model.nodes, name)));
  }
};

// Block, pulley and cable. The pulley is on the axis of the strut, √2 R from its end, in the plane of its cable.
void add_winch(const Pose& pose, const std::string& name, const Vec3& strut_end, const Vec3& inwards,
               const Vec3& cable_end, Picture& picture) {
  const double R = pose.model.pulleys[index_of(pose.model.pulleys, name)].wheel.radius, Q = std::numbers::sqrt2 * R;
  const auto x = std::find(pose.columns.begin(), pose.columns.end(), name + ".x") - pose.columns.begin();
  const Vec3 leaves = pose.row.joints.segment(x, 3), centre = strut_end + Q * inwards;
  Mat3 frame;
  frame.col(0) = (leaves - centre).cross(cable_end - leaves).normalized();
  frame.col(1) = inwards.cross(frame.col(0));
  frame.col(2) = inwards;
  picture.box(centre, frame, Vec3(block_width, Q, 2.0 * Q), "#c9b27c", 0.35);
  picture.disc(centre, frame.col(0), R, "#e69f00");
  picture.strokes.push_back({leaves, cable_end, cable_width, "#cc2222"});
}

}  // namespace

std::optional<Picture> manipulator_picture(const Run& motion, double t, const std::string& title) {
  const auto found = std::lower_bound(motion.t.begin(), motion.t.end(), t - 1e-9);
  if (found == motion.t.end()) return std::nullopt;
  const Model& model = motion.scenario.model;
  const Pose pose{model, motion[static_cast<std::size_t>(found - motion.t.begin())], joint_columns(model)};
  Picture picture;
  picture.title = title;
  picture.low = Vec3(-0.7, -0.7, -0.05);
  picture.high = Vec3(0.7, 0.7, 1.6);
  const Vec3 hand = pose.node("end-effector");
  picture.faces.push_back({{pose.node("foot1"), pose.node("foot2"), pose.node("foot3")}, "#e4e4e4", 0.6});
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i + 1);
    const Vec3 foot = pose.node("foot" + number), tip = pose.node("tip" + number),
               end = pose.node("tip" + std::to_string((i + 2) % 3 + 1)), along = (tip - foot).normalized();
    picture.strokes.push_back({foot, tip, strut_width, "#5b7fa6"});
    picture.strokes.push_back({tip, hand, link_width, "#9a9a9a"});
    add_winch(pose, "B" + number + "-top", tip, -along, end, picture);
    add_winch(pose, "B" + number + "-bot", foot, along, end, picture);
  }
  picture.strokes.push_back({hand, hand, 2.0 * link_width, "#222222"});
  const std::vector<double>& path = model.controllers[0].steer.path.values;
  for (std::size_t i = 0; i + 3 < path.size(); i += 3)
    picture.strokes.push_back({Vec3(path.data() + i), Vec3(path.data() + i + 3), 0.0, "#222222", true});
  return picture;
}

}  // namespace taut::reproduce
