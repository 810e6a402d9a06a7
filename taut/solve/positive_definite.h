// Dense symmetric positive definite systems by Cholesky's method, A = L Lᵀ, in plain loops. There is one definition of
// each loop, compiled once: every program that links it gets the same numbers to the last digit, which
// templates that are compiled anew in every file do not promise.
#pragma once

namespace taut {

// A (n × n, row by row) is symmetric; its upper triangle becomes Lᵀ, in place. False, with A spoilt, where it is not
// positive definite.
bool factorise_positive(int n, double* A);

// In place: x becomes A⁻¹x; `factor` as factorise_positive() left it.
void solve_positive(int n, const double* factor, double* x);

}  // namespace taut
