#include "taut/formulation/multibody/system/machine.h"

#include <fmt/format.h>

#include "taut/solve/dense.h"

namespace taut::multibody {

namespace {

class Findings {
 public:
  template <class... Parts>
  void add(const std::string& key, fmt::format_string<Parts...> format, Parts&&... parts) {
    problems_.push_back({{}, key, fmt::format(format, std::forward<Parts>(parts)...)});
  }
  template <class... Parts>
  void add(const RigidBody& body, fmt::format_string<Parts...> format, Parts&&... parts) {
    problems_.push_back(
        problem_with("body", body.name, body.place, fmt::format(format, std::forward<Parts>(parts)...)));
  }
  template <class... Parts>
  void add(const Connection& joint, fmt::format_string<Parts...> format, Parts&&... parts) {
    problems_.push_back(
        problem_with("joint", joint.name, joint.place, fmt::format(format, std::forward<Parts>(parts)...)));
  }
  void raise() {
    if (!problems_.empty()) throw InputError(std::move(problems_));
  }

 private:
  std::vector<Problem> problems_;
};

bool is_turn(const Mat3& E) {
  return E.allFinite() && (E * E.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-10 && E.determinant() > 0.0;
}

void check_body(const RigidBody& body, Findings& findings) {
  if (!(body.mass >= 0.0 && std::isfinite(body.mass)))
    findings.add(body, "mass {} kg; expected a number that is not negative", body.mass);
  if (!body.centre.allFinite()) findings.add(body, "the centre of mass is not finite");
  if (!body.inertia.allFinite()) {
    findings.add(body, "the inertia is not finite");
    return;
  }
  const double size = body.inertia.cwiseAbs().maxCoeff();
  if ((body.inertia - body.inertia.transpose()).cwiseAbs().maxCoeff() > 1e-12 * size)
    findings.add(body, "the inertia is not symmetric");
  const Vec3 moments = principal_values(body.inertia);
  if (moments[0] < -1e-12 * size || moments[0] + moments[1] < moments[2] * (1.0 - 1e-9))
    findings.add(body,
                 "principal moments of inertia {}, {}, {} kg m²; no body has these: none may be negative or larger "
                 "than the other two together",
                 moments[0], moments[1], moments[2]);
}

void check_joint(const Machine& m, const Connection& joint, Findings& findings) {
  const int bodies = static_cast<int>(m.bodies.size());
  for (const int body : {joint.predecessor, joint.successor})
    if (body < ground || body >= bodies) {
      findings.add(joint, "there is no body number {}", body);
      return;
    }
  if (joint.predecessor == joint.successor)
    findings.add(joint, "joins {} with itself; expected two bodies, or a body and the ground",
                 body_name(m, joint.predecessor));
  for (const Transform* frame : {&joint.at_predecessor, &joint.at_successor})
    if (!is_turn(frame->E) || !frame->r.allFinite())
      findings.add(joint, "its frame on {} is not right-handed with unit axes at a finite position",
                   body_name(m, frame == &joint.at_predecessor ? joint.predecessor : joint.successor));
  for (const auto* q : {&joint.start, &joint.guess})
    if (*q)
      for (int i = 0; i < coordinates(joint.joint); ++i)
        if (!std::isfinite((**q)[i]))
          findings.add(joint, "coordinate {} is not finite", coordinate_name(joint.joint, i));
  if (joint.motion && joint.torque) findings.add(joint, "has an imposed motion and a torque; expected one of them");
  if (joint.motion && joint.role == Role::loop)
    findings.add(joint, "has an imposed motion, so it cannot be the joint that closes a loop");
}

}  // namespace

std::string body_name(const Machine& machine, int body) {
  return body == ground ? "ground" : fmt::format("\"{}\"", machine.bodies[body].name);
}

namespace {

bool has_point(const Machine& m, int point) { return point >= 0 && point < static_cast<int>(m.points.size()); }

void check_point(const Machine& m, const Point& point, Findings& findings) {
  const std::string key = fmt::format("point \"{}\"", point.name);
  if (point.body < ground || point.body >= static_cast<int>(m.bodies.size()))
    findings.add(key, "there is no body number {}", point.body);
  if (!point.position.allFinite()) findings.add(key, "its position is not finite");
}

void check_distance(const Machine& m, const Distance& d, Findings& findings) {
  const std::string key = fmt::format("distance \"{}\"", d.name);
  if (!has_point(m, d.a) || !has_point(m, d.b))
    findings.add(key, "there is no point number {}", has_point(m, d.a) ? d.b : d.a);
  else if (m.points[d.a].body == m.points[d.b].body)
    findings.add(key, "both points are on {}", body_name(m, m.points[d.a].body));
  if (!(d.length > 0.0 && std::isfinite(d.length)))
    findings.add(key, "length {} m; expected a positive number", d.length);
}

void check_sum(const Machine& m, const PointSum& sum, Findings& findings) {
  const std::string key = fmt::format("sum \"{}\"", sum.name);
  for (const auto& [point, coefficient] : sum.terms)
    if (!has_point(m, point) || !std::isfinite(coefficient))
      findings.add(key, "there is no point number {}, or its coefficient {} is not finite", point, coefficient);
  if (sum.terms.empty() || sum.axis < 0 || sum.axis > 2 || !std::isfinite(sum.value))
    findings.add(key, "expected points, an axis 0, 1 or 2 and a finite value");
}

}  // namespace

void check(const Machine& m) {
  Findings findings;
  if (!m.gravity.allFinite()) findings.add("gravity", "is not finite");
  for (const RigidBody& body : m.bodies) check_body(body, findings);
  for (const Connection& joint : m.joints) check_joint(m, joint, findings);
  for (const Point& point : m.points) check_point(m, point, findings);
  for (const Distance& distance : m.distances) check_distance(m, distance, findings);
  for (const PointSum& sum : m.sums) check_sum(m, sum, findings);
  findings.raise();
}

void guess_from_poses(Machine& machine, const std::vector<Transform>& bodies) {
  const auto pose = [&](int body) { return body == ground ? Transform{} : bodies[body]; };
  for (Connection& joint : machine.joints) {
    if (joint.start || joint.guess) continue;
    const Transform X =
        (joint.at_successor * pose(joint.successor)) * (joint.at_predecessor * pose(joint.predecessor)).inverse();
    JointPosition q{};
    neutral(joint.joint, q.data());
    if (fit(joint.joint, X, q.data())) joint.guess = q;
  }
}

}  // namespace taut::multibody
