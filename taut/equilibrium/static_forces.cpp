#include "taut/equilibrium/static_forces.h"

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/equilibrium/at_rest.h"
#include "taut/equilibrium/members.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/model/shape/ground_points.h"

namespace taut {

namespace {

// Masses of 1 at the nodes alone: the nearest point in the mass metric is then the nearest point.
Model with_unit_masses(const Model& model) {
  Model unit = model;
  for (Node& node : unit.nodes) node.mass = 1.0;
  for (Bar& bar : unit.bars) bar.mass = bar.inertia = 0.0;
  for (Body& body : unit.bodies) body.mass = 0.0;
  for (Cable& cable : unit.cables) cable.mass = 0.0;
  return unit;
}

// Nothing acts but weight and loads.
Model without_stiffness(const Model& model) {
  Model bare = model;
  bare.ground.reset();
  bare.collision.reset();
  for (Cable& cable : bare.cables) cable.law = {};
  for (Bar& bar : bare.bars) bar.EA = 0.0;
  return bare;
}

// The steepest slope of a law, N/m.
double steepest(const CableLaw& law, double rest) {
  if (law.kind != LawKind::table) return stiffness_at(law, rest);
  double slope = 0.0;
  for (std::size_t k = 0; k + 1 < law.strain.size(); ++k)
    slope = std::max(slope, (law.force[k + 1] - law.force[k]) / (law.strain[k + 1] - law.strain[k]));
  return slope / rest;
}

// How stiff a contact gets that holds the force W: linear ones always are, the others follow the force.
double contact_slope(const Model& model, double force) {
  double slope = 0.0;
  if (const auto& ground = model.ground) {
    const double n = ground->law == PressKind::hunt_crossley ? ground->exponent : 1.0;
    slope +=
        n == 1.0 ? ground->stiffness : n * std::pow(ground->stiffness, 1.0 / n) * std::pow(4.0 * force, 1.0 - 1.0 / n);
  }
  if (const auto& bars = model.collision)
    slope += 4.0 * (bars->law == PressKind::exponential ? force / bars->length : bars->stiffness);
  return slope;
}

// Row sums of Σ w wᵀ over the points of bars and bodies that touch the ground, per node.
std::vector<double> rider_shares(const Model& model) {
  std::vector<double> share(model.nodes.size(), 0.0);
  if (!model.ground) return share;
  const GroundSurface surface(*model.ground);
  for (const GroundBar& bar : bars_on_ground(model, surface))
    for (const int node : {bar.a, bar.b}) share[node] += 0.5 * bar.points;
  for (const GroundPoint& point : bodies_on_ground(model, surface)) {
    double sum = 0.0;
    for (const double w : point.weight) sum += std::abs(w);
    for (int k = 0; k < 4; ++k) share[point.node[k]] += std::abs(point.weight[k]) * sum;
  }
  return share;
}

// A rest length on its way from the start length to what it shall be.
double rest_at(double level, double start, double full) {
  return level == 1.0 ? full : std::max(start + level * (full - start), 1e-3 * full);
}

}  // namespace

bool only_rounding(const Cables& cables, const CableTerms& terms, double size, double mean, double largest) {
  double sum = 0.0;
  for (int s = 0; s < cables.slots(); ++s) {
    if (cables.piece_a(cables.piece_begin(s)) == cables.piece_b(cables.piece_begin(s))) continue;
    const double stretch = std::max(1e-10 * terms.length[s], 1e-13 * size);
    const double least = stretch * steepest(cables.law(s), terms.rest[s]);
    if (!(std::abs(terms.tension[s]) <= least)) return false;
    sum += least;
  }
  return mean <= sum && largest <= sum;
}

void require_structure(const Model& model) {
  const auto refuse = [](const char* kind, const auto& entity) {
    throw InputError(
        {problem_with(kind, entity.name, entity.place,
                      "this chooses positions of nodes and lengths of bars one by one, while joints and pulleys hold "
                      "points on bodies that would be torn apart: expected a model without joints and pulleys, or taut "
                      "form --method relax, newton or prestress, which move a machine as its joints allow")});
  };
  if (!model.joints.empty()) refuse("joint", model.joints.front());
  if (!model.pulleys.empty()) refuse("pulley", model.pulleys.front());
}

StaticForces::~StaticForces() = default;

StaticForces::StaticForces(const Model& model) : at_rest_(taut::at_rest(model)), unit_(with_unit_masses(at_rest_)) {
  require_soft_ground(model);
  // Weight and loads, which do not depend on the positions.
  const Model bare = without_stiffness(at_rest_);
  const Dynamics loaded(bare, "nodal", ConstraintMethod::projection);
  Terms terms = loaded.make_terms();
  const State state = loaded.start();
  loaded.forces(0.0, state.q(), state.v(), terms);
  for (std::size_t i = 0; i < bare.nodes.size(); ++i) external_.emplace_back(terms.force.data() + 4 * i);
  at_rest_.gravity.setZero();
  at_rest_.loads.clear();
  dynamics_ = std::make_unique<Dynamics>(at_rest_, "nodal", ConstraintMethod::projection);
  terms_ = dynamics_->make_terms();
  dynamics_->forces(0.0, state.q(), state.v(), terms_);
  start_length_ = terms_.cables.length;
  full_rest_ = terms_.cables.rest;

  unit_formulation_ = make_formulation("nodal", unit_);
  unit_terms_ = unit_formulation_->make_terms();
  tangent_ = std::make_unique<ForceTangent>(at_rest_, dynamics_->cables());
  balance_ = std::make_unique<NodeBalance>(at_rest_, *unit_formulation_);
  int members = 0;
  for (int s = 0; s < cables().slots(); ++s) {
    if (cables().piece_a(cables().piece_begin(s)) == cables().piece_b(cables().piece_begin(s))) continue;
    stiffness_force_ += steepest(cables().law(s), full_rest_[s]) * start_length_[s];
    ++members;
  }
  if (members > 0) stiffness_force_ /= members;
  double pull = 0.0;
  for (const Vec3& force : external_) pull += force.norm();
  contact_slope_ = contact_slope(at_rest_, pull);
  rider_share_ = rider_shares(at_rest_);
}

Eigen::VectorXd StaticForces::start() const {
  Eigen::VectorXd x(3 * at_rest_.nodes.size());
  for (std::size_t i = 0; i < at_rest_.nodes.size(); ++i)
    x.segment<3>(3 * static_cast<long>(i)) = at_rest_.nodes[i].position;
  return x;
}

void StaticForces::set_level(double s) {
  level_ = s;
  for (int slot = 0; slot < cables().slots(); ++slot) {
    terms_.cables.rest[slot] = rest_at(s, start_length_[slot], full_rest_[slot]);
    terms_.cables.stiffness[slot] = stiffness_at(cables().law(slot), terms_.cables.rest[slot]);
  }
}

void StaticForces::set_rest_length(int cable, double rest_length) {
  const int slot = cables().slot_of_cable(cable);
  full_rest_[slot] = rest_length;
  set_level(1.0);
}

void StaticForces::place(const Eigen::VectorXd& x) {
  for (std::size_t i = 0; i < at_rest_.nodes.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) terms_.x[4 * i + axis] = x[3 * static_cast<long>(i) + axis];
}

void StaticForces::forces(const AlignedDoubles& x, AlignedDoubles& f) {
  terms_.x = x;
  dynamics_->node_forces(0.0, terms_);
  for (std::size_t i = 0; i < external_.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) terms_.force[4 * i + axis] += level_ * external_[i][axis];
  f = terms_.force;
}

void StaticForces::forces(const Eigen::VectorXd& x, Eigen::VectorXd& f) {
  place(x);
  dynamics_->node_forces(0.0, terms_);
  f.setZero(x.size());
  for (int i : unknowns()) f[i] = terms_.force[4 * (i / 3) + i % 3] + level_ * external_[i / 3][i % 3];
}

NetForce StaticForces::net_force(const Eigen::VectorXd& x) {
  NetForce result;
  forces(x, result.net);
  balance_->place(x.data());
  result.multiplier = balance_->split(result.net);

  // Members: cables and elastic bars, then rigid bars.
  double sum = 0.0;
  std::size_t members = at_rest_.cables.size();
  for (double tension : terms_.cables.tension) sum += std::abs(tension);
  for (const Bar& bar : at_rest_.bars) members += bar.elastic;
  for (int row = 0; row < constraints(); ++row) {
    const auto [a, b] = ends_of_row(row);
    if (a < 0) continue;
    sum += std::abs(result.multiplier[row]) * (x.segment<3>(3 * b) - x.segment<3>(3 * a)).norm();
    ++members;
  }
  if (members > 0) result.mean = sum / static_cast<double>(members);
  for (long i = 0; i < x.size() / 3; ++i) {
    const double size = result.net.segment<3>(3 * i).norm();
    if (!(size <= result.largest)) result.largest = size, result.worst_node = static_cast<int>(i);
  }
  const double scale = std::max(result.mean, 1e-9 * stiffness_force_);
  result.residual = result.largest > 0.0 ? (scale > 0.0 ? result.largest / scale : 1.0) : 0.0;
  if (!std::isfinite(result.largest)) result.residual = INFINITY;
  return result;
}

bool StaticForces::project(Eigen::VectorXd& x) {
  // A kick of nothing leaves the factorisation of the constraints behind, which the projection starts from.
  Eigen::VectorXd still = Eigen::VectorXd::Zero(x.size());
  unit_formulation_->place_nodes(x.data(), still.data(), unit_terms_);
  unit_formulation_->leapfrog()->kick(0.0, unit_terms_);
  const double moved = unit_formulation_->project(x.data(), still.data(), unit_terms_);
  return moved >= 0.0 && x.allFinite();
}

double StaticForces::constraint_error(const Eigen::VectorXd& x) const {
  return unit_formulation_->constraint_errors(x.data()).length;
}

void StaticForces::stiffness(const NetForce& at, std::vector<SparseEntry>& entries) {
  entries.clear();
  const auto add = [&](int i, int j, double value) {
    const int row = balance_->unknown_of()[i], column = balance_->unknown_of()[j];
    if (row >= 0 && column >= 0 && row <= column) entries.push_back({row, column, value});
  };
  tangent_->evaluate(terms_);
  std::size_t first = 0;
  for (const auto& [i, j] : tangent_->blocks()) {
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) add(3 * i + r, 3 * j + c, -tangent_->by_position()[first + 3 * r + c]);
    first += 9;
  }
  for (int row = 0; row < constraints(); ++row) {
    const auto [a, b] = ends_of_row(row);
    for (int axis = 0; a >= 0 && axis < 3; ++axis) {
      const double mu = at.multiplier[row];
      add(3 * a + axis, 3 * a + axis, mu);
      add(3 * b + axis, 3 * b + axis, mu);
      add(3 * a + axis, 3 * b + axis, -mu);
      add(3 * b + axis, 3 * a + axis, -mu);
    }
  }
}

std::vector<double> StaticForces::stiffness_bounds(const NetForce& at) const {
  std::vector<double> bound(at_rest_.nodes.size(), contact_slope_);
  for (std::size_t i = 0; i < bound.size(); ++i) bound[i] += contact_slope_ * rider_share_[i];
  const CableTerms& terms = terms_.cables;
  std::vector<Vec3> gradient(at_rest_.nodes.size(), Vec3::Zero());
  for (int s = 0; s < cables().slots(); ++s) {
    // Row sums of k g gᵀ + T H.
    const int begin = cables().piece_begin(s), end = cables().piece_end(s);
    const double rest = full_rest_[s], k = std::max(steepest(cables().law(s), rest), terms.stiffness[s]);
    const double tension =
        std::max(std::abs(terms.tension[s]), elastic_tension(cables().law(s), terms.length[s] - rest, rest));
    double total = 0.0;
    for (int p = begin; p < end; ++p) {
      const Vec3 d(terms.direction[4 * p], terms.direction[4 * p + 1], terms.direction[4 * p + 2]);
      const double length = d.norm();
      if (!(length > 0.0)) continue;
      gradient[cables().piece_a(p)] -= d / length;
      gradient[cables().piece_b(p)] += d / length;
      const double across = 2.0 * tension / std::max(length, 1e-3 * terms.length[s]);
      bound[cables().piece_a(p)] += across;
      bound[cables().piece_b(p)] += across;
    }
    const auto each_node = [&](const auto& action) {
      for (int p = begin; p < end; ++p)
        for (int node : {cables().piece_a(p), cables().piece_b(p)}) action(node);
    };
    each_node([&](int node) { total += gradient[node].norm(); });
    each_node([&](int node) {
      bound[node] += k * gradient[node].norm() * total;
      gradient[node].setZero();
    });
  }
  for (int row = 0; row < constraints(); ++row)
    if (const auto [a, b] = ends_of_row(row); a >= 0) {
      bound[a] += 2.0 * std::abs(at.multiplier[row]);
      bound[b] += 2.0 * std::abs(at.multiplier[row]);
    }
  return bound;
}

double StaticForces::rounding(const NetForce& at) const {
  double size = 0.0, stiffest = 0.0;
  for (double x : terms_.x) size = std::max(size, std::abs(x));
  for (int s = 0; s < cables().slots(); ++s) stiffest = std::max(stiffest, steepest(cables().law(s), full_rest_[s]));
  const double scale = std::max(at.mean, 1e-9 * stiffness_force_);
  return scale > 0.0 ? 1.2e-16 * stiffest * size / scale : 0.0;
}

}  // namespace taut
