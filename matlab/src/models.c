/* Models. */
#include "bridge.h"

static taut_model* model_in(const mxArray* number) { return handle_of(number, IS_MODEL); }

static mxArray* kept(taut_model* model) { return mxCreateDoubleScalar(keep(IS_MODEL, model)); }

static void version(mxArray* out[], const mxArray* in[]) {
  (void)in;
  out[0] = text_out(taut_version());
}

static void live(mxArray* out[], const mxArray* in[]) {
  (void)in;
  out[0] = mxCreateDoubleScalar(live_handles());
}

static void last_error(mxArray* out[], const mxArray* in[]) {
  (void)in;
  out[0] = error_out(taut_last_error());
}

static void free_one(mxArray* out[], const mxArray* in[]) {
  (void)out;
  let_go(in[0]);
}

static void load(mxArray* out[], const mxArray* in[]) {
  int64_t count = 0;
  const char* const* set = texts_in(in[1], "set", &count);
  taut_model* model = NULL;
  check(taut_load(text_in(in[0], "file"), set, count, &model));
  out[0] = kept(model);
}

static void loads(mxArray* out[], const mxArray* in[]) {
  int64_t count = 0;
  const char* const* set = texts_in(in[2], "set", &count);
  taut_model* model = NULL;
  check(taut_loads(text_in(in[0], "text"), text_in(in[1], "name"), set, count, &model));
  out[0] = kept(model);
}

static void generate(mxArray* out[], const mxArray* in[]) {
  int64_t count = 0;
  const char* const* set = texts_in(in[1], "parameters", &count);
  taut_model* model = NULL;
  check(taut_generate(text_in(in[0], "kind"), set, count, &model));
  out[0] = kept(model);
}

static void set(mxArray* out[], const mxArray* in[]) {
  (void)out;
  taut_model* model = model_in(in[0]);
  const char* key = text_in(in[1], "key");
  if (mxIsChar(in[2]))
    check(taut_model_set(model, key, text_in(in[2], "value")));
  else
    check(taut_model_set_number(model, key, number_in(in[2], "value")));
}

static void get(mxArray* out[], const mxArray* in[]) {
  const char* text = NULL;
  check(taut_model_get(model_in(in[0]), text_in(in[1], "key"), &text));
  out[0] = text_out(text);
}

static void numbers(mxArray* out[], const mxArray* in[]) {
  taut_model* model = model_in(in[0]);
  const char* key = text_in(in[1], "key");
  int64_t count = 0;
  check(taut_model_get_numbers(model, key, NULL, 0, &count));
  out[0] = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
  if (count > 0) check(taut_model_get_numbers(model, key, mxGetPr(out[0]), count, NULL));
}

static void names(mxArray* out[], const mxArray* in[]) {
  taut_model* model = model_in(in[0]);
  const int kind = (int)whole_in(in[1], "kind");
  const int64_t count = taut_model_count(model, kind);
  if (count < 0) fail_as_taut();
  out[0] = mxCreateCellMatrix((mwSize)count, 1);
  for (int64_t i = 0; i < count; ++i) mxSetCell(out[0], (mwIndex)i, text_out(taut_model_name(model, kind, i)));
}

/* The nodes of each bar or cable, counted from 1. */
static void paths(mxArray* out[], const mxArray* in[]) {
  taut_model* model = model_in(in[0]);
  const int kind = (int)whole_in(in[1], "kind");
  const int64_t count = taut_model_count(model, kind);
  if (count < 0) fail_as_taut();
  out[0] = mxCreateCellMatrix((mwSize)count, 1);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t length = taut_model_path(model, kind, i, NULL, 0);
    if (length < 0) fail_as_taut();
    int64_t* nodes = mxCalloc((size_t)length, sizeof(int64_t));
    taut_model_path(model, kind, i, nodes, length);
    mxArray* row = mxCreateDoubleMatrix(1, (mwSize)length, mxREAL);
    for (int64_t k = 0; k < length; ++k) mxGetPr(row)[k] = (double)nodes[k] + 1.0;
    mxFree(nodes);
    mxSetCell(out[0], (mwIndex)i, row);
  }
}

static void toml(mxArray* out[], const mxArray* in[]) {
  const char* text = NULL;
  check(taut_model_toml(model_in(in[0]), &text));
  out[0] = text_out(text);
}

static void set_number(mxArray* answer, const char* field, double number) {
  mxSetField(answer, 0, field, mxCreateDoubleScalar(number));
}

static void set_truth(mxArray* answer, const char* field, bool truth) {
  mxSetField(answer, 0, field, mxCreateLogicalScalar(truth));
}

static void balance(mxArray* out[], const mxArray* in[]) {
  const char* fields[] = {"balanced", "imbalance", "mean_force", "slack", "degrees_of_freedom", "parts"};
  taut_balance b;
  check(taut_model_check(model_in(in[0]), &b));
  out[0] = mxCreateStructMatrix(1, 1, 6, fields);
  set_truth(out[0], "balanced", b.balanced != 0);
  set_number(out[0], "imbalance", b.imbalance);
  set_number(out[0], "mean_force", b.mean_force);
  set_number(out[0], "slack", b.slack);
  set_number(out[0], "degrees_of_freedom", b.degrees_of_freedom);
  set_number(out[0], "parts", b.parts);
}

static void statics(mxArray* out[], const mxArray* in[]) {
  static const char* const verdicts[] = {"no self-stress", "unstable", "prestress-stable", "super-stable"};
  const char* fields[] = {"self_stress_states", "mechanisms", "rigid_motions", "rank", "stability", "sign_feasible"};
  taut_counts c;
  check(taut_model_statics(model_in(in[0]), &c));
  out[0] = mxCreateStructMatrix(1, 1, 6, fields);
  set_number(out[0], "self_stress_states", c.self_stress_states);
  set_number(out[0], "mechanisms", c.mechanisms);
  set_number(out[0], "rigid_motions", c.rigid_motions);
  set_number(out[0], "rank", c.rank);
  mxSetField(out[0], 0, "stability", text_out(verdicts[c.stability]));
  set_truth(out[0], "sign_feasible", c.sign_feasible != 0);
}

static void modes(mxArray* out[], const mxArray* in[]) {
  taut_model* model = model_in(in[0]);
  const int64_t most = whole_in(in[1], "count");
  if (most < 1 || most > 1000000) fail("taut:Misuse", "modes: expected a count from 1 to 1000000");
  double* frequencies = mxCalloc((size_t)most, sizeof(double));
  int64_t found = 0;
  check(taut_model_modes(model, frequencies, most, &found));
  out[0] = column_out(frequencies, found);
  mxFree(frequencies);
}

const command model_commands[] = {
    {"version", 0, version}, {"live", 0, live},       {"last_error", 0, last_error}, {"free", 1, free_one},
    {"load", 2, load},       {"loads", 3, loads},     {"generate", 2, generate},     {"set", 3, set},
    {"get", 2, get},         {"numbers", 2, numbers}, {"names", 2, names},           {"paths", 2, paths},
    {"toml", 1, toml},       {"check", 1, balance},   {"statics", 1, statics},       {"modes", 2, modes},
    {NULL, 0, NULL},
};
