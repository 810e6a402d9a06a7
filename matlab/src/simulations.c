/* Simulations, and control functions of MATLAB. */
#include <math.h>
#include <string.h>

#include "bridge.h"

/* ---- Control ---- */

static mxArray* nodes_of(const double* numbers, int64_t nodes) {
  return numbers != NULL ? table_out(numbers, nodes, 3) : mxCreateDoubleMatrix(0, 3, mxREAL);
}

static mxArray* seen_by(const taut_observation* now, const double* commands, const double* memory) {
  const char* fields[] = {"time",         "nodes",  "velocities",     "tensions", "lengths", "length_rates",
                          "rest_lengths", "joints", "contact_forces", "commands", "memory"};
  mxArray* seen = mxCreateStructMatrix(1, 1, 11, fields);
  mxSetField(seen, 0, "time", mxCreateDoubleScalar(now->time));
  mxSetField(seen, 0, "nodes", nodes_of(now->nodes, now->node_count));
  mxSetField(seen, 0, "velocities", nodes_of(now->velocities, now->node_count));
  mxSetField(seen, 0, "tensions", column_out(now->tensions, now->cable_count));
  mxSetField(seen, 0, "lengths", column_out(now->lengths, now->cable_count));
  mxSetField(seen, 0, "length_rates", column_out(now->length_rates, now->cable_count));
  mxSetField(seen, 0, "rest_lengths", column_out(now->rest_lengths, now->cable_count));
  mxSetField(seen, 0, "joints", column_out(now->joints, now->joint_count));
  mxSetField(seen, 0, "contact_forces", nodes_of(now->contact_forces, now->node_count));
  mxSetField(seen, 0, "commands", column_out(commands, now->input_count));
  mxSetField(seen, 0, "memory", column_out(memory, now->memory_count));
  return seen;
}

/* Empty: left alone. False: not that many real doubles. */
static bool taken(const mxArray* answer, double* to, int64_t count) {
  if (answer == NULL || mxIsEmpty(answer)) return true;
  if (!mxIsDouble(answer) || mxIsComplex(answer) || mxIsSparse(answer) ||
      (int64_t)mxGetNumberOfElements(answer) != count)
    return false;
  memcpy(to, mxGetPr(answer), (size_t)count * sizeof(double));
  return true;
}

/* The function is one of taut.internal.guarded, which catches what the user's throws: nothing jumps over taut. */
static int call_function(void* user, const taut_observation* now, double* commands, double* memory) {
  controlled* control = user;
  mxArray* in[2] = {control->function, seen_by(now, commands, memory)};
  mxArray* out[2] = {NULL, NULL};
  mxArray* thrown = mexCallMATLABWithTrap(2, out, 2, in, "feval");
  bool sound = thrown == NULL;
  if (sound) sound = taken(out[0], commands, now->input_count) && taken(out[1], memory, now->memory_count);
  if (thrown != NULL) mxDestroyArray(thrown);
  if (out[0] != NULL) mxDestroyArray(out[0]);
  if (out[1] != NULL) mxDestroyArray(out[1]);
  mxDestroyArray(in[1]);
  return sound ? 0 : 1;
}

taut_controller controller_of(controlled* control) {
  const taut_controller controller = {call_function, control, control->rate, control->speed, (int64_t)control->memory};
  return controller;
}

/* ---- Commands ---- */

static taut_simulation* sim_in(const mxArray* number) { return handle_of(number, IS_SIMULATION); }

static void simulation(mxArray* out[], const mxArray* in[]) {
  taut_simulation* sim = NULL;
  check(taut_simulation_new(handle_of(in[0], IS_MODEL), &sim));
  out[0] = mxCreateDoubleScalar(keep(IS_SIMULATION, sim));
}

static void inputs(mxArray* out[], const mxArray* in[]) {
  taut_simulation* sim = sim_in(in[0]);
  const int64_t count = taut_input_count(sim);
  if (count < 0) fail_as_taut();
  out[0] = mxCreateCellMatrix((mwSize)count, 1);
  for (int64_t i = 0; i < count; ++i) mxSetCell(out[0], (mwIndex)i, text_out(taut_input_name(sim, i)));
}

static void set_all(mxArray* out[], const mxArray* in[]) {
  (void)out;
  taut_simulation* sim = sim_in(in[0]);
  int64_t count = 0;
  const double* values = numbers_in(in[1], "values", &count);
  check(taut_command(sim, values, count, number_in(in[2], "over")));
}

static void set_one(mxArray* out[], const mxArray* in[]) {
  (void)out;
  taut_simulation* sim = sim_in(in[0]);
  const int64_t index = taut_input_index(sim, text_in(in[1], "name"));
  if (index < 0) fail_as_taut();
  check(taut_command_one(sim, index, number_in(in[2], "value"), number_in(in[3], "over")));
}

static void control(mxArray* out[], const mxArray* in[]) {
  (void)out;
  taut_simulation* sim = sim_in(in[0]);
  controlled* old = control_of(in[0]);
  controlled given = {NULL, number_in(in[2], "rate"), number_in(in[3], "speed"), (double)whole_in(in[4], "memory")};
  if (mxGetClassID(in[1]) != mxFUNCTION_CLASS) fail("taut:Misuse", "control: expected a function");
  /* The simulation keeps the place of the table's entry, so that is what it is given. */
  controlled kept = *old;
  *old = given;
  taut_controller controller = controller_of(old);
  const int status = taut_control(sim, &controller);
  if (status != TAUT_OK) {
    *old = kept;
    fail_as_taut();
  }
  old->function = mxDuplicateArray(in[1]);
  mexMakeArrayPersistent(old->function);
  if (kept.function != NULL) mxDestroyArray(kept.function);
}

static void advance(mxArray* out[], const mxArray* in[]) {
  (void)out;
  taut_simulation* sim = sim_in(in[0]);
  check(taut_advance(sim, number_in(in[1], "dt")));
}

static void time_of(mxArray* out[], const mxArray* in[]) {
  const double time = taut_time(sim_in(in[0]));
  if (isnan(time)) fail_as_taut();
  out[0] = mxCreateDoubleScalar(time);
}

static void read_array(mxArray* out[], const mxArray* in[]) {
  taut_simulation* sim = sim_in(in[0]);
  int64_t count = 0;
  const double* numbers = taut_array(sim, (int)whole_in(in[1], "quantity"), &count);
  if (numbers == NULL) fail_as_taut();
  const int64_t width = whole_in(in[2], "width");
  if (width < 1 || count % width != 0) fail("taut:Misuse", "read: the numbers make no rows of this width");
  out[0] = table_out(numbers, count / width, width);
}

/* A snapshot is its bytes: a plain value, which can be kept in a file and needs no delete. */
static void snapshot(mxArray* out[], const mxArray* in[]) {
  taut_snapshot* s = NULL;
  int64_t count = 0;
  check(taut_snapshot_new(sim_in(in[0]), &s));
  int status = taut_snapshot_to_bytes(s, NULL, 0, &count);
  if (status == TAUT_OK) {
    out[0] = mxCreateNumericMatrix(1, (mwSize)count, mxUINT8_CLASS, mxREAL);
    status = taut_snapshot_to_bytes(s, mxGetData(out[0]), count, NULL);
  }
  taut_snapshot_free(s);
  check(status);
}

static void restore(mxArray* out[], const mxArray* in[]) {
  (void)out;
  taut_simulation* sim = sim_in(in[0]);
  taut_snapshot* s = NULL;
  if (mxGetClassID(in[1]) != mxUINT8_CLASS) fail("taut:Misuse", "restore: expected what snapshot() gave");
  check(taut_snapshot_from_bytes(mxGetData(in[1]), (int64_t)mxGetNumberOfElements(in[1]), &s));
  const int status = taut_restore(sim, s);
  taut_snapshot_free(s);
  check(status);
}

static void reset(mxArray* out[], const mxArray* in[]) {
  (void)out;
  check(taut_reset(sim_in(in[0])));
}

const command simulation_commands[] = {
    {"simulation", 1, simulation}, {"inputs", 1, inputs},   {"command", 3, set_all}, {"command_one", 4, set_one},
    {"control", 5, control},       {"advance", 2, advance}, {"time", 1, time_of},    {"read", 3, read_array},
    {"snapshot", 1, snapshot},     {"restore", 2, restore}, {"reset", 1, reset},     {NULL, 0, NULL},
};
