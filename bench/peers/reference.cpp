#include "bench/peers/reference.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/peers/rods.h"

namespace taut::bench {
namespace {

// (r, z, ṙ, ż) per rod, one column each.
using RodState = Eigen::Matrix<double, 12, Eigen::Dynamic>;

class Directors {
 public:
  explicit Directors(const RodModel& model) : model_(model), x_(3, model.node_count), v_(x_), f_(x_) {}

  RodState start() const {
    RodState y(12, model_.rods.size());
    for (std::size_t i = 0; i < model_.rods.size(); ++i) {
      const Rod& rod = model_.rods[i];
      const Vec3 z = rod.orientation * Vec3::UnitZ();
      y.col(static_cast<int>(i)) << rod.centre, z, rod.velocity, rod.omega.cross(z);
    }
    return y;
  }

  void rates(const RodState& y, RodState& y_rate) {
    place(y, x_, 0);
    place(y, v_, 6);
    pull_nodes();
    for (std::size_t i = 0; i < model_.rods.size(); ++i) {
      const Rod& rod = model_.rods[i];
      const auto state = y.col(static_cast<int>(i));
      const Vec3 fa = f_.col(rod.a), fb = f_.col(rod.b), z = state.segment<3>(3), z_rate = state.segment<3>(9);
      const Vec3 lever = rod.above * fb - rod.below * fa;
      auto rate = y_rate.col(static_cast<int>(i));
      rate.head<6>() = state.tail<6>();
      rate.segment<3>(6) = (fa + fb) / rod.mass + model_.gravity;
      const double square = z.squaredNorm();
      rate.segment<3>(9) = (lever - z * (z.dot(lever) / square)) / rod.inertia - z_rate.squaredNorm() / square * z;
    }
  }

  std::vector<Vec3> nodes(const RodState& y) {
    place(y, x_, 0);
    std::vector<Vec3> result;
    for (int i = 0; i < model_.node_count; ++i) result.push_back(x_.col(i));
    return result;
  }

  double least_tension() const { return least_tension_; }

 private:
  using Nodes = Eigen::Matrix3Xd;

  void place(const RodState& y, Nodes& nodes, int row) const {
    for (std::size_t i = 0; i < model_.rods.size(); ++i) {
      const Rod& rod = model_.rods[i];
      const auto centre = y.col(static_cast<int>(i)).segment<3>(row),
                 z = y.col(static_cast<int>(i)).segment<3>(row + 3);
      nodes.col(rod.a) = centre - rod.below * z;
      nodes.col(rod.b) = centre + rod.above * z;
    }
  }

  void pull_nodes() {
    f_.setZero();
    for (const Line& line : model_.lines) {
      const Vec3 d = x_.col(line.b) - x_.col(line.a), d_rate = v_.col(line.b) - v_.col(line.a);
      const double length = d.norm(), elongation = length - line.rest_length;
      const double raw = line.stiffness * elongation + line.damping * d.dot(d_rate) / length;
      least_tension_ = std::min({least_tension_, raw, line.stiffness * elongation});
      const double tension = elongation > 0.0 ? std::max(raw, 0.0) : 0.0;
      f_.col(line.a) += tension / length * d;
      f_.col(line.b) -= tension / length * d;
    }
  }

  const RodModel& model_;
  Nodes x_, v_, f_;
  double least_tension_ = INFINITY;
};

Reference run(const RodModel& model, double duration, long steps) {
  Directors directors(model);
  RodState y = directors.start(), k1(y), k2(y), k3(y), k4(y);
  const double h = duration / static_cast<double>(steps);
  for (long i = 0; i < steps; ++i) {
    directors.rates(y, k1);
    directors.rates(y + 0.5 * h * k1, k2);
    directors.rates(y + 0.5 * h * k2, k3);
    directors.rates(y + h * k3, k4);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return {directors.nodes(y), INFINITY, directors.least_tension(), steps};
}

}  // namespace

double largest_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double distance = (a[i] - b[i]).norm();
    if (!(distance <= largest)) largest = std::isfinite(distance) ? distance : INFINITY;
  }
  return largest;
}

Reference reference_motion(const Model& model, double duration, double wanted) {
  const RodModel rods = rods_of(model);
  Reference coarse = run(rods, duration, 1000);
  for (long steps = 2000; steps <= 1'000'000; steps *= 2) {
    Reference fine = run(rods, duration, steps);
    fine.uncertainty = largest_distance(coarse.nodes, fine.nodes);
    if (fine.uncertainty <= wanted) return fine;
    coarse = std::move(fine);
  }
  throw std::runtime_error("the reference motion does not converge");
}

}  // namespace taut::bench
