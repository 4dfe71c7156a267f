/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread that takes full states off the loop's hands. */
#include "check.h"

#include <pthread.h>
#include <time.h>

#include "results/relay.h"

enum { VALUES = 1000, MANY = 500 };

typedef struct taker {
  pthread_mutex_t lock;
  int taken;
  bool ordered;
  int fails_at; /* -1: never */
  bool slow;
} taker;

static void pause_for(double seconds) {
  const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
  nanosleep(&time, NULL);
}

static torsor_status take(void *data, double *value) {
  taker *t = data;
  if (t->slow) pause_for(1e-4);
  pthread_mutex_lock(&t->lock);
  const int k = t->taken++;
  t->ordered &= value[0] == k && value[VALUES - 1] == -k;
  pthread_mutex_unlock(&t->lock);
  value[0] = value[VALUES - 1] = -1; /* they are the taker's now */
  return k == t->fails_at ? TORSOR_FILE : TORSOR_OK;
}

static int count_taken(taker *t) {
  pthread_mutex_lock(&t->lock);
  const int taken = t->taken;
  pthread_mutex_unlock(&t->lock);
  return taken;
}

static relay *open_relay(taker *t) {
  *t = (taker){.ordered = true, .fails_at = -1};
  pthread_mutex_init(&t->lock, NULL);
  relay *r = relay_create(VALUES, take, t);
  CHECK_TRUE(r != NULL);
  return r;
}

static torsor_status hand(relay *r, int k) {
  double *room = relay_room(r);
  room[0] = k;
  room[VALUES - 1] = -k;
  return relay_hand(r);
}

/* Blocks come in their order, also where the thread lags behind and there is no room. */
static void blocks_come_in_order(void **state) {
  (void)state;
  taker t;
  relay *r = open_relay(&t);
  t.slow = true;
  for (int k = 0; k < MANY; ++k) CHECK_INT(hand(r, k), TORSOR_OK);
  CHECK_INT(relay_wait(r), TORSOR_OK);
  CHECK_INT(count_taken(&t), MANY);
  for (int k = MANY; k < MANY + 3; ++k) CHECK_INT(hand(r, k), TORSOR_OK);
  relay_destroy(r); /* takes those as well */
  CHECK_INT(t.taken, MANY + 3);
  CHECK_TRUE(t.ordered);
}

/* A failure is reported, at the latest by who waits. */
static void failures_are_reported(void **state) {
  (void)state;
  taker t;
  relay *r = open_relay(&t);
  t.fails_at = 2;
  for (int k = 0; k < 4; ++k) CHECK_INT(hand(r, k), TORSOR_OK); /* not taken yet */
  CHECK_INT(relay_wait(r), TORSOR_FILE);
  CHECK_INT(hand(r, 4), TORSOR_FILE);
  relay_destroy(r);
  CHECK_INT(t.taken, 4);
}

/* A single block stays until it is old; then nobody has to wait for it. */
static void old_blocks_hurry(void **state) {
  (void)state;
  taker t;
  relay *r = open_relay(&t);
  CHECK_INT(hand(r, 0), TORSOR_OK);
  relay_hurry_old(r, 3600);
  pause_for(0.02);
  CHECK_INT(count_taken(&t), 0);
  relay_hurry_old(r, 0);
  for (int i = 0; i < 10000 && !count_taken(&t); ++i) pause_for(1e-3);
  CHECK_INT(count_taken(&t), 1);
  relay_destroy(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_come_in_order),
      cmocka_unit_test(failures_are_reported),
      cmocka_unit_test(old_blocks_hurry),
  };
  return cmocka_run_group_tests_name("relay", tests, NULL, NULL);
}
