#include "taut/run/observe.h"

#include <algorithm>

#include "taut/formulation/node_coordinates.h"
#include "taut/run/memory_row.h"

namespace taut {

Observer::Observer(const Dynamics& dynamics, double duration)
    : dynamics_(dynamics),
      terms_(dynamics.make_terms()),
      rate_(Eigen::VectorXd::Zero(dynamics.size())),
      frames_(dynamics.model()) {
  terms_.segment_end = duration;
  const Model& model = dynamics.model();
  sample_.nodes.resize(3 * model.nodes.size());
  sample_.velocities.resize(3 * model.nodes.size());
  sample_.tensions.resize(model.cables.size());
  sample_.lengths.resize(model.cables.size());
  sample_.rest_lengths.resize(model.cables.size());
  sample_.bar_forces.resize(model.bars.size());
  sample_.bar_lengths.resize(model.bar_drives.size());
  sample_.bar_rest_lengths.resize(model.bar_drives.size());
  sample_.support_forces.resize(
      3 * std::count_if(model.nodes.begin(), model.nodes.end(), [](const Node& n) { return n.fixed != Axes{}; }));
  sample_.joints.resize(joint_columns(model).size());
  sample_.bodies.resize(pose_columns * posed_carriers(model).size());
  if (!dynamics.formulation().joints()) bodies_ = BodyPoses(model);
  terms_.contact.keep_forces = dynamics.contact().presses();
  if (dynamics.contact().presses()) sample_.contact_forces.resize(3 * model.nodes.size());
}

Sample& Observer::observe(const State& state) {
  const Cables& cables = dynamics_.cables();
  const Formulation& formulation = dynamics_.formulation();
  dynamics_.recall(state, terms_);
  dynamics_.rhs(state.t, state.y.data(), rate_.data(), terms_);
  sample_.t = state.t;
  for (std::size_t i = 0; i < sample_.nodes.size(); ++i) {
    sample_.nodes[i] = terms_.x[i + i / 3];
    sample_.velocities[i] = terms_.xd[i + i / 3];
  }
  for (int i = 0; i < static_cast<int>(sample_.tensions.size()); ++i) {
    sample_.tensions[i] = terms_.cables.tension[cables.slot_of_cable(i)];
    sample_.lengths[i] = terms_.cables.length[cables.slot_of_cable(i)];
    sample_.rest_lengths[i] = terms_.cables.rest[cables.slot_of_cable(i)];
  }
  observe_driven_bars(state.t);
  formulation.bar_forces(terms_, sample_.bar_forces.data());
  for (int i = 0; i < static_cast<int>(sample_.bar_forces.size()); ++i)
    if (const int slot = cables.slot_of_bar(i); slot >= 0) sample_.bar_forces[i] = terms_.cables.tension[slot];

  for (std::size_t i = 0; i < sample_.contact_forces.size(); ++i)
    sample_.contact_forces[i] = terms_.contact.force[i + i / 3];

  if (!sample_.support_forces.empty())
    formulation.support_forces(terms_, rate_.data() + formulation.facts().nq, sample_.support_forces.data());

  if (!sample_.joints.empty()) formulation.joints()->joint_values(state.q(), state.v(), terms_, sample_.joints.data());
  frames_.place(sample_.nodes, sample_.frames);
  if (formulation.joints())
    formulation.joints()->body_poses(terms_, sample_.bodies.data());
  else
    bodies_.place(sample_.nodes, sample_.bodies.data());
  if (!nodes_are_coordinates(formulation)) sample_.coordinates.assign(state.q(), state.q() + state.nq + state.nv);
  put_memory(dynamics_, state, sample_.memory);

  auto& energy = sample_.energy;
  energy[kinetic] = formulation.kinetic_energy(state.q(), state.v(), state.t);
  const JointEnergy own = formulation.joints() ? formulation.joints()->joint_energy(terms_) : JointEnergy{};
  energy[elastic] = cables.elastic_energy(terms_.cables) + own.elastic;
  energy[gravity] = dynamics_.gravity_energy(terms_) + own.gravity;
  energy[contact] = dynamics_.contact_energy(terms_);
  energy[dissipated] = state.dissipated() + state.memory.yielded;
  energy[work] = state.work();
  energy[balance] =
      energy[kinetic] + energy[elastic] + energy[gravity] + energy[contact] + energy[dissipated] - energy[work];
  const ConstraintErrors errors = formulation.constraint_errors(state.q(), state.t);
  sample_.constraint_error = errors.length;
  bar_length_error_ = errors.bars;
  return sample_;
}

void Observer::observe_driven_bars(double t) {
  const Model& model = dynamics_.model();
  for (std::size_t i = 0; i < model.bar_drives.size(); ++i) {
    const Bar& bar = model.bars[model.bar_drives[i].bar];
    sample_.bar_lengths[i] = (Vec3(terms_.x.data() + 4 * bar.b) - Vec3(terms_.x.data() + 4 * bar.a)).norm();
    sample_.bar_rest_lengths[i] = value(model.bar_drives[i].length, t);
  }
}

}  // namespace taut
