/* Every function with nothing in place of what it needs: a status, a message, no crash. */
#include <math.h>
#include <string.h>

#include "check.h"

static int idle(void* user, const taut_observation* now, double* commands, double* memory) {
  (void)user, (void)now, (void)commands, (void)memory;
  return 0;
}

static bool is_misuse(void) { return taut_last_error()->status == TAUT_MISUSE && strlen(taut_error_message()) > 0; }

void test_misuse(void) {
  taut_model* model = NULL;
  taut_simulation* sim = NULL;
  taut_snapshot* snapshot = NULL;
  taut_run* run = NULL;
  const char* text = NULL;
  double number = 0.0;
  const char* none[] = {NULL};
  const taut_controller controller = {idle, NULL, 100.0, 0.0, 0};
  taut_balance balance;
  taut_counts counts;

  /* No handle. */
  FAILS(taut_model_set(NULL, "name", "x"), TAUT_MISUSE);
  SAYS(taut_error_message(), "model is NULL");
  FAILS(taut_model_set_number(NULL, "name", 1.0), TAUT_MISUSE);
  FAILS(taut_model_get(NULL, "name", &text), TAUT_MISUSE);
  FAILS(taut_model_get_numbers(NULL, "name", &number, 1, NULL), TAUT_MISUSE);
  CHECK(taut_model_count(NULL, TAUT_KIND_NODE) == -1 && is_misuse());
  CHECK(taut_model_name(NULL, TAUT_KIND_NODE, 0) == NULL && is_misuse());
  CHECK(taut_model_path(NULL, TAUT_KIND_BAR, 0, NULL, 0) == -1 && is_misuse());
  FAILS(taut_model_toml(NULL, &text), TAUT_MISUSE);
  FAILS(taut_model_check(NULL, &balance), TAUT_MISUSE);
  FAILS(taut_model_statics(NULL, &counts), TAUT_MISUSE);
  FAILS(taut_model_modes(NULL, &number, 1, NULL), TAUT_MISUSE);
  FAILS(taut_simulation_new(NULL, &sim), TAUT_MISUSE);
  CHECK(taut_input_count(NULL) == -1 && is_misuse());
  CHECK(taut_input_name(NULL, 0) == NULL && is_misuse());
  CHECK(taut_input_index(NULL, "a") == -1 && is_misuse());
  FAILS(taut_command(NULL, &number, 1, 0.0), TAUT_MISUSE);
  FAILS(taut_command_one(NULL, 0, 1.0, 0.0), TAUT_MISUSE);
  FAILS(taut_control(NULL, &controller), TAUT_MISUSE);
  FAILS(taut_advance(NULL, 0.1), TAUT_MISUSE);
  CHECK(isnan(taut_time(NULL)) && is_misuse());
  int64_t count = 5;
  CHECK(taut_array(NULL, TAUT_NODES, &count) == NULL && count == -1 && is_misuse());
  FAILS(taut_read(NULL, TAUT_NODES, &number, 1), TAUT_MISUSE);
  FAILS(taut_snapshot_new(NULL, &snapshot), TAUT_MISUSE);
  FAILS(taut_restore(NULL, NULL), TAUT_MISUSE);
  FAILS(taut_reset(NULL), TAUT_MISUSE);
  FAILS(taut_snapshot_to_bytes(NULL, &number, 8, NULL), TAUT_MISUSE);
  FAILS(taut_simulate(NULL, 1.0, NULL, &run), TAUT_MISUSE);
  FAILS(taut_run_save(NULL, "x.h5"), TAUT_MISUSE);
  CHECK(taut_run_status(NULL) == -1 && is_misuse());
  CHECK(taut_run_rows(NULL) == -1 && is_misuse());
  count = 5;
  CHECK(taut_run_array(NULL, TAUT_NODES, &count) == NULL && count == -1 && is_misuse());
  CHECK(taut_run_summary(NULL) == NULL && is_misuse());
  FAILS(taut_run_model(NULL, &model), TAUT_MISUSE);
  taut_stop(NULL);
  taut_model_stop(NULL);
  taut_model_free(NULL);
  taut_simulation_free(NULL);
  taut_snapshot_free(NULL);
  taut_run_free(NULL);

  /* No text, no list, no place for the answer. */
  FAILS(taut_load(NULL, NULL, 0, &model), TAUT_MISUSE);
  FAILS(taut_load("x.toml", NULL, 0, NULL), TAUT_MISUSE);
  FAILS(taut_loads(NULL, NULL, NULL, 0, &model), TAUT_MISUSE);
  FAILS(taut_loads("", NULL, NULL, 3, &model), TAUT_MISUSE);
  FAILS(taut_loads("", NULL, none, 1, &model), TAUT_MISUSE);
  FAILS(taut_loads("", NULL, none, -1, &model), TAUT_MISUSE);
  FAILS(taut_generate(NULL, NULL, 0, &model), TAUT_MISUSE);
  FAILS(taut_open(NULL, &run), TAUT_MISUSE);
  FAILS(taut_open("x.h5", NULL), TAUT_MISUSE);
  model = six_bar();
  FAILS(taut_model_set(model, NULL, "1"), TAUT_MISUSE);
  FAILS(taut_model_set(model, "simulation.step", NULL), TAUT_MISUSE);
  FAILS(taut_model_set_number(model, NULL, 1.0), TAUT_MISUSE);
  FAILS(taut_model_get(model, NULL, &text), TAUT_MISUSE);
  FAILS(taut_model_get(model, "name", NULL), TAUT_MISUSE);
  FAILS(taut_model_get_numbers(model, NULL, &number, 1, NULL), TAUT_MISUSE);
  FAILS(taut_model_get_numbers(model, "simulation.step", NULL, 1, NULL), TAUT_MISUSE);
  FAILS(taut_model_toml(model, NULL), TAUT_MISUSE);
  FAILS(taut_model_check(model, NULL), TAUT_MISUSE);
  FAILS(taut_model_statics(model, NULL), TAUT_MISUSE);
  FAILS(taut_model_modes(model, NULL, 3, NULL), TAUT_MISUSE);
  FAILS(taut_model_modes(model, &number, 0, NULL), TAUT_MISUSE);
  FAILS(taut_model_modes(model, &number, -1, NULL), TAUT_MISUSE);
  FAILS(taut_simulation_new(model, NULL), TAUT_MISUSE);
  FAILS(taut_simulate(model, 0.1, NULL, NULL), TAUT_MISUSE);
  OK(taut_simulation_new(model, &sim));
  CHECK(taut_input_index(sim, NULL) == -1 && is_misuse());
  FAILS(taut_command(sim, NULL, 0, 0.0), TAUT_MISUSE);
  FAILS(taut_control(sim, NULL), TAUT_MISUSE);
  FAILS(taut_read(sim, TAUT_NODES, NULL, 36), TAUT_MISUSE);
  FAILS(taut_read(sim, TAUT_NODES, &number, -1), TAUT_MISUSE);
  FAILS(taut_read(sim, -5, &number, 1), TAUT_MISUSE);
  FAILS(taut_snapshot_new(sim, NULL), TAUT_MISUSE);
  FAILS(taut_snapshot_from_bytes(&number, 8, NULL), TAUT_MISUSE);
  OK(taut_simulate(model, 0.015625, NULL, &run));
  FAILS(taut_run_save(run, NULL), TAUT_MISUSE);
  FAILS(taut_run_model(run, NULL), TAUT_MISUSE);

  /* A success leaves the last error as it was. */
  FAILS(taut_advance(sim, -1.0), TAUT_INPUT_ERROR);
  OK(taut_advance(sim, 0.001));
  CHECK(taut_last_error()->status == TAUT_INPUT_ERROR);
  SAYS(taut_error_message(), "advance");
  taut_run_free(run);
  taut_simulation_free(sim);
  taut_model_free(model);
}
