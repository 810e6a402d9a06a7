/* run_file FILE: runs a model file and says where its nodes end. */
#include <stdio.h>
#include <taut/taut_c.h>

static int complain(void) {
  const taut_error* error = taut_last_error();
  for (int64_t i = 0; i < error->count; ++i)
    fprintf(stderr, "%s:%d: %s: %s\n", error->problems[i].file, (int)error->problems[i].line, error->problems[i].key,
            error->problems[i].message);
  if (error->count == 0) fprintf(stderr, "%s\n", error->message);
  return error->status == TAUT_INPUT_ERROR ? 2 : 1;
}

int main(int count, char** arguments) {
  taut_model* model = NULL;
  taut_run* run = NULL;
  if (count != 2) return 2;
  if (taut_load(arguments[1], NULL, 0, &model)) return complain();
  const int status = taut_simulate(model, 0.0, NULL, &run);
  if (status) complain(); /* a run that failed is there up to then */

  const int64_t rows = taut_run_rows(run);
  int64_t width = 0;
  const double* nodes = taut_run_array(run, TAUT_NODES, &width);
  if (rows > 0)
    for (int64_t i = 0; i < width / 3; ++i) {
      const double* x = nodes + (rows - 1) * width + 3 * i;
      printf("%s at (%.3f, %.3f, %.3f) m\n", taut_model_name(model, TAUT_KIND_NODE, i), x[0], x[1], x[2]);
    }
  if (run && taut_run_save(run, "run.h5")) complain();
  taut_run_free(run);
  taut_model_free(model);
  return status;
}
