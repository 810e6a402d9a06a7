/* Runs: what taut_simulate() has is what the program writes, to the last bit; saved and opened it stays that. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static void expect_same(taut_run* a, taut_run* b) {
  const int64_t rows = taut_run_rows(a);
  CHECK(rows > 1 && rows == taut_run_rows(b));
  for (int quantity = TAUT_T; quantity <= TAUT_CONSTRAINT_ERROR; ++quantity) {
    int64_t wide = -1, broad = -1;
    const double *first = taut_run_array(a, quantity, &wide), *second = taut_run_array(b, quantity, &broad);
    CHECK(wide >= 0 && wide == broad);
    CHECK(same_bits(first, second, rows * wide));
  }
}

static taut_run* run_of_program(const char* options) {
  char arguments[1024];
  taut_run* run = NULL;
  snprintf(arguments, sizeof arguments, "run --no-report -o results %s", options);
  run_program(arguments);
  OK(taut_open(scratch("results/run.h5"), &run));
  CHECK(taut_run_status(run) == TAUT_DONE);
  return run;
}

void test_runs(void) {
  /* A structure with contact, a machine with pulleys, and one that is steered. */
  const char* files[] = {"six_bar_drop.toml", "tensegrity_manipulator.toml", "manipulator_steered.toml"};
  char options[600];
  for (int i = 0; i < 3; ++i) {
    taut_model* model = loaded(files[i], NULL, 0);
    taut_run *run = NULL, *read_back = NULL;
    OK(taut_simulate(model, 0.25, NULL, &run));
    CHECK(taut_run_status(run) == TAUT_DONE);
    SAYS(taut_run_summary(run), "\"done\"");
    CLOSE(taut_run_array(run, TAUT_T, NULL)[taut_run_rows(run) - 1], 0.25, 0.0);
    snprintf(options, sizeof options, "--duration 0.25 %s", model_file(files[i]));
    taut_run* programs = run_of_program(options);
    expect_same(run, programs);
    OK(taut_run_save(run, scratch("saved/kept.h5")));
    OK(taut_open(scratch("saved/kept.h5"), &read_back));
    expect_same(run, read_back);

    /* Its model is the one that it was run with. */
    taut_model* of_run = NULL;
    OK(taut_run_model(programs, &of_run));
    CHECK(taut_model_count(of_run, TAUT_KIND_NODE) == taut_model_count(model, TAUT_KIND_NODE));
    int64_t joints = -1;
    taut_run_array(run, TAUT_JOINTS, &joints);
    CHECK(taut_model_count(of_run, TAUT_KIND_JOINTS) == joints && (joints > 0) == (i > 0));
    int64_t controls = -1;
    taut_run_array(run, TAUT_CONTROLS, &controls);
    CHECK(taut_model_count(of_run, TAUT_KIND_CONTROLS) == controls && (controls > 0) == (i == 2));
    taut_run* again = NULL;
    OK(taut_simulate(of_run, 0.25, NULL, &again));
    expect_same(run, again);
    taut_run_free(again);
    taut_model_free(of_run);
    taut_run_free(read_back);
    taut_run_free(programs);
    taut_run_free(run);
    taut_model_free(model);
  }
}

void test_run_failures(void) {
  taut_run* run = NULL;
  taut_model* model = six_bar();
  FAILS(taut_simulate(model, NAN, NULL, &run), TAUT_INPUT_ERROR);
  FAILS(taut_simulate(model, -1.0, NULL, &run), TAUT_INPUT_ERROR);
  SAYS(taut_error_message(), "duration");
  CHECK(run == NULL);
  FAILS(taut_open("/nonexistent/run.h5", &run), TAUT_INPUT_ERROR);
  FAILS(taut_open(model_file("six_bar_drop.toml"), &run), TAUT_INPUT_ERROR);
  CHECK(run == NULL);
  OK(taut_simulate(model, 0.015625, NULL, &run));
  FAILS(taut_run_save(run, "/dev/null/run.h5"), TAUT_INPUT_ERROR);
  FAILS(taut_run_save(run, ""), TAUT_INPUT_ERROR);
  char long_name[1001];
  memset(long_name, 'x', 1000);
  long_name[1000] = 0;
  FAILS(taut_run_save(run, long_name), TAUT_INPUT_ERROR);
  taut_run* none = NULL;
  FAILS(taut_open(long_name, &none), TAUT_INPUT_ERROR);
  CHECK(taut_run_array(run, 99, NULL) == NULL && taut_last_error()->status == TAUT_MISUSE);
  taut_run_free(run);
  taut_model_free(model);

  /* A step far too long for its cables: the run fails, says when, and keeps its rows. A simulation stays where it is. */
  const char* set[] = {"simulation.integrator=rk4", "simulation.step=0.05", "simulation.output_step=0.05"};
  model = loaded("six_bar_drop.toml", set, 3);
  FAILS(taut_simulate(model, 20.0, NULL, &run), TAUT_RUN_ERROR);
  CHECK(taut_run_status(run) == TAUT_FAILED && taut_run_rows(run) >= 1);
  CHECK(taut_last_error()->time >= 0.0 && taut_last_error()->time < 20.0);
  SAYS(taut_error_message(), "failed at t =");
  OK(taut_run_save(run, scratch("failed.h5")));
  taut_run_free(run);
  OK(taut_open(scratch("failed.h5"), &run));
  CHECK(taut_run_status(run) == TAUT_FAILED);
  taut_run_free(run);

  taut_simulation* sim = NULL;
  OK(taut_simulation_new(model, &sim));
  int status = TAUT_OK;
  double time = 0.0, before[36];
  for (int i = 0; i < 400 && status == TAUT_OK; ++i) {
    time = taut_time(sim);
    OK(taut_read(sim, TAUT_NODES, before, 36));
    status = taut_advance(sim, 0.05);
  }
  CHECK(status == TAUT_RUN_ERROR && taut_time(sim) == time);
  CHECK(same_bits(before, taut_array(sim, TAUT_NODES, NULL), 36));
  FAILS(taut_advance(sim, 0.05), TAUT_RUN_ERROR);
  OK(taut_reset(sim));
  OK(taut_advance(sim, 0.05));
  taut_simulation_free(sim);
  taut_model_free(model);
}
