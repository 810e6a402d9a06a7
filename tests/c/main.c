/* taut-c-tests NAME...: runs these tests, or all. The program that taut built is in the environment variable TAUT_PROGRAM,
 * for numbers to compare with. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#ifdef TAUT_TESTS_SANITIZED
size_t __sanitizer_get_current_allocated_bytes(void); /* of the sanitizer's library; g++ has no header for it */
#else
#include <malloc.h>
#endif

static long checks = 0, failures = 0;
static char folder[] = "/tmp/taut-c-tests-XXXXXX";

void check_true(bool holds, const char* what, const char* file, int line) {
  ++checks;
  if (holds) return;
  ++failures;
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
}

void check_status(int status, int expected, const char* what, const char* file, int line) {
  ++checks;
  if (status == expected && (status == TAUT_OK || taut_last_error()->status == status)) return;
  ++failures;
  fprintf(stderr, "%s:%d: %s: is %d, expected %d; last error %d: %s\n", file, line, what, status, expected,
          (int)taut_last_error()->status, taut_error_message());
}

void check_close(double value, double expected, double tolerance, const char* what, const char* file, int line) {
  ++checks;
  if (fabs(value - expected) <= tolerance) return;
  ++failures;
  fprintf(stderr, "%s:%d: %s: is %.17g, expected %.17g within %g\n", file, line, what, value, expected, tolerance);
}

void check_text(const char* text, const char* part, const char* what, const char* file, int line) {
  ++checks;
  if (text != NULL && strstr(text, part) != NULL) return;
  ++failures;
  fprintf(stderr, "%s:%d: %s: says \"%s\", expected something with \"%s\"\n", file, line, what,
          text != NULL ? text : "NULL", part);
}

bool same_bits(const double* a, const double* b, int64_t count) {
  return memcmp(a, b, (size_t)count * sizeof(double)) == 0;
}

static const char* in_turn(const char* before, const char* after) {
  static char texts[8][512];
  static int next = 0;
  next = (next + 1) % 8;
  snprintf(texts[next], sizeof texts[next], "%s/%s", before, after);
  return texts[next];
}

const char* model_file(const char* name) { return in_turn(TAUT_SOURCE_DIR "/models", name); }
const char* scratch(const char* name) { return in_turn(folder, name); }

taut_model* loaded(const char* name, const char* const* set, int64_t count) {
  taut_model* model = NULL;
  OK(taut_load(model_file(name), set, count, &model));
  return model;
}

taut_model* from_text(const char* text) {
  taut_model* model = NULL;
  OK(taut_loads(text, "test", NULL, 0, &model));
  return model;
}

taut_model* six_bar(void) {
  const char* set[] = {"simulation.integrator=rk4", "simulation.step=0.000244140625", "simulation.output_step=0.015625",
                       "simulation.duration=0.125"};
  return loaded("six_bar_drop.toml", set, 4);
}

void run_program(const char* arguments) {
  char command[2048];
  const char* program = getenv("TAUT_PROGRAM");
  CHECK(program != NULL);
  snprintf(command, sizeof command, "cd '%s' && '%s' %s >out 2>err", folder, program != NULL ? program : "taut",
           arguments);
  check_status(system(command) == 0 ? TAUT_OK : TAUT_RUN_ERROR, TAUT_OK, command, __FILE__, __LINE__);
}

double printed_number(const char* key) {
  static char text[1 << 20];
  char quoted[64];
  FILE* file = fopen(scratch("out"), "r");
  if (file == NULL) return NAN;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char* found = strstr(text, quoted);
  return found != NULL ? strtod(found + strlen(quoted), NULL) : NAN;
}

uint64_t roll(dice* d) { /* xorshift64* (Marsaglia 2003, Vigna 2016) */
  d->state ^= d->state >> 12;
  d->state ^= d->state << 25;
  d->state ^= d->state >> 27;
  return d->state * UINT64_C(2685821657736338717);
}

int64_t roll_below(dice* d, int64_t end) { return (int64_t)((roll(d) >> 11) % (uint64_t)end); }

long long bytes_in_use(void) {
#ifdef TAUT_TESTS_SANITIZED
  return (long long)__sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 now = mallinfo2();
  return (long long)(now.uordblks + now.hblkhd);
#endif
}

void test_models(void);
void test_answers(void);
void test_model_errors(void);
void test_steps(void);
void test_commands(void);
void test_control(void);
void test_snapshots(void);
void test_forged_snapshots(void);
void test_runs(void);
void test_run_failures(void);
void test_misuse(void);
void test_stop(void);
void test_threads(void);
void test_random_calls(void);
void test_memory_models(void);
void test_memory_resets(void);
void test_memory_steps(void);

static const struct {
  const char* name;
  void (*run)(void);
} tests[] = {
    {"models", test_models},
    {"answers", test_answers},
    {"model_errors", test_model_errors},
    {"steps", test_steps},
    {"commands", test_commands},
    {"control", test_control},
    {"snapshots", test_snapshots},
    {"forged_snapshots", test_forged_snapshots},
    {"runs", test_runs},
    {"run_failures", test_run_failures},
    {"misuse", test_misuse},
    {"stop", test_stop},
    {"threads", test_threads},
    {"random_calls", test_random_calls},
    {"memory_models", test_memory_models},
    {"memory_resets", test_memory_resets},
    {"memory_steps", test_memory_steps},
};

int main(int count, char** names) {
  const size_t all = sizeof tests / sizeof tests[0];
  int ran = 0;
  if (mkdtemp(folder) == NULL) return 2;
  for (size_t i = 0; i < all; ++i) {
    bool wanted = count == 1;
    for (int k = 1; k < count; ++k) wanted = wanted || strcmp(names[k], tests[i].name) == 0;
    if (!wanted) continue;
    const long before = failures;
    tests[i].run();
    printf("%s: %s\n", tests[i].name, failures == before ? "ok" : "FAILED");
    ++ran;
  }
  char command[600];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) return 2;
  printf("%d tests, %ld checks, %ld failures\n", ran, checks, failures);
  return failures == 0 && ran >= count - 1 && ran > 0 ? 0 : 1;
}
