/* taut_mex: taut/taut_c.h for MATLAB and Octave. The classes of +taut call it, nobody else: taut_mex("advance", id, 0.01).
 *
 * Handles of taut stay in a table here; MATLAB has their numbers, which are never used twice, so that one which was freed is
 * known as such. Errors end in fail(), which does not return: whatever a function has taken is given back before. */
#ifndef TAUT_BRIDGE_H
#define TAUT_BRIDGE_H

#include <mex.h>
#include <stdbool.h>
#include <stdint.h>
#include <taut/taut_c.h>

typedef enum { IS_MODEL, IS_SIMULATION, IS_RUN } kind_of_handle;

/* A control function of MATLAB and what it is called with. */
typedef struct {
  mxArray* function; /* persistent; NULL: none */
  double rate, speed, memory;
} controlled;

/* The table. */
double keep(kind_of_handle kind, void* handle); /* its number */
void* handle_of(const mxArray* number, kind_of_handle kind);
controlled* control_of(const mxArray* simulation); /* of that simulation */
void let_go(const mxArray* number);                /* a number that is not there is nothing to let go of */
int live_handles(void);
void let_go_of_all(void);

/* Does not return. */
void fail(const char* identifier, const char* message);
void fail_as_taut(void); /* the last error of taut, as "taut:InputError", ... */
void check(int status);  /* fails unless TAUT_OK */

/* Arguments; each fails where it is not that. Texts and lists of texts are freed by MATLAB when the call ends. */
const char* text_in(const mxArray* argument, const char* what);
double number_in(const mxArray* argument, const char* what);
int64_t whole_in(const mxArray* argument, const char* what);
const double* numbers_in(const mxArray* argument, const char* what, int64_t* count);
const char* const* texts_in(const mxArray* argument, const char* what, int64_t* count);

/* Answers. */
mxArray* text_out(const char* text);
mxArray* column_out(const double* numbers, int64_t count);
/* `rows` rows of `width` numbers, as MATLAB has them. */
mxArray* table_out(const double* numbers, int64_t rows, int64_t width);
mxArray* error_out(const taut_error* error);

/* A controller that calls the function; it must outlive the calls. */
taut_controller controller_of(controlled* control);

/* What there is to call. */
typedef struct {
  const char* name;
  int inputs;
  void (*call)(mxArray* out[], const mxArray* in[]);
} command;
extern const command model_commands[], simulation_commands[], run_commands[]; /* up to one without a name */

#endif
