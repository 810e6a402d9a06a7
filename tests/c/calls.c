/* Calls in random order with random arguments, sound and not: every answer is a status of the list, and in the end
 * everything can still be used. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { slots = 4 };

typedef struct {
  dice d;
  taut_model* models[slots];
  taut_simulation* sims[slots];
  taut_snapshot* snapshots[slots];
  taut_run* runs[slots];
  long done, refused;
} table;

static int idle(void* user, const taut_observation* now, double* commands, double* memory) {
  table* t = user;
  if (now->memory_count > 0) memory[0] += 1.0;
  if (now->input_count > 0 && now->cable_count > 0) commands[0] = 0.9 * now->rest_lengths[0];
  return roll_below(&t->d, 200) == 0 ? 3 : 0;
}

static double any_number(dice* d) {
  static const double strange[] = {0.0, -0.0, -1.0, 1e-300, 1e300, NAN, INFINITY, -INFINITY, 0.5, 2.0};
  return roll_below(d, 3) ? (double)roll_below(d, 1000) / 1000.0 : strange[roll_below(d, 10)];
}

static const char* any_key(dice* d) {
  static const char* keys[] = {"cables.*.stiffness",
                               "simulation.step",
                               "nodes.*.mass",
                               "cables.0.rest_length",
                               "name",
                               "",
                               "bars.*.mass",
                               "environment.gravity",
                               "no.such.key",
                               "nodes",
                               "simulation.settle",
                               "environment.ground"};
  return keys[roll_below(d, 12)];
}

static const char* any_value(dice* d) {
  static const char* values[] = {"1.5", "[0, 0, -9.81]", "true", "rk4", "{", "nan", "-3", "'x'", "", "1e400"};
  return values[roll_below(d, 10)];
}

static void note(table* t, int status) {
  CHECK(status >= TAUT_OK && status <= TAUT_MISUSE); /* neither busy nor a fault within */
  if (status == TAUT_INTERNAL || status == TAUT_BUSY) fprintf(stderr, "%s\n", taut_error_message());
  ++*(status == TAUT_OK ? &t->done : &t->refused);
}

static void make(table* t, int64_t i) {
  taut_model* model = NULL;
  const char* set[] = {any_value(&t->d)};
  switch (roll_below(&t->d, 4)) {
    case 0:
      note(t, taut_generate("three_prism", NULL, roll_below(&t->d, 8) == 0, &model));
      break;
    case 1:
      note(t, taut_generate(roll_below(&t->d, 4) ? "prism" : "snelson", set, roll_below(&t->d, 4) == 0, &model));
      break;
    case 2:
      note(t,
           taut_loads("[nodes]\na = { at = [0, 0, 0], fixed = true }\nb = { at = [0, 0, -1], mass = 1.0 }\n[[cables]]\n"
                      "nodes = [\"a\", \"b\"]\nstiffness = 100.0\n",
                      "hanging", NULL, 0, &model));
      break;
    default:
      note(t, taut_loads(any_value(&t->d), NULL, NULL, 0, &model));
  }
  if (model != NULL) {
    taut_model_free(t->models[i]);
    t->models[i] = model;
  }
}

static void ask_model(table* t, taut_model* model) {
  dice* d = &t->d;
  double numbers[8];
  int64_t count = 0, path[4];
  const char* text = NULL;
  taut_balance balance;
  taut_counts counts;
  switch (roll_below(d, 9)) {
    case 0:
      note(t, taut_model_set(model, any_key(d), any_value(d)));
      break;
    case 1:
      note(t, taut_model_set_number(model, any_key(d), any_number(d)));
      break;
    case 2:
      note(t, taut_model_get(model, any_key(d), &text));
      break;
    case 3:
      note(t, taut_model_get_numbers(model, any_key(d), numbers, roll_below(d, 10) - 1, &count) == TAUT_OK
                  ? TAUT_OK
                  : taut_last_error()->status);
      break;
    case 4:
      taut_model_name(model, (int)roll_below(d, 13) - 1, roll_below(d, 20) - 1);
      taut_model_count(model, (int)roll_below(d, 13) - 1);
      taut_model_path(model, (int)roll_below(d, 13) - 1, roll_below(d, 20) - 1, path, roll_below(d, 5));
      break;
    case 5:
      note(t, taut_model_toml(model, &text));
      break;
    case 6:
      note(t, taut_model_check(model, &balance));
      break;
    case 7:
      note(t, taut_model_statics(model, &counts));
      break;
    default:
      note(t, taut_model_modes(model, numbers, roll_below(d, 8), &count));
  }
}

static void ask_simulation(table* t, taut_simulation* sim, int64_t i) {
  dice* d = &t->d;
  double numbers[64];
  for (int k = 0; k < 64; ++k) numbers[k] = any_number(d);
  int64_t count = 0;
  const double* seen = NULL;
  taut_snapshot* snapshot = NULL;
  taut_controller controller = {idle, t, 1000.0 * any_number(d), any_number(d), roll_below(d, 5) - 1};
  switch (roll_below(d, 10)) {
    case 0:
      note(t, taut_command(sim, numbers, roll_below(d, 30), any_number(d)));
      break;
    case 1:
      note(t, taut_command_one(sim, roll_below(d, 30) - 1, any_number(d), any_number(d)));
      break;
    case 2:
      if (!(controller.rate > 1e4)) note(t, taut_control(sim, &controller));
      break;
    case 3:
    case 4:
      note(t, taut_advance(sim, roll_below(d, 20) ? 0.002 * (double)roll_below(d, 5) : -any_number(d)));
      break;
    case 5:
      seen = taut_array(sim, (int)roll_below(d, 19) - 1, &count);
      for (int64_t k = 0; k < count; ++k) numbers[k % 64] += seen[k];
      break;
    case 6:
      note(t, taut_read(sim, (int)roll_below(d, 19) - 1, numbers, roll_below(d, 66) - 1));
      break;
    case 7:
      note(t, taut_snapshot_new(sim, &snapshot));
      taut_snapshot_free(t->snapshots[i]);
      t->snapshots[i] = snapshot;
      break;
    case 8:
      note(t, taut_restore(sim, t->snapshots[i])); /* often of another model */
      break;
    default:
      if (roll_below(d, 4) == 0) taut_stop(sim);
      note(t, taut_reset(sim));
  }
}

static void one_call(table* t) {
  dice* d = &t->d;
  const int64_t i = roll_below(d, slots), k = roll_below(d, slots);
  taut_simulation* sim = NULL;
  taut_run* run = NULL;
  switch (roll_below(d, 12)) {
    case 0:
      make(t, i);
      break;
    case 1:
    case 2:
    case 3:
      ask_model(t, t->models[i]);
      break;
    case 4:
      note(t, taut_simulation_new(t->models[k], &sim));
      if (sim == NULL) break;
      taut_simulation_free(t->sims[i]);
      t->sims[i] = sim;
      break;
    case 5:
      note(t, taut_simulate(t->models[k], roll_below(d, 10) ? 0.02 : -any_number(d), NULL, &run));
      if (run == NULL) break;
      taut_run_free(t->runs[i]);
      t->runs[i] = run;
      break;
    case 6:
      taut_run_array(t->runs[i], (int)roll_below(d, 19) - 1, NULL);
      taut_run_rows(t->runs[k]);
      break;
    case 7:
      if (roll_below(d, 10)) break;
      taut_simulation_free(t->sims[i]);
      t->sims[i] = NULL;
      taut_model_free(t->models[k]);
      t->models[k] = NULL;
      break;
    default:
      ask_simulation(t, t->sims[k], i);
  }
}

void test_random_calls(void) {
  const char* seed = getenv("TAUT_TEST_SEED"); /* other calls than those of every day */
  table t = {.d = {seed != NULL ? 1 + strtoull(seed, NULL, 10) : 19620712}};
  for (int i = 0; i < FEWER(60000); ++i) one_call(&t);
  CHECK(t.done > FEWER(60000) / 10 && t.refused > FEWER(60000) / 10);
  for (int i = 0; i < slots; ++i) {
    taut_model_free(t.models[i]);
    taut_simulation_free(t.sims[i]);
    taut_snapshot_free(t.snapshots[i]);
    taut_run_free(t.runs[i]);
  }
}
