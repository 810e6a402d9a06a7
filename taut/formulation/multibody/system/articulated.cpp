#include "taut/formulation/multibody/system/articulated.h"

namespace taut::multibody {

namespace {

// Adds Xᵀ M X to the parent's, M symmetric. With M = (A, B; Bᵀ, C) turned into the parent's axes and R = r×:
// (A - B R + R (Bᵀ - C R), B + R C; ., C).
void add_back(const Transform& X, const Mat6& M, Mat6& parent) {
  const Mat3 Et = X.E.transpose(), R = skew(X.r);
  const Mat3 A = Et * M.topLeftCorner<3, 3>() * X.E, B = Et * M.topRightCorner<3, 3>() * X.E,
             C = Et * M.bottomRightCorner<3, 3>() * X.E;
  const Mat3 shifted = B + R * C;
  parent.topLeftCorner<3, 3>() += A - B * R + R * shifted.transpose();
  parent.topRightCorner<3, 3>() += shifted;
  parent.bottomLeftCorner<3, 3>() += shifted.transpose();
  parent.bottomRightCorner<3, 3>() += C;
}

// Cholesky factor of a symmetric n × n matrix, pivots below their limit held: off, 1 on the diagonal and zeros beside it.
// Calls held(i) for these.
template <class Held>
void factorise(const double* D, int n, const double* limit, double* L, bool* off, Held held) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = D[i * n + j];
      for (int k = 0; k < j; ++k) sum -= L[i * n + k] * L[j * n + k];
      if (i != j) {
        L[i * n + j] = off[j] ? 0.0 : sum / L[j * n + j];
      } else if (sum > limit[i]) {
        L[i * n + i] = std::sqrt(sum);
      } else {
        off[i] = true;
        for (int k = 0; k < i; ++k) L[i * n + k] = 0.0;
        L[i * n + i] = 1.0;
        held(i);
      }
    }
  }
}

// D⁻¹ by its Cholesky factor, with rows and columns of zeros where a pivot is held.
template <class Held>
void invert(double* D, int n, const double* limit, Held held) {
  double L[36] = {}, inverse[36] = {};
  bool off[6] = {};
  factorise(D, n, limit, L, off, held);
  // L⁻¹, then D⁻¹ = L⁻ᵀ L⁻¹.
  for (int i = 0; i < n; ++i) {
    inverse[i * n + i] = off[i] ? 0.0 : 1.0 / L[i * n + i];
    for (int j = 0; j < i; ++j) {
      double sum = 0.0;
      for (int k = j; k < i; ++k) sum -= L[i * n + k] * inverse[k * n + j];
      inverse[i * n + j] = off[i] ? 0.0 : sum / L[i * n + i];
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int k = i; k < n; ++k) sum += inverse[k * n + i] * inverse[k * n + j];
      D[i * n + j] = D[j * n + i] = sum;
    }
}

}  // namespace

ArticulatedTerms make_articulated(const Tree& tree) {
  ArticulatedTerms t;
  int size = 0;
  for (const Link& link : tree.links) {
    t.block.push_back(size);
    size += link.nv * link.nv;
  }
  t.inertia.assign(tree.links.size(), Mat6::Zero());
  t.p.assign(tree.links.size(), Vec6::Zero());
  t.a = t.p;
  t.U.assign(tree.nv, Vec6::Zero());
  t.inverse.assign(size, 0.0);
  t.u.assign(tree.nv, 0.0);
  t.undetermined.reserve(tree.nv);
  return t;
}

void articulate(const Tree& tree, const TreeTerms& terms, const LeastInertia& least, ArticulatedTerms& out) {
  out.undetermined.clear();
  for (std::size_t i = 0; i < tree.links.size(); ++i) out.inertia[i] = tree.links[i].inertia.matrix();
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    const Link& link = tree.links[i];
    Mat6& I = out.inertia[i];
    const int n = link.imposed ? 0 : link.nv;
    const Vec6* const S = terms.S.data() + link.v;
    Vec6* const U = out.U.data() + link.v;
    double* const D = out.inverse.data() + out.block[i];
    if (n == 1) {
      // The usual joint, without loops.
      U[0].noalias() = I * S[0];
      const double d = S[0].dot(U[0]);
      if (d > least.turning * angular(S[0]).squaredNorm() + least.mass * linear(S[0]).squaredNorm()) {
        D[0] = 1.0 / d;
        I.noalias() -= D[0] * U[0] * U[0].transpose();
      } else {
        D[0] = 0.0;
        out.undetermined.push_back(link.v);
      }
    } else if (n > 1) {
      double limit[6];
      for (int c = 0; c < n; ++c) {
        U[c].noalias() = I * S[c];
        limit[c] = least.turning * angular(S[c]).squaredNorm() + least.mass * linear(S[c]).squaredNorm();
      }
      for (int c = 0; c < n; ++c)
        for (int d = 0; d < n; ++d) D[c * n + d] = S[c].dot(U[d]);
      invert(D, n, limit, [&](int c) { out.undetermined.push_back(link.v + c); });
      for (int c = 0; c < n; ++c) {
        Vec6 Y = Vec6::Zero();
        for (int d = 0; d < n; ++d) Y += D[c * n + d] * U[d];
        I.noalias() -= Y * U[c].transpose();
      }
    }
    if (link.parent != ground) add_back(terms.links[i].X, I, out.inertia[link.parent]);
  }
}

namespace {

// From the tips to the ground: forces p on the links, and what the joints make of them, u = D⁻¹ (x - Sᵀ p).
void gather_forces(const Tree& tree, const TreeTerms& terms, ArticulatedTerms& t, const double* x) {
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    const Link& link = tree.links[i];
    const int n = link.imposed ? 0 : link.nv;
    const double* const D = t.inverse.data() + t.block[i];
    double* const u = t.u.data() + link.v;
    double open[6];
    for (int c = 0; c < n; ++c) open[c] = x[link.v + c] - terms.S[link.v + c].dot(t.p[i]);
    for (int c = 0; c < n; ++c) {
      u[c] = 0.0;
      for (int d = 0; d < n; ++d) u[c] += D[c * n + d] * open[d];
      t.p[i] += u[c] * t.U[link.v + c];
    }
    if (link.parent != ground) t.p[link.parent] += terms.links[i].X.force_back(t.p[i]);
  }
}

// From the ground to the tips: y = u - D⁻¹ Uᵀ a.
void spread_motion(const Tree& tree, const TreeTerms& terms, ArticulatedTerms& t, double* y) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    const int n = link.imposed ? 0 : link.nv;
    const double* const D = t.inverse.data() + t.block[i];
    if (link.parent == ground)
      t.a[i].setZero();
    else
      t.a[i] = terms.links[i].X.motion(t.a[link.parent]);
    double pull[6];
    for (int c = 0; c < n; ++c) pull[c] = t.U[link.v + c].dot(t.a[i]);
    for (int c = 0; c < link.nv; ++c) {
      double value = 0.0;
      if (!link.imposed) {
        value = t.u[link.v + c];
        for (int d = 0; d < n; ++d) value -= D[c * n + d] * pull[d];
      }
      y[link.v + c] = value;
    }
    for (int c = 0; c < n; ++c) t.a[i] += y[link.v + c] * terms.S[link.v + c];
  }
}

}  // namespace

void solve(const Tree& tree, const TreeTerms& terms, ArticulatedTerms& t, const double* x, bool forces, double* y) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    if (forces)
      t.p[i] = terms.links[i].force;
    else
      t.p[i].setZero();
  }
  gather_forces(tree, terms, t, x);
  spread_motion(tree, terms, t, y);
}

}  // namespace taut::multibody
