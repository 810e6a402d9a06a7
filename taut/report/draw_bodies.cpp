#include "taut/report/draw_bodies.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/model/shape/body_pose.h"
#include "taut/model/shape/joint_frame.h"
#include "taut/model/words.h"
#include "taut/solve/dense.h"

namespace taut {
namespace {

constexpr double whole_turn = 2.0 * std::numbers::pi;
constexpr int steps_of_turn = 48;  // of a wound cable

std::array<double, 3> numbers_of(const Vec3& v) { return {v[0], v[1], v[2]}; }
std::array<double, 4> numbers_of(const Eigen::Quaterniond& q) { return {q.w(), q.x(), q.y(), q.z()}; }
Vec3 vector_of(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

ReportShape cylinder(const Vec3& at, const Vec3& axis, double radius, double length) {
  return {BodyShape::Kind::cylinder, {radius, length}, numbers_of(at), numbers_of(turn_between(Vec3::UnitZ(), axis))};
}

ReportShape box(const Vec3& at, const Mat3& axes, const Vec3& size) {
  return {BodyShape::Kind::box, {size[0], size[1], size[2]}, numbers_of(at), numbers_of(Eigen::Quaterniond(axes))};
}

Mat3 box_axes(const BodyShape& shape) {
  Mat3 axes;
  axes << shape.first, shape.second, shape.first.cross(shape.second);
  return axes;
}

ReportShape shape_of(const BodyShape& shape) {
  const Vec3& size = shape.size;
  switch (shape.kind) {
    case BodyShape::Kind::none:
      return {};
    case BodyShape::Kind::box:
      return box(Vec3::Zero(), box_axes(shape), size);
    case BodyShape::Kind::cylinder:
      return cylinder(Vec3::Zero(), shape.first, size[0], size[1]);
    case BodyShape::Kind::tube: {
      ReportShape tube = cylinder(Vec3::Zero(), shape.first, size[0], size[2]);
      tube.kind = BodyShape::Kind::tube;
      tube.size = {size[0], size[1], size[2]};
      return tube;
    }
    case BodyShape::Kind::sphere:
      return {BodyShape::Kind::sphere, {size[0]}, {}};
  }
  return {};
}

// Whether a point is in the shape or on it; in the frame of the body.
bool is_inside(const ReportShape& shape, const Vec3& point) {
  if (shape.kind == BodyShape::Kind::none) return false;
  const Eigen::Quaterniond rotation(shape.rotation[0], shape.rotation[1], shape.rotation[2], shape.rotation[3]);
  const Vec3 p = rotation.conjugate() * (point - vector_of(shape.at));
  const double margin = 1.0 + 1e-6;
  if (shape.kind == BodyShape::Kind::sphere) return p.norm() <= margin * shape.size[0];
  if (shape.kind == BodyShape::Kind::box)
    return (p.cwiseAbs() - 0.5 * margin * Vec3(shape.size[0], shape.size[1], shape.size[2])).maxCoeff() <= 0.0;
  return std::hypot(p[0], p[1]) <= margin * shape.size[0] && std::abs(p[2]) <= 0.5 * margin * shape.size.back();
}

// The uniform box with this mass and inertia: edges² = 6 (I_a + I_b - I_c)/m along the principal axes.
ReportShape box_of_inertia(const Body& body, double least) {
  PrincipalAxes principal = principal_axes(body.inertia);
  if (principal.axes.determinant() < 0.0) principal.axes.col(2) = -principal.axes.col(2);
  const Vec3 square = 6.0 / body.mass * (Vec3::Constant(principal.values.sum()) - 2.0 * principal.values);
  return box(Vec3::Zero(), principal.axes, square.cwiseMax(least * least).cwiseSqrt());
}

class Drawing {
 public:
  Drawing(const Model& model, BodyPicture& picture) : model_(model), picture_(picture) {
    carriers_ = posed_carriers(model);
    Vec3 low = Vec3::Constant(INFINITY), high = -low;
    const auto see = [&](const Vec3& x) { low = low.cwiseMin(x), high = high.cwiseMax(x); };
    for (const Node& node : model.nodes) see(node.position);
    for (const Body& body : model.bodies) see(body.centre);
    size_ = model.nodes.size() + model.bodies.size() > 1 ? (high - low).norm() : 0.0;
    if (!(size_ > 0.0)) size_ = 1.0;
    double thickest = 0.0;
    for (const Bar& bar : model.bars) thickest = std::max(thickest, bar.radius);
    usual_ = thickest > 0.0 ? std::min(0.01 * size_, 1.2 * thickest) : 0.01 * size_;
  }

  void draw() {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) add_body(static_cast<int>(i));
    for (std::size_t i = 0; i < model_.pulleys.size(); ++i) add_pulley(static_cast<int>(i));
    for (const JointSpec& joint : model_.joints) add_joint(joint);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) add_arms(static_cast<int>(i));
    for (std::size_t i = 0; i < picture_.bodies.size(); ++i) picture_.bodies[i].clear = holds_drum(static_cast<int>(i));
  }

 private:
  // The number of the carrier among the drawn bodies; it becomes one. -1: the ground.
  int number(const Carrier& carrier) {
    if (carrier.kind == Carrier::Kind::ground) return -1;
    const auto at =
        static_cast<std::size_t>(std::find(carriers_.begin(), carriers_.end(), carrier) - carriers_.begin());
    const auto known = std::find(picture_.posed.begin(), picture_.posed.end(), at);
    if (known != picture_.posed.end()) return static_cast<int>(known - picture_.posed.begin());
    ReportBody body{carrier_name(model_, carrier)};
    const Vec3 centre = drawn_centre(model_, carrier);
    std::copy_n(centre.data(), 3, body.pose.begin());
    picture_.bodies.push_back(std::move(body));
    picture_.posed.push_back(at);
    return static_cast<int>(picture_.bodies.size()) - 1;
  }

  Vec3 on(const Carrier& carrier, const Vec3& position) const { return position - drawn_centre(model_, carrier); }

  // Calls f(wheel, axis) for the drums.
  template <class F>
  void each_drum(const F& f) const {
    for (const PulleySpec& pulley : model_.pulleys) {
      f(pulley.wheel, pulley.axis);
      if (pulley.node < 0) f(pulley.second, pulley.axis);
    }
  }

  bool has_drum(int index) const {
    bool found = false;
    each_drum([&](const PulleySpec::Wheel& wheel, const Vec3&) {
      found = found || wheel.body == Carrier{Carrier::Kind::body, index};
    });
    return found;
  }

  // The length of the body's cylinder where that is the drum; else 0.
  double drum_length(const PulleySpec::Wheel& wheel, const Vec3& axis) const {
    if (wheel.body.kind != Carrier::Kind::body) return 0.0;
    const Body& body = model_.bodies[wheel.body.index];
    const BodyShape& shape = body.shape;
    const bool same =
        shape.kind == BodyShape::Kind::cylinder && std::abs(shape.size[0] - wheel.radius) < 1e-6 * wheel.radius &&
        shape.first.cross(axis).norm() < 1e-6 && (body.centre - wheel.centre).norm() < 1e-6 * wheel.radius;
    return same ? shape.size[1] : 0.0;
  }

  void add_body(int index) {
    const Body& body = model_.bodies[index];
    const Carrier carrier{Carrier::Kind::body, index};
    if (!body.outline.empty()) return;
    bool is_drum = false;
    each_drum([&](const PulleySpec::Wheel& wheel, const Vec3& axis) {
      is_drum = is_drum || (wheel.body == carrier && drum_length(wheel, axis) > 0.0);
    });
    if (is_drum) return;
    ReportShape shape = shape_of(body.shape);
    if (shape.kind == BodyShape::Kind::none && body.mass > 0.0 && !has_drum(index))
      shape = box_of_inertia(body, 0.01 * size_);
    if (shape.kind != BodyShape::Kind::none) picture_.bodies[number(carrier)].shape = std::move(shape);
  }

  ReportPulley::Wheel wheel_of(const PulleySpec::Wheel& wheel) {
    return {number(wheel.body), numbers_of(on(wheel.body, wheel.centre)), wheel.radius};
  }

  void add_pulley(int index) {
    const PulleySpec& spec = model_.pulleys[index];
    ReportPulley pulley{spec.name, wheel_of(spec.wheel), numbers_of(spec.axis)};
    pulley.width = drum_length(spec.wheel, spec.axis);
    if (!(pulley.width > 0.0)) pulley.width = 0.4 * spec.wheel.radius;
    pulley.cable = static_cast<int>(model_.cables.size()) + index;
    pulley.crossed = spec.crossed;
    if (spec.node < 0) pulley.second = wheel_of(spec.second);
    // Of two drums nobody knows how much lies on which.
    if (spec.length && spec.node >= 0) pulley.length = *spec.length;
    picture_.pulleys.push_back(std::move(pulley));
  }

  void add_solid(const JointSpec& joint, const Carrier& carrier, ReportShape shape) {
    picture_.solids.push_back({joint.name, joint.type, number(carrier), std::move(shape)});
  }

  // Thickness of the members at the joint.
  double thickness(const JointSpec& joint) const {
    double radius = 0.0;
    for (const Carrier& carrier : {joint.predecessor, joint.successor})
      if (carrier.kind == Carrier::Kind::bar) radius = std::max(radius, model_.bars[carrier.index].radius);
    return radius > 0.0 ? radius : usual_;
  }

  // How far a body's own shape reaches along a direction, both ways together; 0 where it has none, and of bars.
  double extent(const Carrier& carrier, const Vec3& along) const {
    if (carrier.kind != Carrier::Kind::body) return 0.0;
    const BodyShape& shape = model_.bodies[carrier.index].shape;
    const double cosine = std::min(1.0, std::abs(shape.first.dot(along))), sine = std::sqrt(1.0 - cosine * cosine);
    switch (shape.kind) {
      case BodyShape::Kind::none:
        return 0.0;
      case BodyShape::Kind::box:
        return (box_axes(shape).transpose() * along).cwiseAbs().dot(shape.size);
      case BodyShape::Kind::cylinder:
        return cosine * shape.size[1] + 2.0 * sine * shape.size[0];
      case BodyShape::Kind::tube:
        return cosine * shape.size[2] + 2.0 * sine * shape.size[0];
      case BodyShape::Kind::sphere:
        return 2.0 * shape.size[0];
    }
    return 0.0;
  }

  void add_joint(const JointSpec& joint) {
    const double t = thickness(joint);
    const Vec3 first = joint.frame.row(0), second = joint.frame.row(1), axis = joint.frame.row(2);
    const Vec3 here = on(joint.predecessor, joint.at_predecessor), there = on(joint.successor, joint.at_successor);
    const Mat3 axes = joint.frame.transpose();
    switch (joint.type) {
      case JointType::fixed:
      case JointType::floating:
        return;
      case JointType::revolute: {
        double radius = 1.2 * t, length = 5.0 * t;
        // Through the body that turns on it; the axle of a drum.
        if (const double through = extent(joint.successor, axis); through > 0.0)
          radius = std::min(radius, 0.08 * through), length = 1.2 * through;
        each_drum([&](const PulleySpec::Wheel& wheel, const Vec3& along) {
          if (along.cross(axis).norm() > 1e-6 || (wheel.centre - joint.at_successor).cross(axis).norm() > 1e-6 * size_)
            return;
          if (wheel.body != joint.predecessor && wheel.body != joint.successor) return;
          const double width = drum_length(wheel, along);
          radius = 0.15 * wheel.radius;
          length = 2.2 * (width > 0.0 ? width : 0.4 * wheel.radius);
        });
        return add_solid(joint, joint.predecessor, cylinder(here, axis, radius, length));
      }
      case JointType::universal:
        add_solid(joint, joint.predecessor, cylinder(here, first, 0.7 * t, 6.0 * t));
        return add_solid(joint, joint.successor, cylinder(there, second, 0.7 * t, 6.0 * t));
      case JointType::spherical:
        return add_solid(joint, joint.successor, {BodyShape::Kind::sphere, {1.7 * t}, numbers_of(there)});
      case JointType::prismatic:
        add_solid(joint, joint.predecessor, cylinder(here, axis, 0.5 * t, 30.0 * t));
        return add_solid(joint, joint.successor, box(there, axes, t * Vec3(3.0, 3.0, 6.0)));
      case JointType::planar:
        return add_solid(joint, joint.successor, box(there, axes, t * Vec3(8.0, 8.0, 1.0)));
    }
  }

  void add_arms(int index) {
    const Body& body = model_.bodies[index];
    const Carrier carrier{Carrier::Kind::body, index};
    if (!body.outline.empty() || has_drum(index)) return;
    std::vector<Vec3> ends;
    for (const int node : body.nodes)
      if (!is_appended(model_, node, body)) ends.push_back(model_.nodes[node].position);
    for (const JointSpec& joint : model_.joints) {
      if (joint.type == JointType::floating) continue;
      if (joint.predecessor == carrier) ends.push_back(joint.at_predecessor);
      if (joint.successor == carrier) ends.push_back(joint.at_successor);
    }
    for (const Vec3& end : ends) {
      const Vec3 arm = end - body.centre;
      if (arm.norm() < 1e-6 * size_) continue;
      const int place = number(carrier);
      if (is_inside(picture_.bodies[place].shape, arm)) continue;
      picture_.solids.push_back({body.name, std::nullopt, place, cylinder(0.5 * arm, arm, 0.005 * size_, arm.norm())});
    }
  }

  // Whether a drum of another body is inside.
  bool holds_drum(int index) const {
    const Vec3 centre(picture_.bodies[index].pose.data());
    const auto holds = [&](const ReportPulley::Wheel& wheel) {
      const Vec3 of = wheel.body < 0 ? Vec3::Zero() : Vec3(picture_.bodies[wheel.body].pose.data());
      return wheel.body != index && is_inside(picture_.bodies[index].shape, of + vector_of(wheel.at) - centre);
    };
    return std::any_of(picture_.pulleys.begin(), picture_.pulleys.end(), [&](const ReportPulley& pulley) {
      return holds(pulley.wheel) || (pulley.second && holds(*pulley.second));
    });
  }

  const Model& model_;
  BodyPicture& picture_;
  std::vector<Carrier> carriers_;
  double size_ = 1.0, usual_ = 0.01;  // m: of the model; thickness of joints between bodies
};

// A wheel in the world.
struct Placed {
  Vec3 centre;
  Eigen::Quaterniond rotation;
};

Placed place(const ReportPulley::Wheel& wheel, const std::vector<double>& poses) {
  if (wheel.body < 0) return {vector_of(wheel.at), Eigen::Quaterniond::Identity()};
  const double* pose = poses.data() + pose_columns * wheel.body;
  const Eigen::Quaterniond q = Eigen::Quaterniond(pose[3], pose[4], pose[5], pose[6]).normalized();
  return {Vec3(pose) + q * vector_of(wheel.at), q};
}

// From a point on the rim round the axis.
std::vector<Vec3> arc(const Vec3& centre, const Vec3& axis, const Vec3& spoke, double angle) {
  std::vector<Vec3> points;
  const int steps = std::max(1, static_cast<int>(std::ceil(std::abs(angle) / whole_turn * steps_of_turn)));
  for (int i = 0; i <= steps && angle != 0.0; ++i)
    points.push_back(centre + Eigen::AngleAxisd(angle * i / steps, axis) * spoke);
  return points;
}

}  // namespace

BodyPicture::BodyPicture(const Model& model) { Drawing(model, *this).draw(); }

std::vector<double> BodyPicture::poses(const std::vector<double>& row) const {
  std::vector<double> drawn;
  if (row.empty()) return drawn;
  for (const std::size_t body : posed) {
    const auto from = row.begin() + static_cast<std::ptrdiff_t>(pose_columns * body);
    drawn.insert(drawn.end(), from, from + pose_columns);
  }
  return drawn;
}

double wound_angle(const ReportPulley& pulley, double free) {
  if (!(pulley.length > 0.0)) return whole_turn;
  return std::clamp((pulley.length - free) / pulley.wheel.radius, 0.0, whole_turn);
}

CableCourse cable_course(const ReportPulley& pulley, const std::vector<double>& poses, const Vec3& end, double free) {
  const Placed wheel = place(pulley.wheel, poses);
  const Vec3 axis = wheel.rotation * vector_of(pulley.axis);
  const double radius = pulley.wheel.radius, second = pulley.second ? pulley.second->radius : 0.0;
  const Placed other = pulley.second ? place(*pulley.second, poses) : Placed{end, wheel.rotation};
  CableCourse course;
  const auto tangent = tangent_to_circle(wheel.centre, axis, radius, other.centre, second, pulley.crossed);
  const Vec3 outward = tangent ? tangent->outward : Vec3(frame_about(axis).row(0));
  course.leaves = wheel.centre + radius * outward;
  course.on_first = arc(wheel.centre, axis, radius * outward, wound_angle(pulley, free));
  course.meets = end;
  if (pulley.second) {
    const double side = pulley.crossed ? -1.0 : 1.0;
    course.meets = other.centre + side * second * outward;
    course.on_second = arc(other.centre, axis, side * second * outward, -side * whole_turn);
  }
  return course;
}

}  // namespace taut
