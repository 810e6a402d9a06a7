#include "taut/control/roll.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "taut/control/shape_response.h"
#include "taut/control/stance.h"

namespace taut {

namespace {

constexpr double slow = 0.05;         // of √(g size): a robot whose nodes move no faster is at rest
constexpr double time_to_fall = 6.0;  // of √(size/g), after the winding
constexpr double wound = 0.01;        // rest lengths are back when they differ by this part
constexpr double least_reach = 0.4;   // of the way to the edge, to first order: those within go further than that tells
constexpr double gain_of_meeting = 1.25;

class Roll final : public Controller {
 public:
  Roll(const Model& model, const ControllerSpec& spec)
      : model_(model), settings_(spec.roll), finder_(model), response_(model), cables_(model.cables.size()) {
    std::iota(cables_.begin(), cables_.end(), 0);
    for (const int cable : cables_) inputs_.push_back({cable, -1, 0, {}});
    direction_ = Vec3(settings_.direction[0], settings_.direction[1], 0.0).normalized();
    double longest = 0.0;
    for (const Cable& cable : model.cables) longest = std::max(longest, cable.rest_length);
    const double gravity = model.gravity.norm();
    at_rest_ = slow * std::sqrt(gravity * finder_.size());
    patience_ = time_to_fall * std::sqrt(finder_.size() / gravity) +
                longest * std::max(1.0 - settings_.shortest, settings_.longest - 1.0) / settings_.speed;
  }

  const std::vector<ControlInput>& inputs() const override { return inputs_; }
  double speed() const override { return settings_.speed; }

  std::string update(const Observation& now, std::vector<double>& targets) override {
    const Stance stance = finder_.find(now.x);
    if (!begun_) origin_ = stance.centre, begun_ = true;
    if (stance.stands && stance.base != seen_) before_ = std::exchange(seen_, stance.base);
    // Over the edge, or to no avail.
    if (pushing_ && (over(stance) || now.t > pushed_since_ + patience_)) pushing_ = false;
    if (pushing_) {
      if (settings_.policy == RollPolicy::all_cables && stance.base == base_) push(stance, now, targets);
      return {};
    }
    stand(targets);
    if (!stance.stands || !quiet(now)) return {};
    std::string report = arrive(stance);
    choose(stance, now);
    push(stance, now, targets);
    pushed_since_ = now.t;
    pushing_ = true;
    return report;
  }

 private:
  // On another base. All cables together hold so much energy that the robot would roll on: they let go once it tips.
  bool over(const Stance& stance) const {
    if (stance.base != base_) return stance.stands;
    return settings_.policy == RollPolicy::all_cables && stance.edges[edge_].inside < 0.0;
  }

  // At rest: on a new base, or still on the old one, which the chosen edge did not lead away from.
  std::string arrive(const Stance& stance) {
    if (stance.base == base_) {
      given_up_[edge_] = true;
      return {};
    }
    base_ = stance.base;
    given_up_ = {};
    const auto node = [&](int i) { return model_.nodes[base_[i]].name; };
    return fmt::format("stands on {}, {}, {}", node(0), node(1), node(2));
  }

  void stand(std::vector<double>& targets) const {
    for (std::size_t j = 0; j < targets.size(); ++j) targets[j] = model_.cables[j].rest_length;
  }

  bool quiet(const Observation& now) const {
    for (std::size_t j = 0; j < cables_.size(); ++j) {
      const double rest = model_.cables[j].rest_length;
      if (std::abs(now.rest[j] - rest) > wound * rest) return false;
    }
    for (std::size_t i = 0; i < model_.nodes.size(); ++i)
      if (std::hypot(now.v[4 * i], now.v[4 * i + 1], now.v[4 * i + 2]) > at_rest_) return false;
    return true;
  }

  // Where to go from here: along the direction, and back to the line.
  Vec3 wanted(const Vec3& centre) const {
    const Vec3 across(-direction_.y(), direction_.x(), 0.0);
    return direction_ - across * std::clamp((centre - origin_).dot(across) / finder_.size(), -1.0, 1.0);
  }

  bool was_base(int node) const { return std::find(before_.begin(), before_.end(), node) != before_.end(); }

  // The way back comes after the others, then edges out of reach, last those given up.
  void choose(const Stance& stance, const Observation& now) {
    if (given_up_ == std::array<bool, 3>{true, true, true}) given_up_ = {};
    const Vec3 to = wanted(stance.centre).normalized();
    double best = -INFINITY;
    for (int k = 0; k < 3; ++k) {
      const BaseEdge& edge = stance.edges[k];
      double score = edge.outward.dot(to);
      if (was_base(edge.a) && was_base(edge.b)) score -= 2.0;
      if (reach(edge, now) < least_reach * edge.inside) score -= 4.0;
      if (given_up_[k]) score -= 8.0;
      if (score > best) best = score, edge_ = k;
    }
  }

  // How far the policy moves the centre of mass over the edge, to first order; looks there.
  double reach(const BaseEdge& edge, const Observation& now) {
    look(edge, now);
    double sum = 0.0;
    for (std::size_t j = 0; j < cables_.size(); ++j) sum += (target(static_cast<int>(j)) - now.rest[j]) * (*along_)[j];
    return sum;
  }

  void push(const Stance& stance, const Observation& now, std::vector<double>& targets) {
    look(stance.edges[edge_], now);
    for (std::size_t j = 0; j < targets.size(); ++j) targets[j] = target(static_cast<int>(j));
  }

  void look(const BaseEdge& edge, const Observation& now) {
    along_ = &response_.along(edge.outward, finder_.masses(), base_, now.x, now.rest);
    largest_ = 0.0;
    for (const double r : *along_) largest_ = std::max(largest_, std::abs(r));
    if (settings_.policy == RollPolicy::two_cable) choose_pair();
  }

  // To first order cables know nothing of each other; two that meet in a node help each other further on.
  void choose_pair() {
    double best = INFINITY;
    for (int a = 0; a < std::ssize(cables_); ++a)
      for (int b = a + 1; b < std::ssize(cables_); ++b) {
        const double sum = ((*along_)[a] + (*along_)[b]) * (meet(a, b) ? gain_of_meeting : 1.0);
        if (sum < best) best = sum, pair_ = {a, b};
      }
  }

  bool meet(int a, int b) const {
    const auto ends = [&](int cable) {
      return std::array{model_.cables[cable].path.front(), model_.cables[cable].path.back()};
    };
    const auto [a0, a1] = ends(a);
    const auto [b0, b1] = ends(b);
    return a0 == b0 || a0 == b1 || a1 == b0 || a1 == b1;
  }

  // Of one cable, by the policy and the last look.
  double target(int cable) const {
    const double rest = model_.cables[cable].rest_length;
    if (settings_.policy == RollPolicy::two_cable)
      return cable == pair_[0] || cable == pair_[1] ? settings_.shortest * rest : rest;
    const double w = largest_ > 0.0 ? -(*along_)[cable] / largest_ : 0.0;
    return rest * (1.0 - w * (w > 0.0 ? 1.0 - settings_.shortest : settings_.longest - 1.0));
  }

  const Model& model_;
  RollSettings settings_;
  StanceFinder finder_;
  ShapeResponse response_;
  std::vector<int> cables_;
  std::vector<ControlInput> inputs_;
  std::array<int, 2> pair_{};  // of two_cable
  const std::vector<double>* along_ = nullptr;
  double largest_ = 0.0, at_rest_ = 0.0, patience_ = 0.0, pushed_since_ = 0.0;
  Vec3 direction_, origin_ = Vec3::Zero();
  std::array<int, 3> base_{};             // where it last came to rest
  std::array<int, 3> seen_{}, before_{};  // the last one that it stood on, if only in passing, and the one before
  std::array<bool, 3> given_up_{};        // edges of the base
  int edge_ = 0;
  bool begun_ = false, pushing_ = false;
};

}  // namespace

std::unique_ptr<Controller> make_roll(const Model& model, const ControllerSpec& spec) {
  return std::make_unique<Roll>(model, spec);
}

}  // namespace taut
