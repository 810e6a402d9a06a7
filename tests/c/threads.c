/* Threads and stops. Who waits for whom is said by a control function that is in the middle of a step, not by time. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "check.h"

/* One thread is held inside a step until the other has done what it came for. */
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool inside, go_on;
  taut_simulation* sim;
  int status;
} meeting;

static int meet(void* user, const taut_observation* now, double* commands, double* memory) {
  (void)now, (void)commands, (void)memory;
  meeting* m = user;
  pthread_mutex_lock(&m->mutex);
  m->inside = true;
  pthread_cond_broadcast(&m->changed);
  while (!m->go_on) pthread_cond_wait(&m->changed, &m->mutex);
  pthread_mutex_unlock(&m->mutex);
  return 0;
}

static void* advance_half(void* user) {
  meeting* m = user;
  m->status = taut_advance(m->sim, 0.5);
  return NULL;
}

static void wait_until_inside(meeting* m) {
  pthread_mutex_lock(&m->mutex);
  while (!m->inside) pthread_cond_wait(&m->changed, &m->mutex);
  pthread_mutex_unlock(&m->mutex);
}

static void let_go(meeting* m) {
  pthread_mutex_lock(&m->mutex);
  m->go_on = true;
  pthread_cond_broadcast(&m->changed);
  pthread_mutex_unlock(&m->mutex);
}

static taut_simulation* with_control(taut_model* model, taut_control_function function, void* user) {
  taut_simulation* sim = NULL;
  const taut_controller controller = {function, user, 8.0, 0.0, 0};
  OK(taut_simulation_new(model, &sim));
  OK(taut_control(sim, &controller));
  return sim;
}

/* Every function on a simulation that is at work. */
static void expect_busy(taut_simulation* sim) {
  double number = 1.0;
  taut_snapshot* snapshot = NULL;
  const taut_controller controller = {meet, NULL, 8.0, 0.0, 0};
  FAILS(taut_advance(sim, 0.1), TAUT_BUSY);
  FAILS(taut_command(sim, &number, 1, 0.0), TAUT_BUSY);
  FAILS(taut_command_one(sim, 0, 1.0, 0.0), TAUT_BUSY);
  FAILS(taut_control(sim, &controller), TAUT_BUSY);
  FAILS(taut_read(sim, TAUT_NODES, &number, 1), TAUT_BUSY);
  FAILS(taut_snapshot_new(sim, &snapshot), TAUT_BUSY);
  FAILS(taut_reset(sim), TAUT_BUSY);
  FAILS(taut_restore(sim, NULL), TAUT_BUSY);
  CHECK(taut_array(sim, TAUT_NODES, NULL) == NULL && taut_last_error()->status == TAUT_BUSY);
  CHECK(isnan(taut_time(sim)) && taut_input_count(sim) == -1 && taut_input_name(sim, 0) == NULL);
  CHECK(taut_input_index(sim, "x") == -1 && taut_last_error()->status == TAUT_BUSY);
  taut_simulation_free(sim); /* stays */
  CHECK(taut_last_error()->status == TAUT_BUSY);
}

static void* same_steps(void* user) {
  double* nodes = user;
  taut_model* model = six_bar();
  taut_simulation* sim = NULL;
  OK(taut_simulation_new(model, &sim));
  OK(taut_advance(sim, 0.25));
  OK(taut_read(sim, TAUT_NODES, nodes, 36));
  taut_run* run = NULL;
  OK(taut_simulate(model, 0.015625, NULL, &run));
  OK(taut_run_save(run, scratch(nodes[36] == 1.0 ? "first.h5" : "second.h5")));
  taut_run_free(run);
  taut_simulation_free(sim);
  taut_model_free(model);
  return NULL;
}

static int call_back(void* user, const taut_observation* now, double* commands, double* memory) {
  (void)now, (void)commands, (void)memory;
  expect_busy(*(taut_simulation**)user);
  return 0;
}

void test_threads(void) {
  taut_model* model = six_bar();
  meeting m = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false, NULL, -1};
  m.sim = with_control(model, meet, &m);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, advance_half, &m) == 0);
  wait_until_inside(&m);
  expect_busy(m.sim);
  let_go(&m);
  pthread_join(thread, NULL);
  CHECK(m.status == TAUT_OK && taut_time(m.sim) == 0.5);
  taut_simulation_free(m.sim);

  /* Its own control function calls back. */
  taut_simulation* sim = NULL;
  sim = with_control(model, call_back, &sim);
  OK(taut_advance(sim, 0.125));
  taut_simulation_free(sim);
  taut_model_free(model);

  /* Four threads with a simulation each are four times one of them. */
  double nodes[4][37];
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) nodes[i][36] = i;
  for (int i = 0; i < 4; ++i) CHECK(pthread_create(&threads[i], NULL, same_steps, nodes[i]) == 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  for (int i = 1; i < 4; ++i) CHECK(same_bits(nodes[0], nodes[i], 36));
}

static taut_simulation* volatile target;
static void on_signal(int number) {
  (void)number;
  taut_stop(target);
}

/* At the instant t = 1/4: from inside, or by a signal. */
typedef struct {
  taut_simulation* sim;
  taut_model* model;
  bool by_signal;
} stopper;

static int stop_at_quarter(void* user, const taut_observation* now, double* commands, double* memory) {
  (void)commands, (void)memory;
  stopper* s = user;
  if (now->time != 0.25) return 0;
  if (s->by_signal)
    raise(SIGUSR1);
  else
    taut_stop(s->sim);
  taut_model_stop(s->model);
  return 0;
}

void test_stop(void) {
  taut_model* model = six_bar();
  taut_simulation* plain = NULL;
  OK(taut_simulation_new(model, &plain));
  OK(taut_advance(plain, 1.0));
  for (int by_signal = 0; by_signal < 2; ++by_signal) {
    stopper s = {NULL, NULL, by_signal == 1};
    s.sim = with_control(model, stop_at_quarter, &s);
    target = s.sim;
    CHECK(signal(SIGUSR1, on_signal) != SIG_ERR);
    FAILS(taut_advance(s.sim, 1.0), TAUT_STOPPED);
    const double t = taut_time(s.sim);
    CHECK(t >= 0.25 && t < 0.375); /* before the next instant */
    CLOSE(taut_last_error()->time, t, 0.0);
    SAYS(taut_error_message(), "stopped at t = 0.25");
    /* It is used up, and the motion goes on as if nothing had been: the function commands nothing. */
    OK(taut_advance(s.sim, 1.0 - t));
    CHECK(taut_time(s.sim) == 1.0);
    double far = 0.0;
    for (int i = 0; i < 36; ++i)
      far = fmax(far, fabs(taut_array(s.sim, TAUT_NODES, NULL)[i] - taut_array(plain, TAUT_NODES, NULL)[i]));
    CHECK(far < 1e-6);
    /* One that comes before the call ends it where it stands. */
    taut_stop(s.sim);
    FAILS(taut_advance(s.sim, 1.0), TAUT_STOPPED);
    CHECK(taut_time(s.sim) == 1.0);
    OK(taut_advance(s.sim, 0.125));
    taut_simulation_free(s.sim);
  }
  taut_simulation_free(plain);

  /* From another thread. */
  meeting m = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false, NULL, -1};
  m.sim = with_control(model, meet, &m);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, advance_half, &m) == 0);
  wait_until_inside(&m);
  taut_stop(m.sim);
  let_go(&m);
  pthread_join(thread, NULL);
  CHECK(m.status == TAUT_STOPPED && taut_time(m.sim) < 0.5);
  taut_simulation_free(m.sim);

  /* A run keeps its rows. */
  stopper s = {NULL, model, false};
  const taut_controller controller = {stop_at_quarter, &s, 8.0, 0.0, 0};
  taut_run* run = NULL;
  FAILS(taut_simulate(model, 1.0, &controller, &run), TAUT_STOPPED);
  CHECK(taut_run_status(run) == TAUT_INTERRUPTED);
  CHECK(taut_run_rows(run) >= 16 && taut_run_rows(run) <= 24);
  taut_run_free(run);
  taut_model_stop(model);
  FAILS(taut_simulate(model, 1.0, NULL, &run), TAUT_STOPPED);
  CHECK(run != NULL && taut_run_rows(run) <= 1);
  taut_run_free(run);
  OK(taut_simulate(model, 0.015625, NULL, &run));
  taut_run_free(run);
  taut_model_free(model);
}
