// Coefficients of explicit Runge-Kutta methods: y_i = y + h Σ a_ij k_j, y' = y + h Σ b_i k_i.
#pragma once

#include <array>
#include <string_view>

namespace taut {

template <int stages>
struct Tableau {
  std::string_view name;
  std::array<double, stages> c;
  std::array<std::array<double, stages>, stages> a;
  std::array<double, stages> b;
};

inline constexpr Tableau<1> euler_tableau{"euler", {0.0}, {{{0.0}}}, {1.0}};

inline constexpr Tableau<4> rk4_tableau{"rk4",
                                        {0.0, 0.5, 0.5, 1.0},
                                        {{{0, 0, 0, 0}, {0.5, 0, 0, 0}, {0, 0.5, 0, 0}, {0, 0, 1, 0}}},
                                        {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

// Dormand & Prince 1980, order 5 with an embedded order 4; the last stage is the first of the next step.
inline constexpr Tableau<7> dopri5_tableau{
    "dopri5",
    {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0},
    {{{0, 0, 0, 0, 0, 0, 0},
      {1.0 / 5, 0, 0, 0, 0, 0, 0},
      {3.0 / 40, 9.0 / 40, 0, 0, 0, 0, 0},
      {44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0, 0},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0, 0},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0, 0},
      {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0}}},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0}};

// b - b̂ of the embedded method.
inline constexpr std::array<double, 7> dopri5_error{71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                                                    -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

// Fifth coefficient of the continuous extension (Hairer, Nørsett & Wanner I, II.6).
inline constexpr std::array<double, 7> dopri5_dense{-12715105075.0 / 11282082432.0,  0.0,
                                                    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                                    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                                    69997945.0 / 29380423.0};

}  // namespace taut
