/* The table of handles, arguments and answers, and the way from a command to its function. */
#include "bridge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The table ---- */

typedef struct entry {
  double number;
  kind_of_handle kind;
  void* handle;
  controlled control;
  struct entry* next;
} entry;

static entry* first = NULL;
static double last_number = 0.0;

static const char* kind_names[] = {"model", "simulation", "run"};

int live_handles(void) {
  int count = 0;
  for (const entry* e = first; e != NULL; e = e->next) ++count;
  return count;
}

static void free_handle(kind_of_handle kind, void* handle) {
  if (kind == IS_MODEL) taut_model_free(handle);
  if (kind == IS_SIMULATION) taut_simulation_free(handle);
  if (kind == IS_RUN) taut_run_free(handle);
}

/* While a handle lives this code must not be unloaded. */
double keep(kind_of_handle kind, void* handle) {
  entry* e = calloc(1, sizeof(entry));
  if (e == NULL) {
    free_handle(kind, handle);
    fail("taut:Internal", "there is not enough memory");
  }
  if (first == NULL) mexLock();
  e->number = last_number += 1.0;
  e->kind = kind;
  e->handle = handle;
  e->next = first;
  first = e;
  return e->number;
}

static entry* find(const mxArray* number, kind_of_handle kind) {
  const double wanted = number_in(number, kind_names[kind]);
  entry* e = first;
  while (e != NULL && (e->number != wanted || e->kind != kind)) e = e->next;
  if (e == NULL) {
    char message[100];
    strcat(strcat(strcpy(message, "this "), kind_names[kind]), " has been deleted");
    fail("taut:Deleted", message);
  }
  return e;
}

void* handle_of(const mxArray* number, kind_of_handle kind) { return find(number, kind)->handle; }
controlled* control_of(const mxArray* simulation) { return &find(simulation, IS_SIMULATION)->control; }

/* False: a simulation that is at work stays; its own control function deletes it. */
static bool remove_entry(entry** place) {
  entry* e = *place;
  if (e->kind == IS_SIMULATION && isnan(taut_time(e->handle))) return false;
  *place = e->next;
  free_handle(e->kind, e->handle);
  if (e->control.function != NULL) mxDestroyArray(e->control.function);
  free(e);
  if (first == NULL) mexUnlock();
  return true;
}

void let_go(const mxArray* number) {
  const double wanted = number_in(number, "number");
  entry** place = &first;
  while (*place != NULL && (*place)->number != wanted) place = &(*place)->next;
  if (*place != NULL && !remove_entry(place)) fail_as_taut();
}

void let_go_of_all(void) {
  while (first != NULL && remove_entry(&first)) continue;
}

/* ---- Errors ---- */

void fail(const char* identifier, const char* message) {
  static char text[4096]; /* what it came from may go before it is shown */
  strncpy(text, message, sizeof text - 1);
  mexErrMsgIdAndTxt(identifier, "%s", text);
}

void fail_as_taut(void) {
  static const char* const names[] = {"taut:Internal", "taut:InputError", "taut:RunError", "taut:Stopped",
                                      "taut:Misuse",   "taut:Busy",       "taut:Internal"};
  const taut_error* error = taut_last_error();
  /* What Octave throws out of a control function at Ctrl-C; taut catches it. */
  if (strcmp(error->message, "interrupt exception") == 0) fail("taut:Stopped", "stopped by Ctrl-C");
  fail(names[error->status >= 0 && error->status <= TAUT_INTERNAL ? error->status : 0], error->message);
}

void check(int status) {
  if (status != TAUT_OK) fail_as_taut();
}

static void refuse(const char* what, const char* expected) {
  char message[300];
  snprintf(message, sizeof message, "%s: expected %s", what, expected);
  fail("taut:Misuse", message);
}

/* ---- Arguments ---- */

const char* text_in(const mxArray* argument, const char* what) {
  if (!mxIsChar(argument)) refuse(what, "a text");
  const size_t count = mxGetNumberOfElements(argument);
  if (count == 0) return "";
  if (count != mxGetN(argument)) refuse(what, "a text in one row");
  const mxChar* letters = mxGetChars(argument);
  for (size_t i = 0; i < count; ++i)
    if (letters[i] == 0) refuse(what, "a text without char(0)");
  const char* text = mxArrayToString(argument);
  if (text == NULL) refuse(what, "a text");
  return text;
}

static bool is_numbers(const mxArray* argument) {
  return mxIsDouble(argument) && !mxIsComplex(argument) && !mxIsSparse(argument);
}

double number_in(const mxArray* argument, const char* what) {
  if (!is_numbers(argument) || mxGetNumberOfElements(argument) != 1) refuse(what, "one number, a real double");
  return mxGetPr(argument)[0];
}

int64_t whole_in(const mxArray* argument, const char* what) {
  const double number = number_in(argument, what);
  if (!(number == floor(number) && fabs(number) < 9007199254740992.0)) refuse(what, "a whole number");
  return (int64_t)number;
}

const double* numbers_in(const mxArray* argument, const char* what, int64_t* count) {
  static const double none = 0.0;
  if (!is_numbers(argument)) refuse(what, "numbers, real doubles");
  *count = (int64_t)mxGetNumberOfElements(argument);
  return *count > 0 ? mxGetPr(argument) : &none;
}

const char* const* texts_in(const mxArray* argument, const char* what, int64_t* count) {
  if (!mxIsCell(argument)) refuse(what, "a cell array of texts");
  *count = (int64_t)mxGetNumberOfElements(argument);
  const char** texts = mxCalloc((size_t)*count + 1, sizeof(char*));
  for (int64_t i = 0; i < *count; ++i) {
    const mxArray* cell = mxGetCell(argument, (mwIndex)i);
    if (cell == NULL) refuse(what, "a cell array of texts");
    texts[i] = text_in(cell, what);
  }
  return texts;
}

/* ---- Answers ---- */

mxArray* text_out(const char* text) { return mxCreateString(text); }

mxArray* column_out(const double* numbers, int64_t count) {
  mxArray* column = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
  if (count > 0) memcpy(mxGetPr(column), numbers, (size_t)count * sizeof(double));
  return column;
}

mxArray* table_out(const double* numbers, int64_t rows, int64_t width) {
  mxArray* table = mxCreateDoubleMatrix((mwSize)rows, (mwSize)width, mxREAL);
  double* to = mxGetPr(table);
  for (int64_t k = 0; k < width; ++k)
    for (int64_t i = 0; i < rows; ++i) *to++ = numbers[i * width + k];
  return table;
}

mxArray* error_out(const taut_error* error) {
  const char* fields[] = {"message", "time", "places"};
  const char* place_fields[] = {"file", "line", "column", "key", "message"};
  mxArray* out = mxCreateStructMatrix(1, 1, 3, fields);
  mxArray* places = mxCreateStructMatrix((mwSize)error->count, 1, 5, place_fields);
  for (int64_t i = 0; i < error->count; ++i) {
    const taut_problem* p = &error->problems[i];
    const mwIndex at = (mwIndex)i;
    mxSetField(places, at, "file", text_out(p->file));
    mxSetField(places, at, "line", mxCreateDoubleScalar(p->line));
    mxSetField(places, at, "column", mxCreateDoubleScalar(p->column));
    mxSetField(places, at, "key", text_out(p->key));
    mxSetField(places, at, "message", text_out(p->message));
  }
  mxSetField(out, 0, "message", text_out(error->message));
  mxSetField(out, 0, "time", mxCreateDoubleScalar(error->time));
  mxSetField(out, 0, "places", places);
  return out;
}

/* ---- Commands ---- */

static bool called(const command* list, const char* name, int nlhs, mxArray* out[], int inputs, const mxArray* in[]) {
  (void)nlhs;
  for (; list->name != NULL; ++list) {
    if (strcmp(list->name, name) != 0) continue;
    if (inputs != list->inputs) refuse(name, "another number of arguments");
    list->call(out, in);
    return true;
  }
  return false;
}

void mexFunction(int nlhs, mxArray* out[], int nrhs, const mxArray* in[]) {
  static bool begun = false;
  if (!begun) mexAtExit(let_go_of_all);
  begun = true;
  if (nrhs < 1) refuse("taut_mex", "a command; use the functions and classes of taut");
  const char* name = text_in(in[0], "command");
  const command* const lists[] = {model_commands, simulation_commands, run_commands};
  for (int i = 0; i < 3; ++i)
    if (called(lists[i], name, nlhs, out, nrhs - 1, in + 1)) return;
  refuse("taut_mex", "a command that it knows");
}
