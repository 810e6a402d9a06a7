/* Models through the C interface: what is read, set and asked is what the program has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static double number(taut_model* model, const char* key) {
  double value = NAN;
  int64_t count = 0;
  OK(taut_model_get_numbers(model, key, &value, 1, &count));
  CHECK(count == 1);
  return value;
}

void test_models(void) {
  SAYS(taut_version(), ".");
  CHECK(taut_c_version() >= TAUT_C_VERSION);
  taut_model* model = loaded("six_bar_drop.toml", NULL, 0);
  CHECK(taut_model_count(model, TAUT_KIND_NODE) == 12);
  CHECK(taut_model_count(model, TAUT_KIND_BAR) == 6);
  CHECK(taut_model_count(model, TAUT_KIND_CABLE) == 24);
  CHECK(taut_model_count(model, TAUT_KIND_ENERGY) == 7);
  SAYS(taut_model_name(model, TAUT_KIND_ENERGY, 6), "balance");

  /* Every bar and cable runs between nodes that have names, over its own length in the file. */
  int64_t ends[2] = {-1, -1};
  for (int64_t i = 0; i < 24; ++i) {
    CHECK(taut_model_path(model, TAUT_KIND_CABLE, i, ends, 2) == 2);
    CHECK(taut_model_name(model, TAUT_KIND_NODE, ends[0]) != NULL);
    CHECK(taut_model_name(model, TAUT_KIND_NODE, ends[1]) != NULL);
  }
  CHECK(taut_model_path(model, TAUT_KIND_BAR, 5, NULL, 0) == 2);

  /* One number, all of them, and positions; what is set is what is there. */
  double many[36] = {0};
  int64_t count = 0;
  OK(taut_model_set_number(model, "cables.*.stiffness", 812.5));
  OK(taut_model_get_numbers(model, "cables.*.stiffness", many, 36, &count));
  CHECK(count == 24);
  for (int i = 0; i < 24; ++i) CHECK(many[i] == 812.5);
  OK(taut_model_get_numbers(model, "nodes.*.at", NULL, 0, &count));
  CHECK(count == 36);
  OK(taut_model_get_numbers(model, "nodes.*.at", many, 36, NULL));
  const char* text = NULL;
  OK(taut_model_set(model, "environment.gravity", "[0.0, 0.0, -1.62]"));
  OK(taut_model_get(model, "environment.gravity", &text));
  SAYS(text, "-1.62");
  OK(taut_model_set(model, "simulation.integrator", "rk4")); /* a bare word */
  OK(taut_model_get(model, "simulation.integrator", &text));
  SAYS(text, "\"rk4\"");
  OK(taut_model_set(model, "simulation.step", "1e-3"));
  CHECK(number(model, "simulation.step") == 1e-3);
  OK(taut_model_set_number(model, "simulation.corrections", 2)); /* whole numbers only */
  CHECK(number(model, "simulation.corrections") == 2.0);

  /* As a file, and back: the same file. */
  OK(taut_model_toml(model, &text));
  char* first = strdup(text);
  taut_model* again = from_text(first);
  OK(taut_model_toml(again, &text));
  CHECK(strcmp(first, text) == 0);
  free(first);
  taut_model_free(again);
  taut_model_free(model);

  /* What is set while a file is read wins over it, and generators take their parameters so. */
  const char* set[] = {"bars.*.mass=3.5", "simulation.step=0.25"};
  model = loaded("six_bar_drop.toml", set, 2);
  CHECK(number(model, "simulation.step") == 0.25);
  OK(taut_model_get_numbers(model, "bars.*.mass", many, 36, &count));
  CHECK(count == 6 && many[5] == 3.5);
  taut_model_free(model);
  const char* parameters[] = {"rod_length=1.25", "simulation.duration=0.5"};
  OK(taut_generate("six_bar", parameters, 2, &model));
  CHECK(number(model, "simulation.duration") == 0.5);
  int64_t bar[2] = {0, 0};
  CHECK(taut_model_path(model, TAUT_KIND_BAR, 0, bar, 2) == 2);
  OK(taut_model_get_numbers(model, "nodes.*.at", many, 36, &count));
  const double *a = many + 3 * bar[0], *b = many + 3 * bar[1];
  CLOSE(hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]), 1.25, 1e-15);
  taut_model_free(model);
}

void test_answers(void) {
  /* As the program answers, to the last digit that it prints. */
  taut_model* model = loaded("six_bar_drop.toml", NULL, 0);
  taut_balance balance;
  taut_counts counts;
  OK(taut_model_check(model, &balance));
  char arguments[600] = "check --json ";
  run_program(strcat(arguments, model_file("six_bar_drop.toml")));
  CHECK(balance.imbalance == printed_number("imbalance"));
  CHECK(balance.mean_force == printed_number("mean_member_force"));
  CHECK(balance.degrees_of_freedom == (int)printed_number("degrees_of_freedom"));
  CHECK(balance.parts == 1 && balance.balanced == 1 && balance.slack == 0);
  OK(taut_model_statics(model, &counts));
  CHECK(counts.self_stress_states == 1); /* Maxwell's count: 36 - 6 = 30 members + m - s */
  CHECK(counts.mechanisms == 1);
  CHECK(counts.rigid_motions == 6 && counts.rank == 29);
  CHECK(counts.stability == TAUT_SUPER_STABLE && counts.sign_feasible == 1);
  taut_model_free(model);

  model = loaded("tensegrity_manipulator.toml", NULL, 0); /* a machine */
  OK(taut_model_check(model, &balance));
  strcpy(arguments, "check --json ");
  run_program(strcat(arguments, model_file("tensegrity_manipulator.toml")));
  CHECK(balance.imbalance == printed_number("imbalance"));
  CHECK(balance.degrees_of_freedom == (int)printed_number("degrees_of_freedom"));
  OK(taut_model_statics(model, &counts));
  strcpy(arguments, "statics --json ");
  run_program(strcat(arguments, model_file("tensegrity_manipulator.toml")));
  CHECK(counts.self_stress_states == (int)printed_number("self_stress_states"));
  taut_model_free(model);

  /* Cables of next to no stiffness: the counts are geometry, and nothing is divided by it. */
  const char* soft[] = {"cables.*.stiffness=1e-300"};
  OK(taut_generate("prism", soft, 1, &model));
  OK(taut_model_statics(model, &counts));
  CHECK(counts.self_stress_states == 1 && counts.mechanisms == 1);
  taut_model_free(model);

  /* A mass of 4 kg on two springs of 200 N/m along z, held across: f = √(400/4)/2π; one more mode is not there. */
  model = from_text(
      "[nodes]\nlow = { at = [0, 0, -1], fixed = true }\nhigh = { at = [0, 0, 1], fixed = true }\n"
      "mid = { at = [0, 0, 0], mass = 4.0, fixed = [\"x\", \"y\"] }\n"
      "[[cables]]\nnodes = [\"low\", \"mid\"]\nstiffness = 200.0\nrest_length = 0.5\n"
      "[[cables]]\nnodes = [\"mid\", \"high\"]\nstiffness = 200.0\nrest_length = 0.5\n"
      "[environment]\ngravity = [0, 0, 0]\n");
  double frequencies[2] = {0, 0};
  int64_t found = 0;
  OK(taut_model_modes(model, frequencies, 2, &found));
  CHECK(found == 1);
  CLOSE(frequencies[0], 10.0 / (2.0 * 3.14159265358979323846), 1e-12);
  taut_model_free(model);
}

void test_model_errors(void) {
  taut_model* model = (taut_model*)&model;
  FAILS(taut_load("/nonexistent/robot.toml", NULL, 0, &model), TAUT_INPUT_ERROR);
  CHECK(model == NULL);
  SAYS(taut_error_message(), "/nonexistent/robot.toml");
  FAILS(taut_loads("[nodes]\na = { at = [0, 0, 0] }\n[[cables]]\nnodes = [\"a\", \"b\"]\nstifness = 1\n", "robot.toml",
                   NULL, 0, &model),
        TAUT_INPUT_ERROR);
  const taut_error* error = taut_last_error();
  CHECK(error->count >= 2 && isnan(error->time));
  bool spelt = false;
  for (int64_t i = 0; i < error->count; ++i) {
    const taut_problem* p = &error->problems[i];
    SAYS(p->file, "robot.toml");
    if (strstr(p->message, "did you mean \"stiffness\"") == NULL) continue;
    spelt = p->line == 5 && p->column == 1 && strstr(p->key, "stifness") != NULL;
  }
  CHECK(spelt);
  FAILS(taut_loads("this is no TOML", NULL, NULL, 0, &model), TAUT_INPUT_ERROR);
  FAILS(taut_generate("six_baar", NULL, 0, &model), TAUT_INPUT_ERROR);
  SAYS(taut_error_message(), "six_bar");
  const char* wrong[] = {"rod_length=long"};
  FAILS(taut_generate("six_bar", wrong, 1, &model), TAUT_INPUT_ERROR);
  wrong[0] = "no value";
  FAILS(taut_generate("six_bar", wrong, 1, &model), TAUT_INPUT_ERROR);

  /* Values that cannot be are refused and leave the model as it was. */
  OK(taut_generate("six_bar", NULL, 0, &model));
  const char* text = NULL;
  OK(taut_model_toml(model, &text));
  char* before = strdup(text);
  FAILS(taut_model_set_number(model, "simulation.step", NAN), TAUT_INPUT_ERROR);
  FAILS(taut_model_set_number(model, "simulation.step", -1.0), TAUT_INPUT_ERROR);
  FAILS(taut_model_set_number(model, "simulation.step", INFINITY), TAUT_INPUT_ERROR);
  FAILS(taut_model_set(model, "simulation.step", "fast"), TAUT_INPUT_ERROR);
  FAILS(taut_model_set(model, "simulation.stepp", "1"), TAUT_INPUT_ERROR);
  SAYS(taut_error_message(), "step");
  FAILS(taut_model_set(model, "", "1"), TAUT_INPUT_ERROR);
  FAILS(taut_model_set(model, "a=b", "1"), TAUT_INPUT_ERROR);
  FAILS(taut_model_set(model, "simulation.step", ""), TAUT_INPUT_ERROR);
  FAILS(taut_model_set(model, "simulation.step", "[1"), TAUT_INPUT_ERROR);
  FAILS(taut_model_set(model, "cables.none.stiffness", "1"), TAUT_INPUT_ERROR);
  OK(taut_model_toml(model, &text));
  CHECK(strcmp(before, text) == 0);
  free(before);

  double value = 0.0;
  int64_t count = 7;
  FAILS(taut_model_get(model, "cables.none.stiffness", &text), TAUT_INPUT_ERROR);
  CHECK(text == NULL);
  FAILS(taut_model_get_numbers(model, "simulation.integrator", &value, 1, &count), TAUT_INPUT_ERROR);
  FAILS(taut_model_get_numbers(model, "nodes.*.at", &value, 1, &count), TAUT_MISUSE);
  CHECK(count == 36 && value == 0.0);
  FAILS(taut_model_get_numbers(model, "nodes.*.at", &value, -1, &count), TAUT_MISUSE);
  CHECK(taut_model_count(model, 99) == -1 && taut_last_error()->status == TAUT_MISUSE);
  CHECK(taut_model_count(model, -1) == -1);
  CHECK(taut_model_name(model, TAUT_KIND_NODE, 12) == NULL && taut_last_error()->status == TAUT_MISUSE);
  CHECK(taut_model_name(model, TAUT_KIND_NODE, -1) == NULL);
  CHECK(taut_model_path(model, TAUT_KIND_NODE, 0, NULL, 0) == -1);
  int64_t node = 0;
  CHECK(taut_model_path(model, TAUT_KIND_BAR, 0, &node, 1) == -1);
  CHECK(taut_model_path(model, TAUT_KIND_BAR, 6, &node, 1) == -1);
  taut_model_free(model);
}
