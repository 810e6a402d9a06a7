/* Stepping through the C interface: the numbers are those of a run, commands and controllers act, what cannot be is
 * refused. */
#include <math.h>
#include <string.h>

#include "check.h"

static taut_simulation* stepping(taut_model* model) {
  taut_simulation* sim = NULL;
  OK(taut_simulation_new(model, &sim));
  return sim;
}

void test_steps(void) {
  /* A row of a run, and the same time in steps from outside: to the last bit, in every list. */
  taut_model* model = six_bar();
  taut_run* run = NULL;
  OK(taut_simulate(model, 0.0, NULL, &run));
  taut_simulation* sim = stepping(model);
  taut_model_free(model); /* the simulation has its own */
  CHECK(taut_run_rows(run) == 9);
  for (int64_t row = 0; row < 9; ++row) {
    if (row > 0) OK(taut_advance(sim, 0.015625));
    CHECK(taut_time(sim) == taut_run_array(run, TAUT_T, NULL)[row]);
    for (int quantity = TAUT_T; quantity <= TAUT_CONSTRAINT_ERROR; ++quantity) {
      int64_t width = -1, count = -1;
      const double* all = taut_run_array(run, quantity, &width);
      const double* now = taut_array(sim, quantity, &count);
      double copy[64];
      CHECK(all != NULL && now != NULL && width == count && count <= 64);
      CHECK(same_bits(all + row * width, now, count));
      OK(taut_read(sim, quantity, copy, count));
      CHECK(same_bits(now, copy, count));
      FAILS(taut_read(sim, quantity, copy, count + 1), TAUT_MISUSE);
    }
  }
  taut_run_free(run);
  taut_simulation_free(sim);

  /* A mass that falls: z = -g t²/2. rk4 is exact for it. */
  model = from_text(
      "[nodes]\na = { at = [0, 0, 0], mass = 2.0 }\n[simulation]\nintegrator = \"rk4\"\nstep = 0.125\n"
      "[environment]\ngravity = [0, 0, -9.75]\n");
  sim = stepping(model);
  OK(taut_advance(sim, 2.0));
  double position[3], velocity[3];
  OK(taut_read(sim, TAUT_NODES, position, 3));
  OK(taut_read(sim, TAUT_VELOCITIES, velocity, 3));
  CHECK(position[0] == 0.0 && position[1] == 0.0);
  CLOSE(position[2], -0.5 * 9.75 * 4.0, 1e-13);
  CLOSE(velocity[2], -9.75 * 2.0, 1e-13);
  taut_simulation_free(sim);
  taut_model_free(model);
}

void test_commands(void) {
  taut_model* model = six_bar();
  taut_simulation *one = stepping(model), *all = stepping(model);
  const int64_t inputs = taut_input_count(one);
  CHECK(inputs == 24); /* nothing drives the model: every cable */
  for (int64_t i = 0; i < inputs; ++i) CHECK(taut_input_index(one, taut_input_name(one, i)) == i);
  double values[24], rest[24];
  OK(taut_read(one, TAUT_REST_LENGTHS, rest, 24));
  for (int64_t i = 0; i < inputs; ++i) {
    values[i] = rest[i] * (i == 3 ? 0.9 : 1.0);
    OK(taut_command_one(one, i, values[i], 0.0625));
  }
  OK(taut_command(all, values, inputs, 0.0625));
  OK(taut_advance(one, 0.03125)); /* half of the way */
  OK(taut_advance(all, 0.03125));
  CHECK(same_bits(taut_array(one, TAUT_NODES, NULL), taut_array(all, TAUT_NODES, NULL), 36));
  CLOSE(taut_array(one, TAUT_REST_LENGTHS, NULL)[3], 0.95 * rest[3], 1e-15);
  OK(taut_command_one(one, 3, rest[3], 0.0)); /* a jump */
  CHECK(taut_array(one, TAUT_REST_LENGTHS, NULL)[3] == rest[3]);
  OK(taut_advance(one, 0.03125));
  CHECK(taut_array(one, TAUT_REST_LENGTHS, NULL)[3] == rest[3]);

  /* What is refused changes nothing. */
  const double time = taut_time(one);
  double before[36];
  OK(taut_read(one, TAUT_NODES, before, 36));
  FAILS(taut_command(one, values, 23, 0.0), TAUT_MISUSE);
  FAILS(taut_command(one, NULL, 24, 0.0), TAUT_MISUSE);
  FAILS(taut_command(one, values, -24, 0.0), TAUT_MISUSE);
  values[0] = 0.5 * rest[0];
  values[23] = NAN;
  FAILS(taut_command(one, values, 24, 0.0), TAUT_INPUT_ERROR);
  CHECK(taut_array(one, TAUT_REST_LENGTHS, NULL)[0] == rest[0]);
  FAILS(taut_command_one(one, 24, 0.5, 0.0), TAUT_MISUSE);
  FAILS(taut_command_one(one, -1, 0.5, 0.0), TAUT_MISUSE);
  FAILS(taut_command_one(one, 0, NAN, 0.0), TAUT_INPUT_ERROR);
  FAILS(taut_command_one(one, 0, -0.5, 0.0), TAUT_INPUT_ERROR);
  SAYS(taut_error_message(), taut_input_name(one, 0));
  FAILS(taut_command_one(one, 0, 0.5, -1.0), TAUT_INPUT_ERROR);
  FAILS(taut_command_one(one, 0, 0.5, NAN), TAUT_INPUT_ERROR);
  FAILS(taut_advance(one, 0.0), TAUT_INPUT_ERROR);
  FAILS(taut_advance(one, -1.0), TAUT_INPUT_ERROR);
  FAILS(taut_advance(one, NAN), TAUT_INPUT_ERROR);
  FAILS(taut_advance(one, INFINITY), TAUT_INPUT_ERROR);
  CHECK(taut_input_index(one, "no such cable") == -1 && taut_last_error()->status == TAUT_INPUT_ERROR);
  CHECK(taut_input_name(one, 24) == NULL && taut_input_name(one, -1) == NULL);
  CHECK(taut_array(one, 99, NULL) == NULL && taut_array(one, -1, NULL) == NULL);
  CHECK(taut_time(one) == time && same_bits(before, taut_array(one, TAUT_NODES, NULL), 36));
  OK(taut_advance(one, 0.03125));

  /* A model that is changed later is not that of the simulation. */
  OK(taut_model_set_number(model, "cables.*.stiffness", 1.0));
  OK(taut_reset(one));
  OK(taut_reset(all));
  taut_simulation_free(all);
  all = stepping(model);
  CHECK(same_bits(taut_array(one, TAUT_NODES, NULL), taut_array(all, TAUT_NODES, NULL), 36));
  CHECK(!same_bits(taut_array(one, TAUT_TENSIONS, NULL), taut_array(all, TAUT_TENSIONS, NULL), 24));
  taut_simulation_free(one);
  taut_simulation_free(all);
  taut_model_free(model);
}

typedef struct {
  double gain;
  long calls;
  int fail_at; /* this call returns 7; 0: none */
  bool sound;
  double nodes[36], velocities[36], lengths[24], rest[24]; /* of the last call */
} hold;

/* Cable 1 is to pull with 50 N: a controller that integrates in memory[0]. */
static int hold_tension(void* user, const taut_observation* now, double* commands, double* memory) {
  hold* h = user;
  ++h->calls;
  h->sound = h->sound && now->node_count == 12 && now->cable_count == 24 && now->input_count == 24 &&
             now->memory_count == 1 && now->joint_count == 0 && now->contact_forces != NULL && now->nodes != NULL;
  const double error = 50.0 - now->tensions[1];
  memory[0] += error / 64.0;
  commands[1] = now->lengths[1] - h->gain * error - 1e-2 * memory[0];
  memcpy(h->nodes, now->nodes, sizeof h->nodes);
  memcpy(h->velocities, now->velocities, sizeof h->velocities);
  memcpy(h->lengths, now->lengths, sizeof h->lengths);
  memcpy(h->rest, now->rest_lengths, sizeof h->rest);
  return h->calls == h->fail_at ? 7 : 0;
}

void test_control(void) {
  taut_model* model = six_bar();
  hold stepped = {.gain = 2e-5, .sound = true}, whole = stepped;
  taut_controller controller = {hold_tension, &stepped, 64.0, 0.0, 1};
  taut_simulation* sim = stepping(model);
  double calm[24];
  OK(taut_control(sim, &controller));
  OK(taut_read(sim, TAUT_TENSIONS, calm, 24));
  for (int i = 0; i < 8; ++i) {
    double nodes[36], velocities[36], lengths[24], rest[24];
    OK(taut_read(sim, TAUT_NODES, nodes, 36));
    OK(taut_read(sim, TAUT_VELOCITIES, velocities, 36));
    OK(taut_read(sim, TAUT_LENGTHS, lengths, 24));
    OK(taut_read(sim, TAUT_REST_LENGTHS, rest, 24));
    OK(taut_advance(sim, 0.015625));
    /* It saw what stood before this call. */
    CHECK(same_bits(stepped.nodes, nodes, 36) && same_bits(stepped.velocities, velocities, 36));
    CHECK(same_bits(stepped.lengths, lengths, 24) && same_bits(stepped.rest, rest, 24));
  }
  CHECK(stepped.calls == 8 && stepped.sound);
  CHECK(!same_bits(calm, taut_array(sim, TAUT_TENSIONS, NULL), 24));

  /* In a run it is asked at the same instants and sees the same. */
  taut_run* run = NULL;
  controller.user = &whole;
  OK(taut_simulate(model, 0.0, &controller, &run));
  CHECK(whole.sound && whole.calls >= 8 && whole.calls <= 9); /* what happens at the end is left to a later call */
  CHECK(same_bits(taut_run_array(run, TAUT_NODES, NULL) + 8 * 36, taut_array(sim, TAUT_NODES, NULL), 36));
  taut_run_free(run);

  /* Its memory is part of the state: a second simulation goes on from a snapshot as the first did. */
  taut_snapshot* snapshot = NULL;
  OK(taut_snapshot_new(sim, &snapshot));
  OK(taut_advance(sim, 0.0625));
  taut_simulation* other = stepping(model);
  controller.user = &whole;
  OK(taut_control(other, &controller));
  OK(taut_restore(other, snapshot));
  OK(taut_advance(other, 0.0625));
  CHECK(same_bits(taut_array(other, TAUT_NODES, NULL), taut_array(sim, TAUT_NODES, NULL), 36));
  taut_snapshot_free(snapshot);
  taut_simulation_free(other);

  /* One that fails ends the motion, which is then as before the call; in a run the rows up to then stay. */
  const double time = taut_time(sim);
  stepped.fail_at = (int)stepped.calls + 2;
  FAILS(taut_advance(sim, 0.125), TAUT_RUN_ERROR);
  SAYS(taut_error_message(), "returned 7");
  CLOSE(taut_last_error()->time, time + 1.0 / 64.0, 1e-12);
  CHECK(taut_time(sim) == time);
  stepped.fail_at = 0;
  OK(taut_advance(sim, 0.125));
  whole.calls = 0;
  whole.fail_at = 4;
  FAILS(taut_simulate(model, 0.0, &controller, &run), TAUT_RUN_ERROR);
  CHECK(taut_run_status(run) == TAUT_FAILED);
  CHECK(taut_run_rows(run) == 4);
  SAYS(taut_run_summary(run), "\"failed\"");
  taut_run_free(run);
  whole.fail_at = 0;

  /* What cannot be. */
  taut_controller wrong = controller;
  wrong.rate = 0.0;
  FAILS(taut_control(sim, &wrong), TAUT_INPUT_ERROR);
  wrong.rate = NAN;
  FAILS(taut_control(sim, &wrong), TAUT_INPUT_ERROR);
  wrong.rate = 1e300;
  FAILS(taut_control(sim, &wrong), TAUT_INPUT_ERROR);
  FAILS(taut_simulate(model, 0.0, &wrong, &run), TAUT_INPUT_ERROR);
  CHECK(run == NULL);
  wrong = controller;
  wrong.speed = -1.0;
  FAILS(taut_control(sim, &wrong), TAUT_INPUT_ERROR);
  wrong.speed = NAN;
  FAILS(taut_control(sim, &wrong), TAUT_INPUT_ERROR);
  wrong = controller;
  wrong.memory = -1;
  FAILS(taut_control(sim, &wrong), TAUT_MISUSE);
  wrong.memory = INT64_MAX;
  FAILS(taut_control(sim, &wrong), TAUT_MISUSE);
  wrong = controller;
  wrong.function = NULL;
  FAILS(taut_control(sim, &wrong), TAUT_MISUSE);
  FAILS(taut_control(sim, NULL), TAUT_MISUSE);
  OK(taut_advance(sim, 0.015625));
  taut_simulation_free(sim);
  taut_model_free(model);
}
