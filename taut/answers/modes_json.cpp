#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "taut/answers/modes.h"
#include "taut/modes/lowest_modes.h"

namespace taut {
namespace {

std::vector<double> frequencies_of(const Eigen::VectorXd& square) {
  std::vector<double> list;
  for (const double s : square) list.push_back(frequency(s));
  return list;
}

// What is not a number is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json shape_json(const ModesAnswer& r, long mode) {
  Json shape = Json::object();
  for (std::size_t i = 0; i < r.scenario.model.nodes.size(); ++i) {
    const Vec3 s = r.modes.shapes.col(mode).segment<3>(3 * static_cast<long>(i));
    shape[r.scenario.model.nodes[i].name] = {s[0], s[1], s[2]};
  }
  return shape;
}

Json coordinate_shape_json(const ModalAnalysis& m, long mode) {
  Json shape = Json::object();
  for (std::size_t i = 0; i < m.coordinates.size(); ++i)
    if (!m.coordinates[i].empty()) shape[m.coordinates[i]] = m.coordinate_shapes(static_cast<long>(i), mode);
  return shape;
}

void add_modes(const ModesAnswer& r, bool shapes, Json& object) {
  const ModalAnalysis& m = r.modes;
  object["frequencies_hz"] = frequencies_of(m.square);
  for (const char* key : {"damping_ratios", "damped_frequencies_hz", "eigenvalues", "overdamped", "shapes",
                          "participation", "effective_mass"})
    if (shapes || key != std::string_view("shapes")) object[key] = Json::array();
  for (long k = 0; k < m.count(); ++k) {
    object["damping_ratios"].push_back(number(m.damping[k]));
    object["damped_frequencies_hz"].push_back(m.eigenvalues[k].imag() / (2.0 * std::numbers::pi));
    object["eigenvalues"].push_back({m.eigenvalues[k].real(), m.eigenvalues[k].imag()});
    object["overdamped"].push_back(m.overdamped[k] != 0);
    if (shapes) object["shapes"].push_back(shape_json(r, k));
    object["participation"].push_back({m.participation(k, 0), m.participation(k, 1), m.participation(k, 2)});
    object["effective_mass"].push_back({m.effective_mass(k, 0), m.effective_mass(k, 1), m.effective_mass(k, 2)});
  }
}

}  // namespace

Json json_of(const ModesAnswer& r, bool shapes) {
  const ModalAnalysis& m = r.modes;
  Json object;
  add_modes(r, shapes, object);
  object["moved_mass"] = {m.moved_mass[0], m.moved_mass[1], m.moved_mass[2]};
  object["total_mass"] = m.mass;
  object["degrees_of_freedom"] = m.freedoms;
  object["zero_modes"] = zero_modes(m);
  object["rigid_motions"] = r.rigid_motions < 0 ? Json() : Json(r.rigid_motions);
  object["stable"] = growing_modes(m) == 0;
  object["complete"] = m.complete;
  object["in_balance"] = r.in_balance();
  object["imbalance"] = r.imbalance;
  object["slack"] = r.slack;
  object["formulation"] = r.formulation;
  if (shapes && !m.coordinates.empty()) {
    object["coordinate_shapes"] = Json::array();
    for (long k = 0; k < m.count(); ++k) object["coordinate_shapes"].push_back(coordinate_shape_json(m, k));
  }
  if (!r.prestress.empty()) {
    object["prestress"] = Json::array();
    for (const PrestressRow& row : r.prestress)
      object["prestress"].push_back({{"factor", row.factor},
                                     {"imbalance", row.imbalance},
                                     {"stable", (row.square.array() >= 0.0).all()},
                                     {"frequencies_hz", frequencies_of(row.square)}});
  }
  return object;
}

}  // namespace taut
