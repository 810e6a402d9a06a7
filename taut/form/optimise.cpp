#include "taut/form/optimise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/equilibrium/members.h"
#include "taut/equilibrium/parts.h"
#include "taut/equilibrium/stiffness/lu_entries.h"
#include "taut/equilibrium/stiffness/tangent_stiffness.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/form/lengths.h"
#include "taut/model/shape/move_nodes.h"
#include "taut/statics/statics.h"

namespace taut {

namespace {

constexpr const char* optimise_method = "optimise";
constexpr double least_damping = 1e-9, most_damping = 1e4;

// A bar with nodes attached keeps its length as a body does.
bool is_body(const Model& model, int member) {
  return !is_cable(model, member) && !model.bars[member - model.cables.size()].attached.empty();
}

std::vector<LengthRow> length_rows(const Model& model, const OptimiseOptions& options,
                                   const std::vector<double>& weight) {
  std::vector<LengthRow> rows;
  std::vector<char> in_group(member_count(model), 0);
  const auto given = [&](int m) { return options.length.empty() ? NAN : options.length[m]; };
  const Eigen::VectorXd x = positions(model);
  for (const auto& group : options.equal)
    for (int m : group) {
      in_group[m] = 1;
      if (m != group.front()) rows.push_back({{{m, 1.0}, {group.front(), -1.0}}, 0.0});
    }
  for (int m = 0; m < member_count(model); ++m) {
    if (weight[m] != 0.0 || is_body(model, m)) continue;
    if (std::isfinite(given(m)))
      rows.push_back({{{m, 1.0}}, given(m)});
    else if (!in_group[m])
      rows.push_back({{{m, 1.0}}, member_length(model, m, x)});
  }
  return rows;
}

class Optimum {
 public:
  Optimum(const Model& model, const LengthProgramme& programme, int most)
      : model_(model), programme_(programme), most_(most), x_(positions(model)) {
    size_ = mean_member_length(model, x_);
    for (const Node& node : model.nodes) far_ = std::max(far_, (node.position - model.nodes[0].position).norm());
    y_ = Eigen::VectorXd::Zero(programme.rows());
    fits_ = !(misfit().size() > 0 && misfit().lpNorm<Eigen::Infinity>() > 1e-9 * size_);
  }

  // A reason, or empty: found.
  std::string find() {
    double last = INFINITY;
    for (double penalty = 10.0 / size_; steps_ < most_;) {
      descend(penalty);
      if (const std::string where = shrunk(no_length); !where.empty()) return where;
      if (ran_away()) return "nothing bounds the lengths: the nodes run away from each other; keep more lengths";
      const double off = misfit().lpNorm<Eigen::Infinity>();
      y_ += penalty * misfit();
      if (off < 1e-7 * size_ && polish()) return {};
      if (off < 1e-13 * size_) break;
      if (off > 0.2 * last) penalty *= 5.0;
      if (penalty > 1e9 / size_) break;
      last = off;
    }
    const double off = misfit().lpNorm<Eigen::Infinity>();
    if (const std::string where = shrunk(0.05); !where.empty() && off < 1e-4 * size_) return where;
    if (const std::string where = drawn_together(model_, x_); !where.empty())
      return "there is no longest or shortest shape" + where;
    if (steps_ < most_ && off > 1e-7 * size_ && !fits_) return contradiction(off);
    const double force = std::max(forces().cwiseAbs().mean(), 1e-300),
                 slope = programme_.gradient(x_, y_).lpNorm<Eigen::Infinity>() / force;
    return fmt::format(
        "no optimum was found in {} steps: lengths are still off by {:.2g} m, forces by {:.2g} of their mean; begin "
        "nearer "
        "to the shape, or keep fewer lengths",
        steps_, off, slope);
  }

  // Whether the lengths that are kept leave the nodes of the start shape no way to move but as a whole.
  bool pinned() const {
    if (!fits_) return false;
    std::vector<SparseEntry> rows;
    programme_.jacobian(x_, rows);
    const SparseQr qr(programme_.unknowns(), programme_.rows(), transposed(rows), dependent_direction);
    const int whole = find_parts(model_).total_rigid_motions();
    return qr.rank() >= programme_.unknowns() - whole;
  }

  const Eigen::VectorXd& x() const { return x_; }
  Eigen::VectorXd forces() const { return programme_.forces(y_); }
  Eigen::VectorXd misfit() const { return programme_.misfit(x_); }
  int steps() const { return steps_; }

 private:
  bool ran_away() const {
    for (long i = 0; i < x_.size() / 3; ++i)
      if (!((x_.segment<3>(3 * i) - x_.head<3>()).norm() < 1e3 * far_)) return true;
    return false;
  }

  // Members shorter than a part of the mean at the start.
  std::string shrunk(double part) const {
    std::vector<int> gone;
    for (int m = 0; m < member_count(model_); ++m)
      if (!(member_length(model_, m, x_) > part * size_)) gone.push_back(m);
    if (gone.empty()) return {};
    return fmt::format("the shape collapses: {} shrink{} to nothing; keep more lengths", list_names(model_, gone),
                       gone.size() == 1 ? "s" : "");
  }

  std::string contradiction(double off) const {
    const Eigen::VectorXd c = misfit();
    long worst = 0;
    c.cwiseAbs().maxCoeff(&worst);
    return fmt::format("the lengths contradict each other: at the nearest, one is off by {:.3g} m{}", off,
                       worst_name(static_cast<int>(worst)));
  }
  std::string worst_name(int row) const {
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(programme_.rows());
    unit[row] = 1.0;
    const Eigen::VectorXd t = programme_.forces(unit) - programme_.forces(Eigen::VectorXd::Zero(programme_.rows()));
    for (int m = 0; m < member_count(model_); ++m)
      if (t[m] != 0.0) return fmt::format(", \"{}\"", member_name(model_, m));
    return ", of a body or a constraint";
  }

  double merit(const Eigen::VectorXd& x, double penalty) const {
    Eigen::VectorXd l;
    programme_.lengths(x, l);
    const Eigen::VectorXd c = programme_.misfit(x);
    return -programme_.objective(l) + y_.dot(c) + 0.5 * penalty * c.squaredNorm();
  }

  // Damped Newton steps downhill until the slope is nothing.
  void descend(double penalty) {
    double damping = 1e-3;
    for (int idle = 0; steps_ < most_ && idle < 3; ++steps_) {
      const Eigen::VectorXd multiplier = y_ + penalty * misfit(), t = programme_.forces(multiplier);
      const Eigen::VectorXd slope = programme_.gradient(x_, multiplier);
      const double force = std::max(t.cwiseAbs().mean(), 1e-300);
      if (slope.lpNorm<Eigen::Infinity>() <= 1e-11 * force) return;
      std::vector<SparseEntry> matrix, rows;
      programme_.curvature(x_, t, matrix);
      programme_.jacobian(x_, rows);
      add_squares(rows, penalty, matrix);
      sum_repeated(matrix);
      const double now = merit(x_, penalty), limit = 0.2 * mean_member_length(model_, x_);
      bool gained = false;
      while (!gained && damping < most_damping) {
        Eigen::VectorXd step = newton(matrix, damping * force / size_, -slope);
        if (step.size() == 0) {
          damping = std::max(10.0 * damping, 1e-6);
          continue;
        }
        if (const double largest = step.lpNorm<Eigen::Infinity>(); largest > limit) step *= limit / largest;
        Eigen::VectorXd there = x_;
        for (int i = 0; i < programme_.unknowns(); ++i) there[programme_.coordinate(i)] += step[i];
        const double fall = -slope.dot(step), then = merit(there, penalty);
        // Near the end the merit is rounding: the slope decides.
        gained = then < now - 1e-4 * fall;
        if (!gained && fall < 1e-9 * (std::abs(now) + force * size_)) gained = calmer(there, penalty, slope);
        if (gained) {
          x_ = there;
          damping = std::max(0.2 * damping, least_damping);
        } else {
          damping = std::max(10.0 * damping, 1e-6);
        }
      }
      if (!gained || ran_away()) return;
    }
  }

  bool calmer(const Eigen::VectorXd& x, double penalty, const Eigen::VectorXd& slope) const {
    return programme_.gradient(x, y_ + penalty * programme_.misfit(x)).norm() < 0.9 * slope.norm();
  }

  static void add_squares(const std::vector<SparseEntry>& rows, double penalty, std::vector<SparseEntry>& matrix) {
    // Entries of one row stand together.
    for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
      while (last < rows.size() && rows[last].row == rows[first].row) ++last;
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t j = first; j < last; ++j)
          if (rows[i].column <= rows[j].column)
            matrix.push_back({rows[i].column, rows[j].column, penalty * rows[i].value * rows[j].value});
    }
  }

  // (H + σ) δ = r if that is positive definite; else nothing.
  Eigen::VectorXd newton(std::vector<SparseEntry> matrix, double damping, const Eigen::VectorXd& r) const {
    const int n = programme_.unknowns();
    for (int i = 0; i < n; ++i) matrix.push_back({i, i, damping});
    const Saddle saddle(n, 0, matrix, {});
    SaddleFactor factor = saddle.make_factor();
    saddle.factorise(nullptr, factor);
    if (!saddle.positive(factor)) return {};
    std::vector<double> rhs(r.data(), r.data() + n), scratch(n);
    saddle.solve(factor, rhs.data(), scratch.data());
    return Eigen::Map<const Eigen::VectorXd>(rhs.data(), n);
  }

  // Newton steps on Σ t ∂l/∂x = 0, c = 0; true when they end at rounding.
  bool polish() {
    const Eigen::VectorXd x = x_, y = y_;
    const int n = programme_.unknowns(), rows = programme_.rows();
    double before = INFINITY;
    for (int pass = 0; pass < 12; ++pass) {
      const Eigen::VectorXd t = forces(), c = misfit(), slope = programme_.gradient(x_, y_);
      const double force = t.cwiseAbs().mean();
      const double off = std::max(slope.lpNorm<Eigen::Infinity>() / force, c.lpNorm<Eigen::Infinity>() / size_);
      if (off < 1e-14 || (off < 1e-11 && off > 0.3 * before)) return true;
      if (!(off < 1e3 * before)) break;
      before = std::min(before, off);
      std::vector<SparseEntry> upper, jacobian;
      programme_.curvature(x_, t, upper);
      programme_.jacobian(x_, jacobian);
      LuEntries matrix;
      matrix.put_symmetric(upper);
      for (const SparseEntry& e : jacobian)
        matrix.put(n + e.row, e.column, e.value), matrix.put(e.column, n + e.row, e.value);
      // Faint terms keep rigid motions and rows that depend on others from making it singular.
      for (int i = 0; i < n; ++i) matrix.put(i, i, 1e-9 * force / size_);
      for (int k = 0; k < rows; ++k) matrix.put(n + k, n + k, -1e-9 * size_ / force);
      SparseLu lu = matrix.matrix(n + rows);
      if (!lu.factorise()) break;
      Eigen::VectorXd step(n + rows);
      step << -slope, -c;
      lu.solve(step.data());
      if (!step.allFinite() || step.head(n).lpNorm<Eigen::Infinity>() > 0.1 * size_) break;
      for (int i = 0; i < n; ++i) x_[programme_.coordinate(i)] += step[i];
      y_ += step.tail(rows);
      ++steps_;
    }
    x_ = x, y_ = y;
    return false;
  }

  const Model& model_;
  const LengthProgramme& programme_;
  int most_, steps_ = 0;
  bool fits_ = true;  // the start has the lengths that are asked for
  Eigen::VectorXd x_, y_;
  double size_ = 1.0, far_ = 0.0;
};

// Where members are more than a shape needs, its forces are not unique: a self-stress that keeps every cable in
// tension, per member; empty: none does.
Eigen::VectorXd pulling_forces(const Model& model, const Eigen::VectorXd& x) {
  Model formed = model;
  move_nodes(formed, x);
  formed.gravity.setZero();
  formed.loads.clear();
  const Statics statics = analyse_statics(formed);
  if (!statics.sign_feasible || !statics.idle.empty()) return {};
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(member_count(model));
  for (std::size_t i = 0; i < statics.rows.members.size(); ++i) {
    const StaticMember& member = statics.rows.members[i];
    forces[member.cable >= 0 ? member.cable : member_of_bar(model, member.bar)] =
        statics.self_stress[static_cast<long>(i)];
  }
  return forces;
}

bool pushes(const Model& model, const Eigen::VectorXd& forces) {
  for (int m = 0; m < member_count(model); ++m)
    if (must_pull(model, m) && !(forces[m] > no_force * forces.cwiseAbs().maxCoeff())) return true;
  return false;
}

}  // namespace

OptimiseResult find_by_lengths(const Model& model, const OptimiseOptions& options) {
  require_no_ground(model, optimise_method);
  OptimiseResult result;
  result.model = model;
  std::string note;
  for (const Vec3& force : external_forces(model, note))
    if (force != Vec3::Zero())
      throw InputError(
          "optimise: a state of self-stress carries no weight and no loads; expected environment.gravity = [0, 0, 0] "
          "and "
          "no loads at t = 0");
  if (const Parts parts = find_parts(model); parts.count > 1) {
    const auto second = std::find(parts.of_node.begin(), parts.of_node.end(), 1) - parts.of_node.begin();
    result.reason = fmt::format("the structure has {} parts that nothing joins; one begins with node \"{}\"",
                                parts.count, model.nodes[second].name);
    return result;
  }
  if (dimension(positions(model)) < 2) {
    result.reason = "all nodes of the start shape lie on one line: expected a rough guess of the shape";
    return result;
  }
  std::vector<double> weight = options.weight;
  for (int m = 0; options.weight.empty() && m < member_count(model); ++m)
    weight.push_back(is_cable(model, m) || is_body(model, m) ? 0.0 : 1.0);
  for (int m = 0; m < member_count(model); ++m)
    if (weight[m] != 0.0 && is_body(model, m))
      throw InputError(
          model.bars[m - model.cables.size()].place, member_name(model, m),
          fmt::format("optimise: bar \"{}\" keeps its length, since nodes ride on it: expected other members "
                      "to make long or short",
                      member_name(model, m)));
  if (std::none_of(weight.begin(), weight.end(), [](double w) { return w != 0.0; }))
    throw InputError("optimise: nothing is to be made long or short: expected --maximise or --minimise, or bars");
  const double pretension = wanted_pretension(model, options.pretension);
  const LengthProgramme programme(model, weight, length_rows(model, options, weight));
  Optimum optimum(model, programme, options.iterations);
  Eigen::VectorXd forces;
  if (optimum.pinned()) forces = pulling_forces(model, optimum.x());
  if (forces.size() > 0)
    result.notes.push_back("the lengths that are kept leave the nodes no way to move: the shape is that of the start");
  else
    result.reason = optimum.find();
  result.iterations = optimum.steps();
  Eigen::VectorXd lengths;
  programme.lengths(optimum.x(), lengths);
  result.lengths.assign(lengths.data(), lengths.data() + member_count(model));
  result.objective = programme.objective(lengths);
  if (programme.rows() > 0) result.length_error = optimum.misfit().lpNorm<Eigen::Infinity>();
  if (!result.reason.empty()) return result;
  if (!note.empty()) result.notes.push_back(note);
  if (forces.size() == 0) {
    forces = optimum.forces().head(member_count(model));
    if (pushes(model, forces))
      if (const Eigen::VectorXd other = pulling_forces(model, optimum.x()); other.size() > 0) forces = other;
  }
  finish_form(model, optimum.x(), pretension_factor(model, forces, pretension) * forces, true, result);
  return result;
}

}  // namespace taut
