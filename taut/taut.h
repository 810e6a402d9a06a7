// taut for C++: all that a program outside needs. docs/cpp.md shows it by example.
//
//   taut::Scenario s = taut::read_scenario("robot.toml");   // InputError: places() with file, line, column, key
//   taut::Run run = taut::simulate(s);                      // the whole motion in memory
//   taut::Simulation sim(s);                                // or step by step, with commands and snapshots
//
// SI units throughout. Headers need Eigen and the standard library only. A program must be compiled with the
// definitions EIGEN_MAX_ALIGN_BYTES and EIGEN_MAX_STATIC_ALIGN_BYTES that taut::taut and pkg-config give it.
#pragma once

// Models: from files, from numbers, part by part.
#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/generators/generators.h"
#include "taut/model/build.h"
#include "taut/model/check/check.h"
#include "taut/model/scenario.h"
#include "taut/model/shape/joint_frame.h"

// Motion.
#include "taut/results/hdf5/read_hdf5.h"
#include "taut/run/simulate.h"
#include "taut/run/simulation.h"
#include "taut/run/snapshot_bytes.h"

// Shapes, forces, frequencies.
#include "taut/form/force_density.h"
#include "taut/form/relax.h"
#include "taut/modes/modes.h"
#include "taut/statics/statics.h"

// Many robots, many runs, and how one changes with its model.
#include "taut/batch/batch.h"
#include "taut/gradient/sensitivity.h"
#include "taut/sweep/sweep.h"
