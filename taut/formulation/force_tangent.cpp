#include "taut/formulation/force_tangent.h"

namespace taut {

namespace {

// Where the force across a cable depends on its length.
bool vector_damped_softplus(const Cables& cables) {
  for (int s = 0; s < cables.slots(); ++s)
    if (cables.law(s).damping_model == DampingModel::vector && cables.law(s).kind == LawKind::softplus) return true;
  return false;
}

}  // namespace

ForceTangent::ForceTangent(const Model& model, const Cables& cables)
    : cables_(cables),
      cable_tangent_(cables),
      drag_(model),
      contact_tangent_(model),
      blocks_(cable_tangent_.blocks()),
      symmetric_(!cables.slides() && !vector_damped_softplus(cables) && !Contact(model).any()) {
  for (const Drag::DraggedBar& bar : drag_.bars())
    for (const auto& block : {std::pair{bar.a, bar.a}, {bar.a, bar.b}, {bar.b, bar.a}, {bar.b, bar.b}})
      blocks_.push_back(block);
  before_contact_ = blocks_.size();
  blocks_.insert(blocks_.end(), contact_tangent_.blocks().begin(), contact_tangent_.blocks().end());
}

void ForceTangent::evaluate(const Terms& terms) {
  cable_tangent_.evaluate(cables_, terms.cables, terms.xd.data(), by_position_, by_velocity_, &turning_);
  // Drag is linear in the velocities.
  std::size_t next = by_velocity_.size();
  by_position_.resize(9 * before_contact_, 0.0);
  by_velocity_.resize(9 * before_contact_, 0.0);
  for (const Drag::DraggedBar& bar : drag_.bars())
    for (double coefficient : {bar.aa, bar.ab, bar.ab, bar.bb}) {
      for (int axis = 0; axis < 3; ++axis) by_velocity_[next + 4 * axis] = coefficient;
      next += 9;
    }
  // Contact; its blocks may have grown.
  if (contact_tangent_.evaluate(terms.x.data(), terms.xd.data(), terms.contact, contact_by_position_,
                                contact_by_velocity_)) {
    blocks_.resize(before_contact_);
    blocks_.insert(blocks_.end(), contact_tangent_.blocks().begin(), contact_tangent_.blocks().end());
  }
  by_position_.insert(by_position_.end(), contact_by_position_.begin(), contact_by_position_.end());
  by_velocity_.insert(by_velocity_.end(), contact_by_velocity_.begin(), contact_by_velocity_.end());
}

}  // namespace taut
