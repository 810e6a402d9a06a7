// Rules for rigid bodies and for nodes attached to bars.
#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "taut/model/check/check_values.h"
#include "taut/model/shape/body_mass.h"
#include "taut/solve/dense.h"

namespace taut {

namespace {

// Indices in range, none of them twice.
bool check_list(const Entity& entity, const char* key, const Model& model, const std::vector<int>& nodes) {
  std::unordered_set<int> named;
  for (int node : nodes) {
    if (node < 0 || static_cast<size_t>(node) >= model.nodes.size()) {
      entity.say(key, fmt::format("refers to number {} of {}", node, model.nodes.size()));
      return false;
    }
    if (!named.insert(node).second) entity.say(key, fmt::format("names \"{}\" twice", model.nodes[node].name));
  }
  return true;
}

// Every distribution of mass has S = ½ tr(I) 1 - I without a negative eigenvalue: no principal moment is larger than
// the other two together.
void check_inertia(const Entity& entity, const Mat3& inertia) {
  if (!inertia.allFinite()) return entity.say("inertia", "is not finite");
  if (inertia != inertia.transpose()) return entity.say("inertia", "is not symmetric");
  const Vec3 I = principal_values(inertia);
  const double rounding = 1e-9 * I.cwiseAbs().maxCoeff();
  const std::string moments =
      fmt::format("has the principal moments {:.6g}, {:.6g} and {:.6g} kg m²", I[0], I[1], I[2]);
  if (I[0] < -rounding)
    entity.say("inertia", moments + ": expected none below 0");
  else if (I[2] > I[0] + I[1] + rounding)
    entity.say("inertia", moments + ": no body has one that is larger than the other two together");
}

void check_shape(const Entity& entity, const BodyShape& shape) {
  constexpr int numbers[] = {0, 3, 2, 3, 1};
  for (int i = 0; i < numbers[static_cast<int>(shape.kind)]; ++i)
    if (!(shape.size[i] > 0.0) || !std::isfinite(shape.size[i]))
      return entity.say("shape", fmt::format("has a size of {} m: expected numbers above 0", shape.size[i]));
  for (const Vec3& direction : {shape.first, shape.second})
    if (!(std::abs(direction.norm() - 1.0) < 1e-9)) entity.say("shape", "has a direction that is not of length 1");
}

constexpr const char* ground_is_taken =
    "\"ground\" is what joints and pulleys call the world that does not move: expected another name";

// Bars that joints may name.
void check_bar_names(const Model& model, std::vector<Finding>& findings) {
  if (!has_joints(model)) return;
  for (size_t i = 0; i < model.bars.size(); ++i)
    if (model.bars[i].name == "ground" && !model.bars[i].elastic)
      Entity(findings, EntityKind::bar, static_cast<int>(i)).say("name", ground_is_taken);
}

}  // namespace

void check_bodies(const Model& model, std::vector<Finding>& findings) {
  check_bar_names(model, findings);
  std::unordered_set<std::string_view> names;
  for (size_t i = 0; i < model.bodies.size(); ++i) {
    const Entity entity(findings, EntityKind::body, static_cast<int>(i));
    const Body& body = model.bodies[i];
    if (body.name.empty()) entity.say("name", "is empty: expected a name");
    if (body.name == "ground") entity.say("name", ground_is_taken);
    if (!names.insert(body.name).second) entity.say("name", fmt::format("a second body is called \"{}\"", body.name));
    if (has_joints(model)) {
      entity.not_negative("mass", body.mass);
    } else {
      if (body.nodes.empty()) entity.say("nodes", "is empty: expected one node or more");
      entity.positive("mass", body.mass);
    }
    entity.finite("centre", body.centre);
    if (body.velocity) entity.finite("velocity", *body.velocity);
    if (body.angular_velocity) entity.finite("angular_velocity", *body.angular_velocity);
    check_inertia(entity, body.inertia);
    check_shape(entity, body.shape);
    if (!check_list(entity, "nodes", model, body.nodes) || !check_list(entity, "outline", model, body.outline))
      continue;
    const std::unordered_set<int> own(body.nodes.begin(), body.nodes.end());
    for (int corner : body.outline)
      if (!own.contains(corner))
        entity.say("outline", fmt::format("\"{}\" is not one of the body's nodes", model.nodes[corner].name));
  }
}

void check_attached(const Entity& entity, const Model& model, const Bar& bar) {
  if (bar.attached.empty()) return;
  if (bar.elastic) return entity.say("attached", "belongs to rigid bars only (this one has EA)");
  if (!check_list(entity, "attached", model, bar.attached)) return;
  bool moving = false;
  for (int node : bar.attached) {
    moving = moving || model.nodes[node].velocity != Vec3::Zero();
    if (node == bar.a || node == bar.b)
      entity.say("attached", fmt::format("\"{}\" is an end of the bar", model.nodes[node].name));
  }
  entity.positive("mass", bar.mass);
  if (bar.axial_inertia == 0.0)
    entity.say("axial_inertia",
               "is 0, so that nothing says how the bar turns about its axis: expected a number above 0");
  if (bar.axial_inertia > 2.0 * bar.inertia * (1.0 + 1e-9))
    entity.say("axial_inertia",
               fmt::format("is {} kg m², more than twice the transverse inertia, {} kg m²: no bar has that",
                           bar.axial_inertia, bar.inertia));
  if (bar.spin != 0.0 && moving)
    entity.say("spin", "the attached nodes have velocities of their own: leave one of the two out");
}

void check_start_bodies(const Model& model, std::vector<Finding>& findings) {
  if (has_joints(model)) return;
  for (size_t i = 0; i < model.bodies.size(); ++i)
    if (const std::string wrong = body_problem(model, model.bodies[i]); !wrong.empty())
      findings.push_back({EntityKind::body, static_cast<int>(i), "nodes", wrong});
  for (size_t i = 0; i < model.bars.size(); ++i) {
    if (model.bars[i].attached.empty()) continue;
    if (const std::string wrong = body_problem(model, as_body(model, model.bars[i])); !wrong.empty())
      findings.push_back({EntityKind::bar, static_cast<int>(i), "attached", wrong});
  }
}

}  // namespace taut
