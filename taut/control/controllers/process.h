// kind = "process": inputs as another program answers on a pipe, one line of JSON each way at each control instant
// (process_lines.h).
//
// The program is started at the first instant that asks for it, never before: who reads a model, checks it or looks at
// its statics starts nothing. It runs in the folder of the spec, in a process group of its own, and ends with the
// controller: its input is closed, and what does not end then is ended.
//
// It is asked at each instant once, and the motion waits for it. What it is to remember through snapshots and restarts
// it sends as its memory, which is part of the state.
#pragma once

#include <memory>

#include "taut/control/controller.h"

namespace taut {

// Its update throws RunError, with the program's own last words: it cannot be started, ends, takes too long, or answers
// something that cannot be used. Throws Stopped when the flag of a StopScope is set while it waits.
std::unique_ptr<Controller> make_process(const Dynamics& dynamics, const ControllerSpec& spec);

}  // namespace taut
