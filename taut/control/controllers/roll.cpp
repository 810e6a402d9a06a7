#include "taut/control/controllers/roll.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "taut/control/controllers/shape_response.h"
#include "taut/control/controllers/stance.h"

namespace taut {

namespace {

constexpr double slow = 0.05;         // of √(g size): a robot whose nodes move no faster is at rest
constexpr double time_to_fall = 6.0;  // of √(size/g), after the winding
constexpr double wound = 0.01;        // rest lengths are back when they differ by this part
constexpr double least_reach = 0.4;   // of the way to the edge, to first order: those within go further than that tells
constexpr double gain_of_meeting = 1.25;
// A failure sets an edge back, beside its direction: 1 straight ahead, -1 straight back. All cables push harder the next
// time; of two, the next best pair is rarely better, and another edge comes first.
constexpr double cost_of_failure[] = {2.0, 0.6};  // two_cable, all_cables
constexpr double flat = 0.05;  // of the size: a centre of mass no higher than this lies on the ground

// What it remembers from instant to instant. Flags and counts are per node.
struct Progress {
  explicit Progress(std::size_t nodes) : base(nodes), seen(nodes), before(nodes), failures(nodes) {}

  Vec3 origin = Vec3::Zero();               // m, the centre of mass at the first instant
  std::vector<double> base;                 // where it last came to rest
  std::vector<double> seen, before;         // the last base that it stood on, if only in passing, and the one before
  std::vector<double> failures;             // pushes over the edge that begins at this node, since it stands here
  double edge_a = 0, edge_b = 0;            // that it pushes over
  double begun = 0, pushing = 0;            // 0 or 1
  double pushed_since = 0, free_since = 0;  // s
  double faces = 0, failed = 0, here = 0;   // it stood on; pushes that led nowhere, and those of them on this base
  double detours = 0;  // pushes over another edge than faces there best: that is out of reach, or failed

  // As numbers, and back.
  std::size_t numbers() const { return 13 + 4 * base.size(); }
  void save(std::span<double> to) {
    std::size_t i = 0;
    each([&](double& part) { to[i++] = part; });
  }
  void load(std::span<const double> from) {
    std::size_t i = 0;
    each([&](double& part) { part = from[i++]; });
  }

 private:
  template <class Visit>
  void each(const Visit& visit) {
    for (double& x : origin) visit(x);
    for (std::vector<double>* list : {&base, &seen, &before, &failures})
      for (double& entry : *list) visit(entry);
    for (double* number :
         {&edge_a, &edge_b, &begun, &pushing, &pushed_since, &free_since, &faces, &failed, &here, &detours})
      visit(*number);
  }
};

class Roll final : public Controller {
 public:
  Roll(const Model& model, const ControllerSpec& spec)
      : model_(model),
        settings_(spec.roll),
        finder_(model),
        response_(model),
        start_(spec.start),
        progress_(model.nodes.size()) {
    for (const ControlInput& input : spec.steer.inputs) cables_.push_back(input.cable);
    if (cables_.empty()) {
      cables_.resize(model.cables.size());
      std::iota(cables_.begin(), cables_.end(), 0);
    }
    double longest = 0.0;
    for (const int cable : cables_) {
      inputs_.push_back({cable, -1, 0, {}});
      longest = std::max(longest, model.cables[cable].rest_length);
    }
    const Vec3 asked(settings_.direction[0], settings_.direction[1], 0.0);
    direction_ = (asked - asked.dot(finder_.up()) * finder_.up()).normalized();
    const double gravity = model.gravity.norm();
    at_rest_ = slow * std::sqrt(gravity * finder_.size());
    patience_ = time_to_fall * std::sqrt(finder_.size() / gravity) +
                longest * std::max(1.0 - settings_.shortest, settings_.longest - 1.0) / settings_.speed;
  }

  const std::vector<ControlInput>& inputs() const override { return inputs_; }
  double speed() const override { return settings_.speed; }

  int memory() const override { return static_cast<int>(progress_.numbers()); }

  std::string update(const Observation& now, std::span<double> memory, std::span<double> commands) override {
    progress_.load(memory);
    std::string report = act(now, commands);
    progress_.save(memory);
    return report;
  }

  std::string shortfall(const Observation& end, std::span<const double> memory) override {
    progress_.load(memory);
    if (progress_.begun == 0) return {};
    const Stance stance = finder_.find(end.x);
    const Vec3 moved = stance.centre - progress_.origin, across = finder_.up().cross(direction_);
    const double ahead = moved.dot(direction_), aside = moved.dot(across);
    if (progress_.faces == 0)
      return end.t - start_ < patience_ ? "" : fmt::format("never began to roll: {}", reason(stance));
    const bool stuck = progress_.here >= static_cast<double>(stance.edges.size());
    const bool came_far = ahead > 0.5 * std::hypot(ahead, aside) && ahead > 0.25 * finder_.size();
    if (came_far && !stuck) return {};
    if (progress_.failed == 0 && end.t - start_ < 2.0 * patience_) return {};  // on its way
    std::string text = fmt::format("{}: {:.2g} m along its direction and {:.2g} m across it in {:.3g} s; {}",
                                   came_far ? "is stuck" : "did not roll where it was asked to", ahead, aside,
                                   end.t - start_, pushes());
    if (progress_.failed + progress_.detours > 0) text += "; " + reason(stance);
    return text;
  }

 private:
  std::string act(const Observation& now, std::span<double> targets) {
    const Stance stance = finder_.find(now.x);
    if (progress_.begun == 0) progress_.origin = stance.centre, progress_.begun = 1, progress_.free_since = now.t;
    if (stance.stands && other(stance, progress_.seen)) {
      progress_.before = progress_.seen;
      set(progress_.seen, stance);
    }
    // Over the edge, or to no avail.
    if (progress_.pushing != 0 && (over(stance, now) || now.t > progress_.pushed_since + patience_))
      progress_.pushing = 0, progress_.free_since = now.t;
    if (progress_.pushing != 0) {
      if (settings_.policy == RollPolicy::all_cables && !other(stance, progress_.base)) push(now, targets);
      return {};
    }
    stand(targets);
    // One that nothing damps never comes to rest: it has had its time.
    if (!stance.stands || (!quiet(now) && now.t < progress_.free_since + patience_)) return {};
    std::string report = arrive(stance);
    choose(stance, now);
    push(now, targets);
    progress_.pushed_since = now.t;
    progress_.pushing = 1;
    return report;
  }

  static void set(std::vector<double>& flags, const Stance& stance) {
    std::fill(flags.begin(), flags.end(), 0.0);
    for (const int node : stance.base) flags[node] = 1.0;
  }

  // Another face than the one of these nodes: some have come, and some have gone. A node more or less is no roll.
  static bool other(const Stance& stance, const std::vector<double>& face) {
    const auto kept = std::count_if(stance.base.begin(), stance.base.end(), [&](int node) { return face[node] != 0; });
    const auto nodes = std::count(face.begin(), face.end(), 1.0);
    return nodes == 0 || (kept < std::ssize(stance.base) && kept < nodes);
  }

  BaseEdge edge(const Vec3& centre, const Observation& now) const {
    return finder_.edge(static_cast<int>(progress_.edge_a), static_cast<int>(progress_.edge_b), centre, now.x);
  }

  // On another base. All cables together hold so much energy that the robot would roll on: they let go once it tips.
  bool over(const Stance& stance, const Observation& now) const {
    if (other(stance, progress_.base)) return stance.stands;
    return settings_.policy == RollPolicy::all_cables && edge(stance.centre, now).inside < 0.0;
  }

  // At rest: on a new base, or still on the old one, which the chosen edge did not lead away from.
  std::string arrive(const Stance& stance) {
    if (progress_.faces > 0 && !other(stance, progress_.base)) {
      set(progress_.base, stance);
      progress_.failures[static_cast<std::size_t>(progress_.edge_a)] += 1;
      progress_.failed += 1;
      progress_.here += 1;
      return {};
    }
    set(progress_.base, stance);
    std::fill(progress_.failures.begin(), progress_.failures.end(), 0.0);
    progress_.here = 0;
    progress_.faces += 1;
    std::vector<std::string> names;
    for (const int node : stance.base) names.push_back(model_.nodes[node].name);
    return fmt::format("stands on {}", fmt::join(names, ", "));
  }

  void stand(std::span<double> targets) const {
    for (std::size_t j = 0; j < targets.size(); ++j) targets[j] = model_.cables[cables_[j]].rest_length;
  }

  bool quiet(const Observation& now) const {
    for (const int cable : cables_) {
      const double rest = model_.cables[cable].rest_length;
      if (std::abs(now.rest[cable] - rest) > wound * rest) return false;
    }
    return fastest(now) <= at_rest_;
  }

  double fastest(const Observation& now) const {
    double most = 0.0;
    for (std::size_t i = 0; i < model_.nodes.size(); ++i)
      most = std::max(most, std::hypot(now.v[4 * i], now.v[4 * i + 1], now.v[4 * i + 2]));
    return most;
  }

  // Where to go from here: along the direction, and back to the line.
  Vec3 wanted(const Vec3& centre) const {
    const Vec3 across = finder_.up().cross(direction_);
    return direction_ - across * std::clamp((centre - progress_.origin).dot(across) / finder_.size(), -1.0, 1.0);
  }

  // The way back comes after the others, then edges out of reach; each failure sets an edge back.
  void choose(const Stance& stance, const Observation& now) {
    const Vec3 to = wanted(stance.centre).normalized();
    const double cost = cost_of_failure[settings_.policy == RollPolicy::all_cables];
    double best = -INFINITY, facing = -INFINITY;
    int front = -1;  // the edge that faces there best
    bool front_fails = false;
    for (const BaseEdge& edge : stance.edges) {
      const double ahead = edge.outward.dot(to);
      const bool far = reach(edge, now) < least_reach * edge.inside;
      double score = ahead - cost * progress_.failures[edge.a];
      if (progress_.before[edge.a] != 0 && progress_.before[edge.b] != 0) score -= 2.0;
      if (far) score -= 4.0;
      if (score > best) best = score, progress_.edge_a = edge.a, progress_.edge_b = edge.b;
      if (ahead > facing) facing = ahead, front = edge.a, front_fails = far || progress_.failures[edge.a] > 0;
    }
    if (front_fails && front != static_cast<int>(progress_.edge_a)) progress_.detours += 1;
  }

  // How far the policy moves the centre of mass over the edge, to first order; looks there.
  double reach(const BaseEdge& edge, const Observation& now) {
    look(edge, now);
    double sum = 0.0;
    for (const int cable : cables_) sum += (target(cable) - now.rest[cable]) * (*along_)[cable];
    return sum;
  }

  void push(const Observation& now, std::span<double> targets) {
    look(edge(Vec3::Zero(), now), now);
    for (std::size_t j = 0; j < targets.size(); ++j) targets[j] = target(cables_[j]);
  }

  void look(const BaseEdge& edge, const Observation& now) {
    held_.clear();
    for (std::size_t i = 0; i < progress_.base.size(); ++i)
      if (progress_.base[i] != 0) held_.push_back(static_cast<int>(i));
    along_ = &response_.along(edge.outward, finder_.masses(), held_, now.x, now.rest);
    largest_ = 0.0;
    for (const int cable : cables_) largest_ = std::max(largest_, std::abs((*along_)[cable]));
    vigour_ = std::exp2(-progress_.failures[edge.a]);
    if (settings_.policy == RollPolicy::two_cable) choose_pair(static_cast<std::size_t>(progress_.failures[edge.a]));
  }

  // To first order cables know nothing of each other; two that meet in a node help each other further on. The best pair
  // that has not failed yet.
  void choose_pair(std::size_t failures) {
    struct Pair {
      double sum;
      std::array<int, 2> cables;
      bool operator<(const Pair& other) const { return sum < other.sum; }
    };
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < cables_.size(); ++i)
      for (std::size_t k = i + 1; k < cables_.size(); ++k) {
        const int a = cables_[i], b = cables_[k];
        pairs.push_back({((*along_)[a] + (*along_)[b]) * (meet(a, b) ? gain_of_meeting : 1.0), {a, b}});
      }
    std::stable_sort(pairs.begin(), pairs.end());
    pair_ = pairs[std::min(failures, pairs.size() - 1)].cables;
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
    const double part = largest_ > 0.0 ? -(*along_)[cable] / largest_ : 0.0;
    const double w = std::copysign(std::pow(std::abs(part), vigour_), part);
    return rest * (1.0 - w * (w > 0.0 ? 1.0 - settings_.shortest : settings_.longest - 1.0));
  }

  // What has become of them.
  std::string pushes() const {
    return fmt::format("of {:g} pushes {:g} led over no edge, and {:g} went another way for want of reach",
                       progress_.failed + progress_.faces - 1.0, progress_.failed, progress_.detours);
  }

  // Why it cannot roll, or what may help.
  std::string reason(const Stance& stance) const {
    const double height = finder_.height(stance.centre);
    if (height < flat * finder_.size())
      return fmt::format(
          "it lies flat on the ground, its centre of mass {:.2g} m above it: its cables do not carry its "
          "weight",
          height);
    if (progress_.faces == 0) return "it does not stand on the ground";
    const bool two = settings_.policy == RollPolicy::two_cable, tips = progress_.faces > 1.0;
    return fmt::format(
        "{} {}: try {}, or faster winches", two ? "two cables" : "its cables",
        tips ? "do not always reach the edge that leads there" : "do not tip it",
        two ? "policy = \"all_cables\", a smaller `shortest`" : "a smaller `shortest`, a larger `longest`");
  }

  const Model& model_;
  RollSettings settings_;
  StanceFinder finder_;
  ShapeResponse response_;
  std::vector<int> cables_, held_;
  std::vector<ControlInput> inputs_;
  std::array<int, 2> pair_{};  // of two_cable
  const std::vector<double>* along_ = nullptr;
  double start_ = 0.0, largest_ = 0.0, vigour_ = 1.0, at_rest_ = 0.0, patience_ = 0.0;
  Vec3 direction_;
  Progress progress_;  // of this instant
};

}  // namespace

std::unique_ptr<Controller> make_roll(const Model& model, const ControllerSpec& spec) {
  return std::make_unique<Roll>(model, spec);
}

}  // namespace taut
