#include "taut/generators/assemble/symmetric_form.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "taut/base/error.h"
#include "taut/solve/positive_definite.h"

namespace taut {

namespace {

// The rotation of the map that takes one dart to another: neighbours follow neighbours.
std::vector<int> images(const Polyhedron& polyhedron, int from, int to) {
  std::vector<int> image(polyhedron.next.size(), -1), open = {from};
  image[from] = to;
  while (!open.empty()) {
    const int dart = open.back();
    open.pop_back();
    for (const std::vector<int>* step : {&polyhedron.next, &polyhedron.opposite}) {
      const int reached = (*step)[dart];
      if (image[reached] >= 0) continue;
      image[reached] = (*step)[image[dart]];
      open.push_back(reached);
    }
  }
  return image;
}

// Three corners that are linearly independent.
std::array<int, 3> frame_corners(const std::vector<Vec3>& corners) {
  std::array<int, 3> best{};
  double largest = 0.0;
  for (int i = 1; i < static_cast<int>(corners.size()); ++i)
    for (int j = 1; j < i; ++j) {
      const double volume = std::abs(corners[0].dot(corners[i].cross(corners[j])));
      if (volume > 1.001 * largest) largest = volume, best = {0, i, j};
    }
  return best;
}

bool is_involution(const std::vector<int>& to, int node) { return to[to[node]] == node; }

// R with R from_k = to_k, k = 0, 1, 2.
Mat3 rotation_between(const std::array<Vec3, 3>& from, const std::array<Vec3, 3>& to) {
  const Vec3 across[3] = {from[1].cross(from[2]), from[2].cross(from[0]), from[0].cross(from[1])};
  const double volume = from[0].dot(across[0]);
  Mat3 turn;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      turn(i, j) = (to[0][i] * across[0][j] + to[1][i] * across[1][j] + to[2][i] * across[2][j]) / volume;
  return turn;
}

using Reals = std::vector<double>;

double quadratic(const Reals& matrix, const Reals& v) {
  double sum = 0.0;
  for (std::size_t i = 0, k = 0; i < v.size(); ++i)
    for (std::size_t j = 0; j < v.size(); ++j, ++k) sum += v[i] * matrix[k] * v[j];
  return sum;
}

// v becomes (A - μB)⁻¹ B v of unit length.
void iterate(int n, const Reals& factor, const Reals& B, Reals& v) {
  Reals w(v.size(), 0.0);
  for (std::size_t i = 0, k = 0; i < v.size(); ++i)
    for (std::size_t j = 0; j < v.size(); ++j, ++k) w[i] += B[k] * v[j];
  solve_positive(n, factor.data(), w.data());
  double square = 0.0;
  for (double x : w) square += x * x;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = w[i] / std::sqrt(square);
}

// v for the smallest μ with (A - μB) v = 0: inverse iteration from below. The quotient vᵀA v / vᵀB v is never below
// μ, so that a shift just short of it comes close to μ; a shift beyond μ shows in the factorisation.
void find_smallest(int n, const Reals& A, const Reals& B, Reals& v) {
  Reals factor = A, trial(A.size());
  if (!factorise_positive(n, factor.data())) throw InputError("the cables leave a motion free");
  double low = 0.0, boldness = 0.99;
  for (int pass = 0; pass < 100; ++pass) {
    for (int repeat = 0; repeat < 3; ++repeat) iterate(n, factor, B, v);
    const double quotient = quadratic(A, v) / quadratic(B, v);
    if (quotient - low < 1e-6 * quotient) break;
    const double shift = low + boldness * (quotient - low);
    for (std::size_t k = 0; k < A.size(); ++k) trial[k] = A[k] - shift * B[k];
    if (factorise_positive(n, trial.data())) {
      low = shift;
      boldness = 0.99;
      factor.swap(trial);
    } else {
      boldness *= 0.5;
    }
  }
  for (int repeat = 0; repeat < 5; ++repeat) iterate(n, factor, B, v);
}

}  // namespace

Rotations rotations_of(const Polyhedron& polyhedron) {
  const std::array<int, 3> frame = frame_corners(polyhedron.corners);
  std::vector<int> dart_of(polyhedron.corners.size(), -1), corner_darts;
  for (int dart = 0; dart < polyhedron.darts(); ++dart) {
    const int vertex = polyhedron.vertex[dart];
    if (vertex >= static_cast<int>(polyhedron.corners.size())) continue;
    dart_of[vertex] = dart;
    corner_darts.push_back(dart);
  }

  // The solid's rotations take one corner's dart to every other; matrices from the images of three corners.
  Rotations result;
  std::vector<std::vector<int>> permutations;
  const auto corner_of = [&](int dart) { return polyhedron.corners[polyhedron.vertex[dart]]; };
  for (int dart : corner_darts) {
    permutations.push_back(images(polyhedron, corner_darts[0], dart));
    std::array<Vec3, 3> from, to;
    for (int k = 0; k < 3; ++k) {
      from[k] = polyhedron.corners[frame[k]];
      to[k] = corner_of(permutations.back()[dart_of[frame[k]]]);
    }
    result.matrices.push_back(rotation_between(from, to));
  }

  // Orbits
  result.orbit.assign(polyhedron.next.size(), -1);
  result.turn.assign(polyhedron.next.size(), 0);
  for (int node = 0; node < polyhedron.darts(); ++node) {
    if (result.orbit[node] >= 0) continue;
    for (std::size_t g = 0; g < permutations.size(); ++g) {
      result.orbit[permutations[g][node]] = static_cast<int>(result.first.size());
      result.turn[permutations[g][node]] = static_cast<int>(g);
    }
    result.first.push_back(node);
  }
  return result;
}

Eigen::MatrixXd length_matrix(const Rotations& rotations, const Ties& ties) {
  const int orbits = static_cast<int>(rotations.first.size());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(3 * orbits, 3 * orbits);
  for (int k = 0; k < orbits; ++k) {
    const int node = rotations.first[k], other = ties.to[node], l = rotations.orbit[other];
    // Where going there twice leads back, every member is met from both ends.
    const double q = is_involution(ties.to, node) ? 0.5 * ties.density : ties.density;
    const Mat3 turn = q * rotations.matrices[rotations.turn[other]];
    matrix.block<3, 3>(3 * k, 3 * k) += q * Mat3::Identity();
    matrix.block<3, 3>(3 * l, 3 * l) += q * Mat3::Identity();
    matrix.block<3, 3>(3 * k, 3 * l) -= turn;
    matrix.block<3, 3>(3 * l, 3 * k) -= turn.transpose();
  }
  return matrix;
}

Eigen::VectorXd balanced_form(const Polyhedron& polyhedron, const Rotations& rotations, const std::vector<Ties>& cables,
                              const std::vector<int>& struts) {
  const Eigen::MatrixXd struts_matrix = length_matrix(rotations, {struts, 1.0});
  const int n = static_cast<int>(struts_matrix.rows());
  Reals A(static_cast<std::size_t>(struts_matrix.size()), 0.0), first(static_cast<std::size_t>(n));
  const Reals B(struts_matrix.data(), struts_matrix.data() + struts_matrix.size());
  for (const Ties& ties : cables) {
    const Eigen::MatrixXd part = length_matrix(rotations, ties);
    for (std::size_t k = 0; k < A.size(); ++k) A[k] += part.data()[k];
  }
  for (int i = 0; i < n; ++i) first[i] = std::sin(1.0 + i);
  find_smallest(n, A, B, first);
  Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(first.data(), n);

  // The mirror image -v has the same balance; nodes belong on their corners' side.
  double outward = 0.0;
  for (int node = 0; node < polyhedron.darts(); ++node) {
    const int vertex = polyhedron.vertex[node];
    if (vertex < static_cast<int>(polyhedron.corners.size()))
      outward += polyhedron.corners[vertex].dot(position_of(rotations, v, node));
  }
  if (outward < 0.0) v = -v;
  return v;
}

Vec3 position_of(const Rotations& rotations, const Eigen::VectorXd& v, int node) {
  const Mat3& turn = rotations.matrices[rotations.turn[node]];
  const double* const first = v.data() + 3 * static_cast<long>(rotations.orbit[node]);
  Vec3 place;
  for (int i = 0; i < 3; ++i) place[i] = turn(i, 0) * first[0] + turn(i, 1) * first[1] + turn(i, 2) * first[2];
  return place;
}

std::vector<Pairs> orbits_of(const Rotations& rotations, const std::vector<int>& to) {
  std::vector<Pairs> lists(rotations.first.size());
  for (int node = 0; node < static_cast<int>(to.size()); ++node) {
    const int own = rotations.orbit[node], other = rotations.orbit[to[node]];
    const bool again = is_involution(to, node) && (other < own || (other == own && to[node] < node));
    if (!again) lists[own].emplace_back(node, to[node]);
  }
  std::erase_if(lists, [](const Pairs& list) { return list.empty(); });
  return lists;
}

void add_nodes(Model& model, const Rotations& rotations, const Eigen::VectorXd& v) {
  for (int node = 0; node < static_cast<int>(rotations.orbit.size()); ++node)
    add_node(model, position_of(rotations, v, node));
}

void add_bars(Model& model, const Rotations& rotations, const std::vector<int>& to, double mass) {
  for (const Pairs& alike : orbits_of(rotations, to)) add_bars(model, alike, mass);
}

void add_cables(Model& model, const Rotations& rotations, const Ties& ties, const CableLaw& law) {
  for (const Pairs& alike : orbits_of(rotations, ties.to)) {
    const auto& [a, b] = alike.front();
    const double length = (model.nodes[a].position - model.nodes[b].position).norm();
    add_cables(model, alike, law, ties.density * length);
  }
}

}  // namespace taut
