/* What is made and freed again and again leaves nothing: less than a byte for each round, for what lists and the C library
 * keep for next time. The smallest block that is lost in each round is 16 bytes (32 without sanitizers). */
#include <stdio.h>

#include "check.h"

static void expect_flat(const char* what, void (*round)(void), long rounds) {
  for (long i = 0; i < rounds / 10 + 10; ++i) round();
  const long long before = bytes_in_use();
  for (long i = 0; i < rounds; ++i) round();
  const long long grown = bytes_in_use() - before;
  printf("%s: %ld rounds, %lld bytes more than before\n", what, rounds, grown);
  CHECK(grown < rounds);
}

static const char* hanging =
    "[nodes]\na = { at = [0, 0, 0], fixed = true }\nb = { at = [0.1, 0, -1], mass = 1.0 }\n[[cables]]\nname = "
    "\"line\"\n"
    "nodes = [\"a\", \"b\"]\nstiffness = 400.0\nrest_length = 0.99\n"
    "[simulation]\nintegrator = \"symplectic\"\nstep = 0.001\n";

static void load_and_free(void) {
  taut_model* model = NULL;
  const char* text = NULL;
  OK(taut_loads(hanging, "hanging", NULL, 0, &model));
  OK(taut_model_set_number(model, "cables.line.stiffness", 500.0));
  OK(taut_model_get(model, "cables.line.stiffness", &text));
  taut_model* refused = NULL;
  FAILS(taut_loads("[nodes]\na = 3\n", "refused", NULL, 0, &refused), TAUT_INPUT_ERROR);
  taut_simulation* sim = NULL;
  OK(taut_simulation_new(model, &sim));
  OK(taut_advance(sim, 0.001));
  taut_simulation_free(sim);
  taut_model_free(model);
}

void test_memory_models(void) { expect_flat("models", load_and_free, FEWER(10000)); }

static taut_model* model;
static taut_simulation* sim;

static void step_and_reset(void) {
  taut_snapshot* snapshot = NULL;
  OK(taut_command_one(sim, 0, 0.9, 0.002));
  OK(taut_advance(sim, 0.004));
  OK(taut_snapshot_new(sim, &snapshot));
  OK(taut_advance(sim, 0.001));
  OK(taut_restore(sim, snapshot));
  taut_snapshot_free(snapshot);
  OK(taut_reset(sim));
}

void test_memory_resets(void) {
  model = from_text(hanging);
  OK(taut_simulation_new(model, &sim));
  expect_flat("resets", step_and_reset, FEWER(10000));
  taut_simulation_free(sim);
  taut_model_free(model);
}

/* The mass swings, and its cable goes slack and taut: what is logged of that has an end, too. */
static void step(void) {
  static long number = 0;
  OK(taut_command_one(sim, 0, 0.95 + 0.0001 * (double)(number++ % 500), 0.0));
  OK(taut_advance(sim, 0.001));
  CHECK(taut_array(sim, TAUT_NODES, NULL) != NULL);
}

void test_memory_steps(void) {
  model = from_text(hanging);
  OK(taut_simulation_new(model, &sim));
  expect_flat("steps", step, FEWER(1000000));
  taut_simulation_free(sim);
  taut_model_free(model);
}
