/* What the tests of the C interface share. Each is a function in the table of main.c; a check that fails says where and the
 * test goes on. */
#ifndef TAUT_TESTS_C_CHECK_H
#define TAUT_TESTS_C_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "taut/taut_c.h"

void check_true(bool holds, const char* what, const char* file, int line);
void check_status(int status, int expected, const char* what, const char* file, int line);
void check_close(double value, double expected, double tolerance, const char* what, const char* file, int line);
void check_text(const char* text, const char* part, const char* what, const char* file, int line);

#define CHECK(condition) check_true(condition, #condition, __FILE__, __LINE__)
#define OK(call) check_status(call, TAUT_OK, #call, __FILE__, __LINE__)
#define FAILS(call, status) check_status(call, status, #call, __FILE__, __LINE__)
#define CLOSE(value, expected, tolerance) check_close(value, expected, tolerance, #value, __FILE__, __LINE__)
/* The text contains the part. */
#define SAYS(text, part) check_text(text, part, #text, __FILE__, __LINE__)

/* The same numbers to the last bit. */
bool same_bits(const double* a, const double* b, int64_t count);

/* models/NAME of the source tree. */
const char* model_file(const char* name);
taut_model* loaded(const char* name, const char* const* set, int64_t count);
taut_model* from_text(const char* text);
taut_model* six_bar(void); /* on the ground, rk4 with steps of 2^-12 s, rows 2^-6 s apart, for 2^-3 s */

/* A path in a folder of this test's own; removed at the end. Each call gives the next of a few texts. */
const char* scratch(const char* name);
/* Runs the program with these arguments, its output into scratch("out"). */
void run_program(const char* arguments);
/* The number behind "key": in the output of the program. */
double printed_number(const char* key);

/* Random numbers that every machine has alike. */
typedef struct {
  uint64_t state;
} dice;
uint64_t roll(dice* d);
int64_t roll_below(dice* d, int64_t end);

/* Bytes that are in use: what must not grow. */
long long bytes_in_use(void);
/* Under sanitizers everything is several times slower. */
#ifdef TAUT_TESTS_SANITIZED
#define FEWER(count) ((count) / 10)
#else
#define FEWER(count) (count)
#endif

#endif
