/* Steps a six-bar robot: commands from outside, a snapshot to come back to, a controller as a function. */
#include <stdio.h>
#include <stdlib.h>
#include <taut/taut_c.h>

/* Every call that can fail, in one line. */
static void ok(int status) {
  if (status == TAUT_OK) return;
  fprintf(stderr, "%s\n", taut_error_message());
  exit(1);
}

/* Cable 1 is to pull with 50 N. The integral lives in the state. */
static int hold(void* user, const taut_observation* now, double* commands, double* memory) {
  const double rest = *(const double*)user, error = 50.0 - now->tensions[1];
  memory[0] += error / 100.0;
  commands[1] = rest - 2e-5 * error - 1e-2 * memory[0];
  return 0;
}

int main(void) {
  const char* parameters[] = {"rod_length=1"};
  taut_model* model = NULL;
  taut_simulation* sim = NULL;
  ok(taut_generate("six_bar", parameters, 1, &model));
  ok(taut_model_set(model, "simulation.integrator", "symplectic"));
  ok(taut_model_set_number(model, "simulation.step", 1e-4));
  ok(taut_simulation_new(model, &sim));
  taut_model_free(model); /* the simulation has its own */
  printf("%d inputs, the first is %s\n", (int)taut_input_count(sim), taut_input_name(sim, 0));

  /* From outside: a tenth shorter within 0.1 s. */
  const double rest = taut_array(sim, TAUT_REST_LENGTHS, NULL)[0];
  ok(taut_command_one(sim, 0, 0.9 * rest, 0.1));
  ok(taut_advance(sim, 0.1));
  taut_snapshot* here = NULL;
  ok(taut_snapshot_new(sim, &here));
  ok(taut_advance(sim, 0.4));
  const double after = taut_array(sim, TAUT_NODES, NULL)[2];

  /* Back, and the same again: to the last bit. */
  ok(taut_restore(sim, here));
  ok(taut_advance(sim, 0.4));
  if (taut_array(sim, TAUT_NODES, NULL)[2] != after) return 1;
  taut_snapshot_free(here);

  /* From inside, 100 times per second. */
  const taut_controller controller = {hold, (void*)&rest, 100.0, 0.5, 1};
  ok(taut_reset(sim));
  ok(taut_control(sim, &controller));
  ok(taut_advance(sim, 4.0));
  printf("t = %g s: %.2f N in %s\n", taut_time(sim), taut_array(sim, TAUT_TENSIONS, NULL)[1], taut_input_name(sim, 1));
  taut_simulation_free(sim);
  return 0;
}
