#include "taut/control/inverse/input_response.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/forces/sliding.h"
#include "taut/model/control_names.h"

namespace taut {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double noise = 1e-12;            // of the largest effect that an input has: less is none
constexpr double largest_change = 0x1p40;  // to look for an effect
constexpr double margin = 64.0;            // by which the effect of a change is to exceed what there is without it

double largest(const AlignedDoubles& nodes) {
  double most = 0.0;
  for (std::size_t i = 0; i < nodes.size(); i += 4)
    for (std::size_t axis = 0; axis < 3; ++axis) most = std::max(most, std::abs(nodes[i + axis]));
  return most;
}

}  // namespace

InputResponse::InputResponse(const Dynamics& dynamics, const std::vector<ControlInput>& inputs,
                             std::vector<ForceBound> forces)
    : dynamics_(&dynamics), forces_(std::move(forces)), terms_(dynamics.make_terms()) {
  const Model& model = dynamics.model();
  for (const ControlInput& input : inputs) add_input(input);
  for (const ForceBound& force : forces_) add_force(force);
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  for (const Node& node : model.nodes) {
    low = low.cwiseMin(node.position);
    high = high.cwiseMax(node.position);
  }
  if (const double size = (high - low).maxCoeff(); size > 0.0) size_ = size;
  q_.resize(static_cast<std::size_t>(dynamics.formulation().facts().nq));
  v_.resize(static_cast<std::size_t>(dynamics.formulation().facts().nv));
  v_rate_.setZero(dynamics.formulation().facts().nv);
  v_rate0_ = v_rate_;
  base_.assign(4 * model.nodes.size(), 0.0);
  nodes_ = nodes0_ = base_;
  bar_forces_.resize(model.bars.size());
  if (of_pulleys_) joint_values_.resize(joint_columns(model).size());
}

void InputResponse::add_input(const ControlInput& input) {
  const Model& model = dynamics_->model();
  Input made;
  if (input.cable >= 0) {
    if (input.cable >= std::ssize(model.cables))
      throw InputError(fmt::format("input cable {}: the model has {} cables", input.cable + 1, model.cables.size()));
    const Cables& cables = dynamics_->cables();
    made.slot = cables.slot_of_cable(input.cable);
    const auto pieces = static_cast<std::size_t>(cables.piece_end(made.slot) - cables.piece_begin(made.slot));
    made.share.assign(pieces, 1.0);
    made.slip.assign(pieces, 0.0);
    input_names_.push_back(
        fmt::format("tension of cable {}", model.cables[static_cast<std::size_t>(input.cable)].name));
    input_units_.push_back("N");
  } else {
    if (input.joint < 0 || input.joint >= std::ssize(model.joints))
      throw InputError(fmt::format("input joint {}: the model has {} joints", input.joint + 1, model.joints.size()));
    const JointSpec& joint = model.joints[static_cast<std::size_t>(input.joint)];
    const int velocities = joint_velocities(joint.type);
    if (input.coordinate < 0 || input.coordinate >= velocities)
      throw InputError(
          fmt::format("input joint {}: coordinate {} of {}", joint.name, input.coordinate + 1, velocities));
    const JointIndices at = dynamics_->formulation().joints()->joint_indices(input.joint);
    if (at.v < 0)
      throw InputError(
          fmt::format("input joint {}: it closes a loop, and no torque acts there; expected a joint of the "
                      "tree (role = \"tree\")",
                      joint.name));
    made.velocity = at.v + input.coordinate;
    if (at.imposed)
      throw InputError(fmt::format("input joint {}: the model imposes the motion of this joint", joint.name));
    const bool slides = joint.type == JointType::prismatic ||
                        (joint.type == JointType::planar && input.coordinate < 2) ||
                        (joint.type == JointType::floating && input.coordinate >= 3);
    input_names_.push_back(fmt::format("{} on {}", slides ? "force" : "torque", input_name(model, input)));
    input_units_.push_back(slides ? "N" : "N m");
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].slot == made.slot && inputs_[i].velocity == made.velocity)
      throw InputError(fmt::format("input {}: it is named twice", input_names_.back()));
  inputs_.push_back(std::move(made));
}

void InputResponse::add_force(const ForceBound& force) {
  const Model& model = dynamics_->model();
  int column = -1;
  if (force.kind == ForceBound::Kind::bar) {
    if (force.index < 0 || force.index >= std::ssize(model.bars))
      throw InputError(fmt::format("bound on bar {}: the model has {} bars", force.index + 1, model.bars.size()));
    const Bar& bar = model.bars[static_cast<std::size_t>(force.index)];
    if (bar.elastic)
      throw InputError(
          fmt::format("bound on bar {}: it is elastic, and its force follows from the shape, which no input "
                      "changes at once",
                      bar.name));
    force_names_.push_back(fmt::format("force of bar {}", bar.name));
    of_bars_ = true;
  } else {
    if (force.index < 0 || force.index >= std::ssize(model.pulleys))
      throw InputError(
          fmt::format("bound on pulley {}: the model has {} pulleys", force.index + 1, model.pulleys.size()));
    const PulleySpec& pulley = model.pulleys[static_cast<std::size_t>(force.index)];
    if (pulley.variant != PulleyVariant::rigid)
      throw InputError(
          fmt::format("bound on pulley {}: its cable is elastic, and its tension follows from the strain, "
                      "which no input changes at once",
                      pulley.name));
    force_names_.push_back(fmt::format("tension of pulley {}", pulley.name));
    const std::vector<std::string> columns = joint_columns(model);
    column = static_cast<int>(std::find(columns.begin(), columns.end(), pulley.name + ".tension") - columns.begin());
    of_pulleys_ = true;
  }
  pulley_column_.push_back(column);
  if (!(force.bounds.least <= force.bounds.most))
    throw InputError(fmt::format("{}: the bounds {:g} and {:g} N cross", force_names_.back(), force.bounds.least,
                                 force.bounds.most));
}

void InputResponse::place(double t, const double* q, const double* v) {
  std::copy_n(q, q_.size(), q_.data());
  std::copy_n(v, v_.size(), v_.data());
  dynamics_->forces(t, q_.data(), v_.data(), terms_);
  // Without the inputs: what their cables pull now is taken out.
  base_ = terms_.force;
  const Cables& cables = dynamics_->cables();
  for (Input& input : inputs_) {
    if (input.slot < 0) continue;
    const int begin = cables.piece_begin(input.slot), end = cables.piece_end(input.slot);
    for (int p = begin; p < end; ++p)
      for (int axis = 0; axis < 3; ++axis) {
        const double force = terms_.cables.pull[static_cast<std::size_t>(p)] *
                             terms_.cables.direction[4 * static_cast<std::size_t>(p) + axis];
        base_[4 * static_cast<std::size_t>(cables.piece_a(p)) + axis] -= force;
        base_[4 * static_cast<std::size_t>(cables.piece_b(p)) + axis] += force;
      }
    if (cables.slides(input.slot))
      slide(cables.sliding(input.slot, terms_.cables, terms_.xd.data()), input.share.data(), input.slip.data());
  }
}

// Adds a tension along the path, with the losses of a cable that slides with friction.
void InputResponse::pull(const Input& input, double tension) {
  const Cables& cables = dynamics_->cables();
  const int begin = cables.piece_begin(input.slot), end = cables.piece_end(input.slot);
  for (int p = begin; p < end; ++p) {
    const Vec3 d(terms_.cables.direction.data() + 4 * static_cast<std::size_t>(p));
    const Vec3 force = tension * input.share[static_cast<std::size_t>(p - begin)] * d.normalized();
    Vec3::Map(terms_.force.data() + 4 * static_cast<std::size_t>(cables.piece_a(p))) += force;
    Vec3::Map(terms_.force.data() + 4 * static_cast<std::size_t>(cables.piece_b(p))) -= force;
  }
}

void InputResponse::accelerate(Input* input, double amount) {
  terms_.force = base_;
  std::fill(terms_.torque.begin(), terms_.torque.end(), 0.0);
  if (input && input->slot >= 0) pull(*input, amount);
  if (input && input->velocity >= 0) terms_.torque[static_cast<std::size_t>(input->velocity)] = amount;
  const Formulation& formulation = dynamics_->formulation();
  formulation.accelerate(q_.data(), v_.data(), dynamics_->gains(), terms_, v_rate_.data());
  formulation.node_accelerations(q_.data(), v_.data(), v_rate_.data(), terms_, nodes_.data());
}

void InputResponse::read_forces(VectorXd& out) {
  out.resize(static_cast<long>(forces_.size()));
  if (of_bars_) dynamics_->formulation().bar_forces(terms_, bar_forces_.data());
  if (of_pulleys_) dynamics_->formulation().joints()->joint_values(q_.data(), v_.data(), terms_, joint_values_.data());
  for (std::size_t i = 0; i < forces_.size(); ++i)
    out[static_cast<long>(i)] = forces_[i].kind == ForceBound::Kind::bar
                                    ? bar_forces_[static_cast<std::size_t>(forces_[i].index)]
                                    : joint_values_[static_cast<std::size_t>(pulley_column_[i])];
}

void InputResponse::evaluate(const TargetMotion& targets, VectorXd& a0, MatrixXd& A, VectorXd& c0, MatrixXd& C,
                             VectorXd& size) {
  const long n = static_cast<long>(inputs_.size());
  A.resize(targets.size(), n);
  C.resize(static_cast<long>(forces_.size()), n);
  size.resize(targets.size());
  accelerate(nullptr, 0.0);
  targets.accelerations(nodes_.data(), v_rate_.data(), a0);
  read_forces(c0);
  nodes0_ = nodes_;
  v_rate0_ = v_rate_;
  const double most_v = v_rate0_.cwiseAbs().maxCoeff();
  // Also where everything is held: what the forces would do to the mass of all, or the weight.
  const double most_node = std::max(
      {largest(nodes0_), largest(base_) / dynamics_->total_mass(), dynamics_->model().gravity.cwiseAbs().maxCoeff()});
  for (int i = 0; i < targets.size(); ++i) size[i] = targets.reach(i, most_node, std::max(most_v, most_node / size_));
  for (long j = 0; j < n; ++j) {
    Input& input = inputs_[static_cast<std::size_t>(j)];
    double node = 0.0, v = 0.0;
    for (int attempt = 0; attempt < 4; ++attempt) {
      accelerate(&input, input.change);
      node = v = 0.0;
      for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (i % 4 != 3) node = std::max(node, std::abs(nodes_[i] - nodes0_[i]));
      v = (v_rate_ - v_rate0_).cwiseAbs().maxCoeff();
      // The change shows beside what there is without it; if not, a larger one will, unless it does nothing at all.
      const double wanted = margin * most_v;
      if (v >= wanted || !std::isfinite(v) || !std::isfinite(wanted)) break;
      if (v == 0.0 && input.change >= largest_change) break;
      input.change = v > 1e-9 * wanted ? input.change * std::exp2(std::ceil(std::log2(2.0 * wanted / v)))
                                       : std::max(input.change, largest_change);
    }
    targets.accelerations(nodes_.data(), v_rate_.data(), a_);
    A.col(j) = (a_ - a0) / input.change;
    input.node = node / input.change;
    input.v = v / input.change;
    read_forces(c_);
    const double unit = input.slot >= 0 ? 1.0 : 1.0 / size_;
    for (long i = 0; i < c_.size(); ++i) {
      const double by = (c_[i] - c0[i]) / input.change;
      C(i, j) = std::abs(by) <= noise * unit ? 0.0 : by;
    }
  }
  remove_noise(targets, A);
}

// An input that moves nothing, such as a cable between fixed nodes, has nothing but rounding as its effect: so effects
// are judged beside those of the strongest input of its kind, and of a force on the mass of all.
void InputResponse::remove_noise(const TargetMotion& targets, MatrixXd& A) const {
  for (const bool cables : {true, false}) {
    const double mass = dynamics_->total_mass(), least = cables ? 1.0 / mass : 1.0 / (mass * size_ * size_);
    double node = cables ? least : least * size_, v = least;
    for (const Input& input : inputs_) {
      if ((input.slot >= 0) != cables) continue;
      node = std::max(node, input.node);
      v = std::max(v, input.v);
    }
    for (long j = 0; j < A.cols(); ++j)
      for (int i = 0; i < targets.size(); ++i)
        if ((inputs_[static_cast<std::size_t>(j)].slot >= 0) == cables &&
            std::abs(A(i, j)) <= noise * targets.reach(i, node, v))
          A(i, j) = 0.0;
  }
}

}  // namespace taut
