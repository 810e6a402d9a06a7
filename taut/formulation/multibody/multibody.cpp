#include "taut/formulation/multibody/multibody.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/formulation/multibody/system/stabilise.h"
#include "taut/formulation/node_arrays.h"

namespace taut {

using namespace multibody;

Multibody::Multibody(Machine machine, const Model& model, std::vector<BarOnBody> bars, ModelJoints joints)
    : model_(&model), system_(std::move(machine)), bars_(std::move(bars)), joints_(std::move(joints)) {
  const Machine& m = system_.machine;
  if (m.points.size() != model.nodes.size())
    throw InputError(fmt::format("the machine has {} points for {} nodes", m.points.size(), model.nodes.size()));
  bars_.resize(model.bars.size());
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    if (model.bars[k].elastic || bars_[k].distance >= 0) continue;
    const int link = system_.tree.link_of(bars_[k].body);
    if (link == ground)
      throw InputError({problem_with("bar", model.bars[k].name, model.bars[k].place, "no body stands for it")});
    for (Vec3* end : {&bars_[k].a, &bars_[k].b}) *end = system_.tree.links[link].from_body.point(*end);
  }
  // Where a loop joint is comes from its bodies alone, which do not know how far a cable has unwound.
  CableStatus status;
  const JointVelocity rest{};
  for (const LoopJoint& loop : system_.loops.joints)
    if (JointPosition q{}; cable_status(loop.joint, q.data(), rest.data(), status))
      throw InputError({problem_with(m, system_.loops.groups[loop.group],
                                     "a cable cannot close a loop; expected another joint in the loop that does")});
  for (int c = 0; c < system_.tree.nv; ++c)
    if (system_.tree.imposed[c]) imposed_.push_back(c);
  link_of_joint_.assign(m.joints.size(), -1);
  loop_of_joint_ = link_of_joint_;
  for (std::size_t i = 0; i < system_.tree.links.size(); ++i)
    link_of_joint_[system_.tree.links[i].joint] = static_cast<int>(i);
  for (std::size_t i = 0; i < system_.loops.joints.size(); ++i)
    loop_of_joint_[system_.loops.groups[system_.loops.joints[i].group].index] = static_cast<int>(i);
  fill_facts();
}

void Multibody::fill_facts() {
  facts_.name = "multibody";
  facts_.nq = system_.tree.nq;
  facts_.nv = system_.tree.nv;
  facts_.constraints = system_.loops.rows + static_cast<int>(imposed_.size());
  facts_.redundant_constraints = system_.redundant;
  facts_.degrees_of_freedom = system_.degrees_of_freedom;
  facts_.weighs_itself = has_joints(*model_);
  for (const bool rates : {false, true})
    for (const Link& link : system_.tree.links) {
      const Connection& joint = system_.machine.joints[link.joint];
      for (int i = 0; i < (rates ? link.nv : link.nq); ++i)
        facts_.state_names.push_back(joint.name + "." +
                                     (rates ? velocity_name(joint.joint, i) : coordinate_name(joint.joint, i)));
    }
}

State Multibody::start() const {
  State state(facts_.nq, facts_.nv);
  std::copy(system_.q.begin(), system_.q.end(), state.q());
  std::copy(system_.v.begin(), system_.v.end(), state.v());
  return state;
}

Terms Multibody::make_terms() const {
  Terms terms;
  for (AlignedDoubles* array : {&terms.x, &terms.xd, &terms.force}) array->assign(4 * model_->nodes.size(), 0.0);
  terms.torque.assign(facts_.nv, 0.0);
  terms.lambda.assign(facts_.constraints, 0.0);
  terms.own = multibody::make_terms(system_);
  drive(system_, 0.0, own(terms));
  return terms;
}

void Multibody::place_nodes(const double* q, const double* v, Terms& terms) const {
  SystemTerms& t = own(terms);
  place(system_, q, v, t);
  for (int i = 0; i < static_cast<int>(model_->nodes.size()); ++i) {
    put3(terms.x.data(), i, position(system_.tree, i, t.tree));
    put3(terms.xd.data(), i, velocity(system_.tree, i, t.tree));
  }
}

void Multibody::coordinate_rates(const double* q, const double* v, double* q_rate) const {
  multibody::coordinate_rates(system_.tree, q, v, q_rate);
}

SystemTerms& Multibody::load(Terms& terms) const {
  SystemTerms& t = own(terms);
  drive(system_, terms.time, t);
  set_weight(system_.tree, t.tree);
  for (int i = 0; i < static_cast<int>(model_->nodes.size()); ++i)
    add_force(system_.tree, i, at3(terms.force.data(), i), t.tree);
  for (std::size_t c = 0; c < terms.held.size(); ++c)
    if (!std::isnan(terms.held[c])) t.applied[c] = terms.held[c];
  for (int c = 0; c < facts_.nv; ++c)
    if (terms.torque[c] != 0.0) t.applied[c] += terms.torque[c];
  return t;
}

void Multibody::accelerate(const double* q, const double* v, const DriftGains& gains, Terms& terms,
                           double* v_rate) const {
  SystemTerms& t = load(terms);
  multibody::accelerate(system_, q, v, gains, t, v_rate);
  terms.dissipated_power += t.dissipated;
  terms.work_power += t.supplied + t.drive_power;
  // The multipliers of imposed velocities are the torques that drive them.
  std::copy(t.lambda.begin(), t.lambda.end(), terms.lambda.begin());
  for (std::size_t i = 0; i < imposed_.size(); ++i) terms.lambda[t.lambda.size() + i] = t.torque[imposed_[i]];
}

void Multibody::node_accelerations(const double*, const double*, const double* v_rate, Terms& terms, double* a) const {
  TreeTerms& tree = own(terms).tree;
  accelerations(system_.tree, v_rate, tree);
  for (int i = 0; i < static_cast<int>(model_->nodes.size()); ++i) put3(a, i, acceleration(system_.tree, i, tree));
}

double Multibody::project(double* q, double* v, Terms& terms) const {
  SystemTerms& t = own(terms);
  drive(system_, terms.time, t);
  return multibody::project(system_, q, v, t, terms.corrections);
}

SystemTerms Multibody::placed(const double* q, const double* v) const {
  SystemTerms t = multibody::make_terms(system_);
  drive(system_, 0.0, t);
  const std::vector<double> rest(v ? 0 : facts_.nv, 0.0);
  place(system_, q, v ? v : rest.data(), t);
  set_weight(system_.tree, t.tree);
  return t;
}

double Multibody::kinetic_energy(const double* q, const double* v, double) const {
  TreeTerms t = multibody::make_terms(system_.tree);
  place(system_.tree, q, v, t);
  return multibody::kinetic_energy(system_.tree, t);
}

ConstraintErrors Multibody::constraint_errors(const double* q, double) const {
  const SystemTerms t = placed(q, nullptr);
  ConstraintErrors error{loop_error(system_, t), 0.0};
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    const Bar& bar = model_->bars[k];
    if (bar.elastic) continue;
    Vec3 b = bars_[k].b - bars_[k].a;
    if (bars_[k].distance >= 0) b = position(system_.tree, bar.b, t.tree) - position(system_.tree, bar.a, t.tree);
    error.bars = std::max(error.bars, std::abs(b.norm() / bar.rest_length - 1.0));
  }
  return error;
}

}  // namespace taut
