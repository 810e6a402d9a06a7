#include "taut/formulation/multibody/multibody.h"

#include <fmt/format.h>

#include <algorithm>

#include "taut/base/error.h"

namespace taut {

using namespace multibody;

namespace {

Vec3 at3(const AlignedDoubles& array, int node) {
  return {array[4 * static_cast<std::size_t>(node)], array[4 * static_cast<std::size_t>(node) + 1],
          array[4 * static_cast<std::size_t>(node) + 2]};
}

void put3(AlignedDoubles& array, int node, const Vec3& value) {
  for (int axis = 0; axis < 3; ++axis) array[4 * static_cast<std::size_t>(node) + axis] = value[axis];
}

}  // namespace

Multibody::Multibody(Mechanism mechanism, const Model& model, std::vector<BarOnBody> bars, ModelJoints joints)
    : model_(&model), system_(std::move(mechanism)), bars_(std::move(bars)), joints_(std::move(joints)) {
  const Mechanism& m = system_.mechanism;
  if (m.points.size() != model.nodes.size())
    throw InputError(fmt::format("the mechanism has {} points for {} nodes", m.points.size(), model.nodes.size()));
  bars_.resize(model.bars.size());
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    if (model.bars[k].elastic || bars_[k].distance >= 0) continue;
    const int link = system_.tree.link_of(bars_[k].body);
    if (link == ground) throw InputError(fmt::format("bar \"{}\": no body stands for it", model.bars[k].name));
    for (Vec3* end : {&bars_[k].a, &bars_[k].b}) *end = system_.tree.links[link].from_body.point(*end);
  }
  // Where a loop joint is comes from its bodies alone, which do not know how far a cable has unwound.
  CableStatus status;
  const JointVelocity rest{};
  for (const LoopJoint& loop : system_.loops.joints)
    if (JointPosition q{}; cable_status(loop.joint, q.data(), rest.data(), status))
      throw InputError(
          fmt::format("joint \"{}\": a cable cannot close a loop; expected another joint in the loop that "
                      "does",
                      m.joints[system_.loops.groups[loop.group].part].name));
  nq_ = system_.tree.nq;
  nv_ = system_.tree.nv;
  for (int c = 0; c < nv_; ++c)
    if (system_.tree.imposed[c]) imposed_.push_back(c);
  link_of_joint_.assign(m.joints.size(), -1);
  loop_of_joint_ = link_of_joint_;
  for (std::size_t i = 0; i < system_.tree.links.size(); ++i)
    link_of_joint_[system_.tree.links[i].joint] = static_cast<int>(i);
  for (std::size_t i = 0; i < system_.loops.joints.size(); ++i)
    loop_of_joint_[system_.loops.groups[system_.loops.joints[i].group].part] = static_cast<int>(i);
}

std::vector<std::string> Multibody::state_names() const {
  std::vector<std::string> names;
  for (const bool rates : {false, true})
    for (const Link& link : system_.tree.links) {
      const Connection& joint = system_.mechanism.joints[link.joint];
      for (int i = 0; i < (rates ? link.nv : link.nq); ++i)
        names.push_back(joint.name + "." + (rates ? velocity_name(joint.joint, i) : coordinate_name(joint.joint, i)));
    }
  return names;
}

State Multibody::start() const {
  State state(nq_, nv_);
  std::copy(system_.q.begin(), system_.q.end(), state.q());
  std::copy(system_.v.begin(), system_.v.end(), state.v());
  return state;
}

Terms Multibody::make_terms() const {
  Terms terms;
  for (AlignedDoubles* array : {&terms.x, &terms.xd, &terms.force}) array->assign(4 * model_->nodes.size(), 0.0);
  terms.multiplier.assign(model_->bars.size(), 0.0);
  terms.multibody = Scratch(multibody::make_terms(system_));
  drive(system_, 0.0, *terms.multibody);
  return terms;
}

void Multibody::place_nodes(const double* q, const double* v, Terms& terms) const {
  SystemTerms& t = *terms.multibody;
  place(system_, q, v, t);
  for (int i = 0; i < static_cast<int>(model_->nodes.size()); ++i) {
    put3(terms.x, i, position(system_.tree, i, t.tree));
    put3(terms.xd, i, velocity(system_.tree, i, t.tree));
  }
}

void Multibody::coordinate_rates(const double* q, const double* v, double* q_rate) const {
  multibody::coordinate_rates(system_.tree, q, v, q_rate);
}

void Multibody::load(Terms& terms) const {
  SystemTerms& t = *terms.multibody;
  drive(system_, terms.time, t);
  set_weight(system_.tree, t.tree);
  for (int i = 0; i < static_cast<int>(model_->nodes.size()); ++i)
    add_force(system_.tree, i, at3(terms.force, i), t.tree);
  t.segment_end = terms.segment_end;
}

void Multibody::accelerate(const double* q, const double* v, const DriftGains& gains, Terms& terms,
                           double* v_rate) const {
  load(terms);
  SystemTerms& t = *terms.multibody;
  if (t.law) t.law->apply(q, v, t);
  multibody::accelerate(system_, q, v, gains, t, v_rate);
  terms.dissipated_power += t.dissipated;
  terms.work_power += t.supplied + t.drive_power;
}

double Multibody::project(double* q, double* v, Terms& terms) const {
  drive(system_, terms.time, *terms.multibody);
  return multibody::project(system_, q, v, *terms.multibody, terms.corrections);
}

SystemTerms Multibody::placed(const double* q, const double* v) const {
  SystemTerms t = multibody::make_terms(system_);
  drive(system_, 0.0, t);
  const std::vector<double> rest(v ? 0 : nv_, 0.0);
  place(system_, q, v ? v : rest.data(), t);
  set_weight(system_.tree, t.tree);
  return t;
}

double Multibody::kinetic_energy(const double* q, const double* v) const {
  TreeTerms t = multibody::make_terms(system_.tree);
  place(system_.tree, q, v, t);
  return multibody::kinetic_energy(system_.tree, t);
}

double Multibody::constraint_error(const double* q) const { return loop_error(system_, placed(q, nullptr)); }

double Multibody::bar_length_error(const double* q) const {
  double most = 0.0;
  std::optional<SystemTerms> t;
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    const Bar& bar = model_->bars[k];
    if (bar.elastic) continue;
    Vec3 b = bars_[k].b - bars_[k].a;
    if (bars_[k].distance >= 0) {
      if (!t) t = placed(q, nullptr);
      b = position(system_.tree, bar.b, t->tree) - position(system_.tree, bar.a, t->tree);
    }
    most = std::max(most, std::abs(b.norm() / bar.rest_length - 1.0));
  }
  return most;
}

SparseMatrix Multibody::mass_matrix(const double* q) const {
  const SystemTerms t = placed(q, nullptr);
  const auto pattern = mass_pattern(system_.tree);
  std::vector<Inertia> composite(system_.tree.links.size());
  std::vector<double> values(pattern.size());
  multibody::mass_matrix(system_.tree, t.tree, composite, values.data());
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    const auto& [i, j] = pattern[k];
    entries.emplace_back(i, j, values[k]);
    if (i != j) entries.emplace_back(j, i, values[k]);
  }
  SparseMatrix matrix(nv_, nv_);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Eigen::VectorXd Multibody::velocity_forces(const double* q, const double* v) const {
  SystemTerms t = placed(q, v);
  std::fill(t.imposed_rate.begin(), t.imposed_rate.end(), 0.0);  // their part is H v̇
  equations(system_, q, v, {}, t);
  return Eigen::VectorXd::Map(t.bias.data(), nv_);
}

SparseMatrix Multibody::constraint_jacobian(const double* q) const {
  const SystemTerms t = placed(q, nullptr);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < system_.loops.pattern.size(); ++k)
    entries.emplace_back(system_.loops.pattern[k].first, system_.loops.pattern[k].second, t.loops.K[k]);
  for (std::size_t i = 0; i < imposed_.size(); ++i)
    entries.emplace_back(system_.loops.rows + static_cast<int>(i), imposed_[i], 1.0);
  SparseMatrix matrix(constraints(), nv_);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Eigen::VectorXd Multibody::constraint_values(const double* q) const {
  const SystemTerms t = placed(q, nullptr);
  Eigen::VectorXd values = Eigen::VectorXd::Zero(constraints());
  std::copy(t.loops.g.begin(), t.loops.g.end(), values.data());
  int row = system_.loops.rows;
  for (std::size_t i = 0; i < system_.tree.links.size(); ++i) {
    const Link& link = system_.tree.links[i];
    if (!link.imposed) continue;
    difference(system_.tree.joints[i], t.imposed_q.data() + link.q, q + link.q, values.data() + row);
    row += link.nv;
  }
  return values;
}

Eigen::VectorXd Multibody::constraint_bias(const double* q, const double* v) const {
  SystemTerms t = placed(q, v);
  accelerations(system_.tree, nullptr, t.tree);
  loop_bias(system_.loops, system_.tree, t.tree, t.loops);
  Eigen::VectorXd bias(constraints());
  std::copy(t.loops.k.begin(), t.loops.k.end(), bias.data());
  for (std::size_t i = 0; i < imposed_.size(); ++i)
    bias[system_.loops.rows + static_cast<int>(i)] = t.imposed_rate[imposed_[i]];
  return bias;
}

SparseMatrix Multibody::node_map(const double* q) const {
  const SystemTerms t = placed(q, nullptr);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < static_cast<int>(model_->nodes.size()); ++i) {
    const LinkPoint& p = system_.tree.points[i];
    if (p.link == ground) continue;
    // A unit force on the node along each axis, seen from every link below it.
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 f = t.tree.links[p.link].world.E.col(axis);
      Vec6 force = spatial(p.position.cross(f), f);
      for (int j = p.link; j != ground; j = system_.tree.links[j].parent) {
        const Link& link = system_.tree.links[j];
        for (int c = link.v; c < link.v + link.nv; ++c) entries.emplace_back(3 * i + axis, c, t.tree.S[c].dot(force));
        force = t.tree.links[j].X.force_back(force);
      }
    }
  }
  SparseMatrix matrix(3 * static_cast<long>(model_->nodes.size()), nv_);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace taut
