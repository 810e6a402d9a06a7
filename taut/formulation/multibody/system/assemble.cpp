#include "taut/formulation/multibody/system/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "taut/solve/kkt.h"

namespace taut::multibody {

namespace {

constexpr double closed = 1e-13;  // rad and m, times the size of the machine where that is above 1 m
constexpr double longest = 0.5;   // of a step, rad and m
constexpr double open = 1e-9;     // as before: what is further apart is not closed
constexpr int most_steps = 200, most_starts = 30;

// Where the search begins.
JointPosition first_guess(const Connection& c) {
  if (c.start) return *c.start;
  if (c.guess) return *c.guess;
  JointPosition q{};
  neutral(c.joint, q.data());
  // A cable needs some free length; a second pulley adds to it.
  CableStatus status;
  const JointVelocity rest{};
  if (cable_status(c.joint, q.data(), rest.data(), status)) {
    q[0] = 1.0;
    if (std::holds_alternative<TwoPulley>(c.joint.kind) || std::holds_alternative<TwoPulleyRigid>(c.joint.kind))
      q[1] = 1.0;
    if (const auto* cable = std::get_if<Involute>(&c.joint.kind); cable && cable->last == CableCoordinate::l)
      q[1] = cable->radius;
    if (const auto* cable = std::get_if<TwoPulley>(&c.joint.kind); cable && cable->last == CableCoordinate::l)
      q[2] = cable->pulleys.at_zero + cable->pulleys.first + cable->pulleys.second;
  }
  return q;
}

class Search {
 public:
  Search(const Machine& m, const Tree& tree, const Loops& loops)
      : m_(m),
        tree_(tree),
        loops_(loops),
        terms_(make_terms(tree)),
        loop_(make_terms(loops)),
        q_(tree.nq),
        rest_(tree.nv, 0.0),
        ones_(tree.nv, 1.0) {
    double motion_v[6], motion_a[6];
    for (const Link& link : tree.links) {
      const Connection& c = m.joints[link.joint];
      JointPosition q = first_guess(c);
      if (c.motion) c.motion(0.0, q.data(), motion_v, motion_a);
      normalise(c.joint, q.data());
      std::copy_n(q.begin(), link.nq, q_.begin() + link.q);
    }
    // Unknowns: velocities of joints whose position is neither given nor imposed.
    unknown_of_.assign(tree.nv, -1);
    for (int c = 0; c < tree.nv; ++c) {
      const Connection& joint = m.joints[tree.links[tree.link_of_velocity[c]].joint];
      if (!joint.start && !joint.motion) unknown_of_[c] = unknowns_++;
    }
    Kkt::Pattern mass, jacobian;
    for (int i = 0; i < unknowns_; ++i) mass.emplace_back(i, i);
    for (const auto& [row, velocity] : loops.pattern) jacobian.emplace_back(row, unknown_of_[velocity]);
    kkt_ = Kkt(unknowns_, loops.rows, mass, jacobian, std::vector<double>(loops.rows, 0.0));
    factor_ = kkt_.make_factor();
    x_.assign(unknowns_ + loops.rows, 0.0);
    for (const Link& link : tree.links) size_ = std::max(size_, link.before.r.norm());
  }

  std::vector<double> run() {
    const std::vector<double> first = q_;
    double error = search();
    std::vector<double> best = q_;
    // Stuck: begin elsewhere, ever further away.
    for (int i = 0; i < most_starts && !(error <= open * size_) && unknowns_ > 0; ++i) {
      q_ = first;
      scatter(3.0 * (i + 1) / most_starts);
      if (const double then = search(); then < error) {
        error = then;
        best = q_;
      }
    }
    q_ = best;
    look(q_);
    refuse_open();
    refuse_cables();
    normalise(tree_, q_.data());
    return q_;
  }

 private:
  // Newton steps from q; returns how far the loops are open then.
  double search() {
    double error = look(q_);
    double mu = 1e-3;
    std::vector<double> trial, step(tree_.nv, 0.0);
    for (int i = 0; i < most_steps && !(error <= closed * size_); ++i) {
      kkt_.factorise(ones_.data(), loop_.K.data(), loop_.size.data(), mu * std::min(1.0, error), factor_);
      std::fill(x_.begin(), x_.end(), 0.0);
      for (int r = 0; r < loops_.rows; ++r) x_[unknowns_ + r] = -loop_.g[r];
      kkt_.solve(factor_, loop_.K.data(), x_.data());
      double most = 0.0;
      for (int k = 0; k < unknowns_; ++k) most = std::max(most, std::abs(x_[k]));
      if (!(most > 0.0)) break;
      const double scale = std::min(1.0, longest / most);
      for (int c = 0; c < tree_.nv; ++c) step[c] = unknown_of_[c] < 0 ? 0.0 : scale * x_[unknown_of_[c]];
      trial = q_;
      retract(tree_, trial.data(), step.data());
      const double then = look(trial);
      // Keep what helps; rounding ends it.
      if (then < error) {
        q_ = trial;
        error = then;
        mu = std::max(1e-9, 0.1 * mu);
      } else {
        look(q_);
        if (mu > 1e6 || most < 1e-15) break;
        mu *= 10.0;
      }
    }
    return error;
  }

  // Moves q at random, the same way each time.
  void scatter(double size) {
    std::vector<double> step(tree_.nv, 0.0);
    for (int c = 0; c < tree_.nv; ++c)
      if (unknown_of_[c] >= 0) step[c] = size * (2.0 * static_cast<double>(random_() >> 11) * 0x1.0p-53 - 1.0);
    retract(tree_, q_.data(), step.data());
  }

  // |g| at q, infinity where a joint is out of reach.
  double look(const std::vector<double>& q) {
    place(tree_, q.data(), rest_.data(), terms_);
    close(loops_, tree_, terms_, ones_.data(), loop_);
    double sum = 0.0;
    for (const double g : loop_.g) sum += g * g;
    return std::isfinite(sum) ? std::sqrt(sum) : INFINITY;
  }

  void refuse_open() const {
    std::vector<Problem> problems;
    for (const RowGroup& group : loops_.groups) {
      double way = 0.0, turn = 0.0;
      for (int r = group.first_row; r < group.first_row + group.rows; ++r)
        (loops_.is_turn[r] ? turn : way) = std::hypot(loops_.is_turn[r] ? turn : way, loop_.g[r]);
      if (way <= open * size_ && turn <= open * size_) continue;
      const std::string wish = "; expected positions, or joints left free to be found, that close the loop";
      if (!std::isfinite(way + turn))
        problems.push_back(problem_with(m_, group, "its bodies are out of its reach at the start" + wish));
      else
        problems.push_back(problem_with(
            m_, group,
            fmt::format("the loop cannot be closed at the start: its ends stay {:.3g} m and {:.3g} rad apart{}",
                        way > open * size_ ? way : 0.0, turn > open * size_ ? turn : 0.0, wish)));
    }
    if (!problems.empty()) throw InputError(std::move(problems));
  }

  void refuse_cable(const Connection& c, const double* q, std::vector<Problem>& problems) const {
    const JointVelocity rest{};
    CableStatus s;
    if (!cable_status(c.joint, q, rest.data(), s)) return;
    const auto say = [&](std::string message) {
      problems.push_back(taut::problem_with("joint", c.name, c.place, std::move(message)));
    };
    if (s.off_pulley)
      say(
          fmt::format("the cable is shorter than its tangent: {:.6g} m of it would have to be unwound at the start, "
                      "more than there are on the pulley",
                      s.free_length));
    else if (s.overlaps)
      say("the cable lies upon itself at the start: it is wound past a full turn");
    else if (s.no_free_length || s.at_pulley)
      say(fmt::format("the cable has no free part at the start: free length {:.6g} m, length {:.6g} m", s.free_length,
                      s.length));
  }

  void refuse_cables() const {
    std::vector<Problem> problems;
    for (const Link& link : tree_.links) refuse_cable(m_.joints[link.joint], q_.data() + link.q, problems);
    for (std::size_t i = 0; i < loops_.joints.size(); ++i)
      refuse_cable(m_.joints[loops_.groups[loops_.joints[i].group].index], loop_.joints[i].q.data(), problems);
    if (!problems.empty()) throw InputError(std::move(problems));
  }

  const Machine& m_;
  const Tree& tree_;
  const Loops& loops_;
  TreeTerms terms_;
  LoopTerms loop_;
  std::vector<double> q_, rest_, ones_;
  std::vector<int> unknown_of_;
  int unknowns_ = 0;
  Kkt kkt_;
  KktFactor factor_;
  std::vector<double> x_;
  double size_ = 1.0;
  std::mt19937_64 random_;
};

}  // namespace

std::vector<double> assemble(const Machine& machine, const Tree& tree, const Loops& loops) {
  return Search(machine, tree, loops).run();
}

}  // namespace taut::multibody
