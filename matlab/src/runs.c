/* Runs. */
#include "bridge.h"

static taut_run* run_in(const mxArray* number) { return handle_of(number, IS_RUN); }

/* The run, and "" or the identifier of what ended it: the caller decides whether that is an error. */
static void simulate(mxArray* out[], const mxArray* in[]) {
  taut_model* model = handle_of(in[0], IS_MODEL);
  const double duration = number_in(in[1], "duration");
  const bool steered = !mxIsEmpty(in[2]);
  controlled control = {NULL, number_in(in[3], "rate"), number_in(in[4], "speed"), (double)whole_in(in[5], "memory")};
  if (steered && mxGetClassID(in[2]) != mxFUNCTION_CLASS) fail("taut:Misuse", "control: expected a function");
  control.function = (mxArray*)in[2];
  const taut_controller controller = controller_of(&control);
  taut_run* run = NULL;
  const int status = taut_simulate(model, duration, steered ? &controller : NULL, &run);
  if (run == NULL) fail_as_taut();
  const char* ended = status == TAUT_RUN_ERROR ? "taut:RunError" : status == TAUT_STOPPED ? "taut:Stopped" : "";
  mxArray* answer = mxCreateCellMatrix(1, 3);
  mxSetCell(answer, 1, text_out(ended));
  mxSetCell(answer, 2, text_out(status != TAUT_OK ? taut_error_message() : ""));
  mxSetCell(answer, 0, mxCreateDoubleScalar(keep(IS_RUN, run)));
  out[0] = answer;
}

static void open_file(mxArray* out[], const mxArray* in[]) {
  taut_run* run = NULL;
  check(taut_open(text_in(in[0], "file"), &run));
  out[0] = mxCreateDoubleScalar(keep(IS_RUN, run));
}

static void save(mxArray* out[], const mxArray* in[]) {
  (void)out;
  check(taut_run_save(run_in(in[0]), text_in(in[1], "file")));
}

static void rows(mxArray* out[], const mxArray* in[]) {
  out[0] = mxCreateDoubleScalar((double)taut_run_rows(run_in(in[0])));
}

static void column(mxArray* out[], const mxArray* in[]) {
  taut_run* run = run_in(in[0]);
  int64_t width = 0;
  const double* numbers = taut_run_array(run, (int)whole_in(in[1], "quantity"), &width);
  if (numbers == NULL) fail_as_taut();
  out[0] = table_out(numbers, taut_run_rows(run), width);
}

static void status_of(mxArray* out[], const mxArray* in[]) {
  static const char* const words[] = {"done", "failed", "interrupted"};
  out[0] = text_out(words[taut_run_status(run_in(in[0]))]);
}

static void summary(mxArray* out[], const mxArray* in[]) { out[0] = text_out(taut_run_summary(run_in(in[0]))); }

static void model_of(mxArray* out[], const mxArray* in[]) {
  taut_model* model = NULL;
  check(taut_run_model(run_in(in[0]), &model));
  out[0] = mxCreateDoubleScalar(keep(IS_MODEL, model));
}

const command run_commands[] = {
    {"run", 6, simulate},    {"open", 1, open_file},     {"save", 2, save},
    {"rows", 1, rows},       {"column", 2, column},      {"run_status", 1, status_of},
    {"summary", 1, summary}, {"run_model", 1, model_of}, {NULL, 0, NULL},
};
