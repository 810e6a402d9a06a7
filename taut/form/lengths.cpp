#include "taut/form/lengths.h"

#include "taut/equilibrium/members.h"
#include "taut/statics/rows.h"

namespace taut {

LengthProgramme::LengthProgramme(const Model& model, std::vector<double> weight, std::vector<LengthRow> rows)
    : weight_(std::move(weight)), rows_(std::move(rows)) {
  for (int m = 0; m < member_count(model); ++m) paths_.push_back(member_path(model, m));
  // What is kept besides, as at the start.
  const StaticRows structure = static_rows(model);
  const Eigen::VectorXd values = row_values(structure, structure.start);
  for (std::size_t k = structure.members.size(); k < structure.rows.size(); ++k) {
    const StaticRow& kept = structure.rows[k];
    LengthRow& row = rows_.emplace_back(LengthRow{{}, values[static_cast<long>(k)], kept.terms});
    if (kept.path.empty()) continue;
    row.terms = {{static_cast<int>(paths_.size()), 1.0}};
    paths_.push_back(kept.path);
  }
  weight_.resize(paths_.size(), 0.0);
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      unknown_of_.push_back(model.nodes[i].fixed[axis] ? -1 : unknowns());
      if (!model.nodes[i].fixed[axis]) coordinate_of_.push_back(3 * static_cast<int>(i) + axis);
    }
}

void LengthProgramme::lengths(const Eigen::VectorXd& x, Eigen::VectorXd& l) const {
  l.setZero(static_cast<long>(paths_.size()));
  for (std::size_t m = 0; m < paths_.size(); ++m)
    each_piece(paths_[m], x, [&](int, int, const Vec3&, double piece) { l[static_cast<long>(m)] += piece; });
}

double LengthProgramme::objective(const Eigen::VectorXd& l) const {
  double sum = 0.0;
  for (std::size_t m = 0; m < weight_.size(); ++m) sum += weight_[m] * l[static_cast<long>(m)];
  return sum;
}

Eigen::VectorXd LengthProgramme::misfit(const Eigen::VectorXd& x) const {
  Eigen::VectorXd c(rows()), l;
  lengths(x, l);
  for (int k = 0; k < rows(); ++k) {
    c[k] = -rows_[k].value;
    for (const auto& [m, coefficient] : rows_[k].terms) c[k] += coefficient * l[m];
    for (const auto& [i, coefficient] : rows_[k].coordinates) c[k] += coefficient * x[i];
  }
  return c;
}

Eigen::VectorXd LengthProgramme::forces(const Eigen::VectorXd& multiplier) const {
  Eigen::VectorXd t(static_cast<long>(weight_.size()));
  for (long m = 0; m < t.size(); ++m) t[m] = -weight_[m];
  for (int k = 0; k < rows(); ++k)
    for (const auto& [m, coefficient] : rows_[k].terms) t[m] += coefficient * multiplier[k];
  return t;
}

Eigen::VectorXd LengthProgramme::gradient(const Eigen::VectorXd& x, const Eigen::VectorXd& multiplier) const {
  Eigen::VectorXd g = Eigen::VectorXd::Zero(unknowns());
  const Eigen::VectorXd t = forces(multiplier);
  for (int k = 0; k < rows(); ++k)
    for (const auto& [c, coefficient] : rows_[k].coordinates)
      if (const int i = unknown_of_[c]; i >= 0) g[i] += multiplier[k] * coefficient;
  for (std::size_t m = 0; m < paths_.size(); ++m)
    each_piece(paths_[m], x, [&](int a, int b, const Vec3& u, double) {
      for (int axis = 0; axis < 3; ++axis) {
        if (const int i = unknown_of_[3 * a + axis]; i >= 0) g[i] -= t[static_cast<long>(m)] * u[axis];
        if (const int i = unknown_of_[3 * b + axis]; i >= 0) g[i] += t[static_cast<long>(m)] * u[axis];
      }
    });
  return g;
}

void LengthProgramme::curvature(const Eigen::VectorXd& x, const Eigen::VectorXd& t,
                                std::vector<SparseEntry>& entries) const {
  const auto add = [&](int a, int b, int r, int c, double value) {
    const int i = unknown_of_[3 * a + r], j = unknown_of_[3 * b + c];
    if (i >= 0 && j >= 0 && i <= j) entries.push_back({i, j, value});
  };
  for (std::size_t m = 0; m < paths_.size(); ++m)
    each_piece(paths_[m], x, [&](int a, int b, const Vec3& u, double l) {
      const Mat3 across = t[static_cast<long>(m)] / l * (Mat3::Identity() - u * u.transpose());
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          add(a, a, r, c, across(r, c)), add(b, b, r, c, across(r, c));
          add(a, b, r, c, -across(r, c)), add(b, a, r, c, -across(r, c));
        }
    });
}

void LengthProgramme::jacobian(const Eigen::VectorXd& x, std::vector<SparseEntry>& entries) const {
  entries.clear();
  for (int k = 0; k < rows(); ++k) {
    for (const auto& [c, coefficient] : rows_[k].coordinates)
      if (const int i = unknown_of_[c]; i >= 0) entries.push_back({k, i, coefficient});
    for (const auto& [m, coefficient] : rows_[k].terms)
      each_piece(paths_[m], x, [&](int a, int b, const Vec3& u, double) {
        for (int axis = 0; axis < 3; ++axis) {
          if (const int i = unknown_of_[3 * a + axis]; i >= 0) entries.push_back({k, i, -coefficient * u[axis]});
          if (const int i = unknown_of_[3 * b + axis]; i >= 0) entries.push_back({k, i, coefficient * u[axis]});
        }
      });
  }
}

}  // namespace taut
