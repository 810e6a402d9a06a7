/* Snapshots: back to them, in another simulation, through bytes; damaged and foreign ones are refused. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static taut_simulation* stepping(taut_model* model, double to) {
  taut_simulation* sim = NULL;
  OK(taut_simulation_new(model, &sim));
  OK(taut_advance(sim, to));
  return sim;
}

static char* bytes_of(const taut_snapshot* snapshot, int64_t* count) {
  OK(taut_snapshot_to_bytes(snapshot, NULL, 0, count));
  char* bytes = malloc((size_t)*count);
  OK(taut_snapshot_to_bytes(snapshot, bytes, *count, NULL));
  return bytes;
}

void test_snapshots(void) {
  taut_model* model = six_bar();
  taut_simulation* sim = stepping(model, 0.09);
  double start[36], here[36], there[36];
  OK(taut_read(sim, TAUT_NODES, here, 36));
  taut_snapshot *snapshot = NULL, *read_back = NULL;
  OK(taut_snapshot_new(sim, &snapshot));
  OK(taut_advance(sim, 0.05));
  OK(taut_read(sim, TAUT_NODES, there, 36));
  OK(taut_restore(sim, snapshot));
  CHECK(taut_time(sim) == 0.09 && same_bits(here, taut_array(sim, TAUT_NODES, NULL), 36));
  OK(taut_advance(sim, 0.05));
  CHECK(same_bits(there, taut_array(sim, TAUT_NODES, NULL), 36));

  /* Through bytes, into another simulation of the same model. */
  int64_t count = 0;
  char* bytes = bytes_of(snapshot, &count);
  OK(taut_snapshot_from_bytes(bytes, count, &read_back));
  taut_simulation* other = stepping(model, 0.01);
  OK(taut_restore(other, read_back));
  OK(taut_advance(other, 0.05));
  CHECK(same_bits(there, taut_array(other, TAUT_NODES, NULL), 36));
  OK(taut_reset(other));
  CHECK(taut_time(other) == 0.0);
  taut_simulation* fresh = NULL;
  OK(taut_simulation_new(model, &fresh));
  OK(taut_read(fresh, TAUT_NODES, start, 36));
  CHECK(same_bits(start, taut_array(other, TAUT_NODES, NULL), 36));

  FAILS(taut_snapshot_to_bytes(snapshot, bytes, count - 1, NULL), TAUT_MISUSE);
  FAILS(taut_snapshot_to_bytes(snapshot, NULL, count, NULL), TAUT_MISUSE);
  FAILS(taut_snapshot_to_bytes(snapshot, bytes, -1, NULL), TAUT_MISUSE);
  taut_snapshot_free(read_back);
  FAILS(taut_snapshot_from_bytes(NULL, 10, &read_back), TAUT_MISUSE);
  FAILS(taut_snapshot_from_bytes(bytes, -1, &read_back), TAUT_MISUSE);
  FAILS(taut_snapshot_from_bytes(bytes, 0, &read_back), TAUT_INPUT_ERROR);
  CHECK(read_back == NULL);
  FAILS(taut_restore(sim, NULL), TAUT_MISUSE);

  /* Of another model: refused, and nothing is changed. */
  taut_model* falling = from_text("[nodes]\na = { at = [0, 0, 0], mass = 2.0 }\n");
  taut_simulation* mass = stepping(falling, 0.01);
  FAILS(taut_restore(mass, snapshot), TAUT_INPUT_ERROR);
  CHECK(taut_time(mass) == 0.01);
  OK(taut_advance(mass, 0.01));
  free(bytes);
  taut_snapshot_free(snapshot);
  taut_simulation_free(mass);
  taut_simulation_free(fresh);
  taut_simulation_free(other);
  taut_simulation_free(sim);
  taut_model_free(falling);
  taut_model_free(model);
}

/* Puts the checksum of a snapshot right, whatever its fields then say: FNV-1a of what follows 16 bytes (snapshot_bytes.h). */
static void sign(char* bytes, int64_t count) {
  uint64_t sum = UINT64_C(14695981039346656037);
  for (int64_t i = 16; i < count; ++i) sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
  memcpy(bytes + 8, &sum, sizeof sum);
}

/* A number of control instants that has been forged may be anything: it is asked so often at most. */
static int for_a_while(void* user, const taut_observation* now, double* commands, double* memory) {
  (void)now, (void)commands;
  memory[0] += 1.0;
  return ++*(int*)user > 100;
}

/* Every byte counts: damage is found by the checksum. With the checksum put right, what the numbers then say is either
 * refused or a state; nothing crashes, and the simulation can be reset to what it was. */
void test_forged_snapshots(void) {
  const char* set[] = {"simulation.step=0.001", "simulation.integrator=rk4"};
  int calls = 0;
  const taut_controller controller = {for_a_while, &calls, 500.0, 0.0, 1};
  taut_model* model = loaded("six_bar_drop.toml", set, 2);
  taut_simulation* sim = stepping(model, 0.05);
  OK(taut_control(sim, &controller));
  OK(taut_advance(sim, 0.05));
  taut_snapshot *snapshot = NULL, *forged = NULL;
  OK(taut_snapshot_new(sim, &snapshot));
  int64_t count = 0;
  char* bytes = bytes_of(snapshot, &count);
  char* copy = malloc((size_t)count);
  int64_t damaged = 0;
  for (int64_t i = 0; i < count; ++i) {
    memcpy(copy, bytes, (size_t)count);
    copy[i] = (char)(copy[i] ^ 0x10);
    damaged += taut_snapshot_from_bytes(copy, count, &forged) == TAUT_INPUT_ERROR;
    taut_snapshot_free(forged);
  }
  CHECK(damaged == count);
  for (int64_t size = 0; size < count; size += 1 + size / 16)
    FAILS(taut_snapshot_from_bytes(bytes, size, &forged), TAUT_INPUT_ERROR);

  memcpy(copy, bytes, (size_t)count);
  sign(copy, count);
  CHECK(memcmp(copy, bytes, (size_t)count) == 0); /* signed as taut does */
  dice d = {20240229};
  int64_t refused = 0, taken = 0;
  for (int round = 0; round < FEWER(20000); ++round) {
    memcpy(copy, bytes, (size_t)count);
    for (int64_t hits = 1 + roll_below(&d, 3); hits > 0; --hits) {
      const int64_t at = 16 + roll_below(&d, count - 16);
      copy[at] = (char)(roll_below(&d, 2) ? roll(&d) : roll_below(&d, 2) ? 0 : 0xff);
    }
    const int64_t size = roll_below(&d, 50) ? count : 16 + roll_below(&d, count - 16);
    sign(copy, size);
    if (taut_snapshot_from_bytes(copy, size, &forged) == TAUT_OK && taut_restore(sim, forged) == TAUT_OK) {
      ++taken;
      taut_array(sim, TAUT_NODES, NULL);
      calls = 0;
      const int status = taut_advance(sim, 0.001);
      CHECK(status == TAUT_OK || status == TAUT_RUN_ERROR);
    } else {
      ++refused;
      CHECK(taut_last_error()->status == TAUT_INPUT_ERROR);
    }
    taut_snapshot_free(forged);
    forged = NULL;
  }
  CHECK(refused > 0 && taken > 0);
  taut_simulation* other = NULL;
  OK(taut_simulation_new(model, &other));
  OK(taut_control(other, &controller));
  OK(taut_reset(sim));
  calls = 0;
  OK(taut_advance(sim, 0.05));
  OK(taut_advance(other, 0.05));
  CHECK(same_bits(taut_array(sim, TAUT_NODES, NULL), taut_array(other, TAUT_NODES, NULL), 36));
  free(copy);
  free(bytes);
  taut_snapshot_free(snapshot);
  taut_simulation_free(other);
  taut_simulation_free(sim);
  taut_model_free(model);
}
