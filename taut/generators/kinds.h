// Every kind of structure that taut can generate, one function and one file each; generators.cpp lists them.
#pragma once

#include "taut/generators/generators.h"

namespace taut {

Generator prism();
Generator six_bar();
Generator tower();
Generator class2_tower();
Generator stacked();
Generator twelve_bar();
Generator expanded_octahedron();
Generator truncated_tetrahedron();
Generator truncated_cube();
Generator truncated_octahedron();
Generator truncated_dodecahedron();
Generator truncated_icosahedron();
Generator geodesic_sphere();
Generator torus();
Generator lander();
Generator x_module();
Generator d_bar();
Generator t_bar();
Generator pendulum();
Generator double_pendulum();
Generator net();
Generator michell();
Generator cable_dome();
Generator wheel();
Generator cable_net();
Generator bridge();
Generator spine();
Generator class2_arm();
Generator jansen();
Generator single_strut();
Generator tensegrity_manipulator();
Generator three_dof_mechanism();

}  // namespace taut
