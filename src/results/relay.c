/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/relay.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { LEAST_SLOTS = 2, MOST_SLOTS = 64 };

struct relay {
  pthread_t thread;
  pthread_mutex_t lock;  /* of everything below */
  pthread_cond_t wanted; /* there is work: enough, or a hurry, or the end */
  pthread_cond_t taken;  /* a block has gone */
  int first, count;      /* blocks on their way: slots first, first + 1, .. */
  bool hurry, ends;
  double oldest;        /* monotonic time at which the first of them came, s */
  torsor_status status; /* first failure of `take` */
  torsor_status (*take)(void *data, double *value);
  void *data;
  size_t values;
  int slots;
  double slot[]; /* [slots x values] */
};

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double *slot_at(relay *r, int i) {
  return r->slot + (size_t)(i % r->slots) * r->values;
}

/* Processes all blocks, including those that arrive meanwhile.  The caller has locked the mutex. */
static void take_all(relay *r) {
  while (r->count) {
    double *value = slot_at(r, r->first);
    pthread_mutex_unlock(&r->lock);
    const torsor_status status = r->take(r->data, value);
    pthread_mutex_lock(&r->lock);
    if (!r->status) r->status = status;
    r->first = (r->first + 1) % r->slots;
    --r->count;
    pthread_cond_signal(&r->taken);
  }
  r->hurry = false;
}

static bool is_wanted(const relay *r) {
  return r->ends || r->hurry || 2 * r->count >= r->slots;
}

static void *run(void *data) {
  relay *r = data;
  pthread_mutex_lock(&r->lock);
  do {
    while (!is_wanted(r)) pthread_cond_wait(&r->wanted, &r->lock);
    take_all(r);
  } while (!r->ends);
  pthread_mutex_unlock(&r->lock);
  return NULL;
}

static int count_slots(size_t values) {
  const size_t fitting = RELAY_BYTES / (values * sizeof(double));
  return fitting < LEAST_SLOTS ? LEAST_SLOTS : fitting > MOST_SLOTS ? MOST_SLOTS : (int)fitting;
}

static void release(relay *r) {
  pthread_cond_destroy(&r->taken);
  pthread_cond_destroy(&r->wanted);
  pthread_mutex_destroy(&r->lock);
  free(r);
}

relay *relay_create(size_t values, torsor_status (*take)(void *data, double *value), void *data) {
  const int slots = count_slots(values);
  relay *r = calloc(1, sizeof *r + (size_t)slots * values * sizeof *r->slot);
  if (!r) return NULL;
  r->take = take;
  r->data = data;
  r->values = values;
  r->slots = slots;
  pthread_mutex_init(&r->lock, NULL);
  pthread_cond_init(&r->wanted, NULL);
  pthread_cond_init(&r->taken, NULL);
  if (pthread_create(&r->thread, NULL, run, r) == 0) return r;
  release(r);
  return NULL;
}

/* The caller fills the block without the lock, since the thread does not read it before it is
 * handed over. */
double *relay_room(relay *r) {
  pthread_mutex_lock(&r->lock);
  while (r->count == r->slots) pthread_cond_wait(&r->taken, &r->lock);
  double *slot = slot_at(r, r->first + r->count);
  pthread_mutex_unlock(&r->lock);
  return slot;
}

torsor_status relay_hand(relay *r) {
  pthread_mutex_lock(&r->lock);
  const torsor_status status = r->status;
  if (!status && !r->count++) r->oldest = seconds_now();
  if (is_wanted(r)) pthread_cond_signal(&r->wanted);
  pthread_mutex_unlock(&r->lock);
  return status;
}

void relay_hurry_old(relay *r, double seconds) {
  pthread_mutex_lock(&r->lock);
  if (r->count && !r->hurry && seconds_now() - r->oldest >= seconds) {
    r->hurry = true;
    pthread_cond_signal(&r->wanted);
  }
  pthread_mutex_unlock(&r->lock);
}

torsor_status relay_wait(relay *r) {
  pthread_mutex_lock(&r->lock);
  r->hurry = true;
  pthread_cond_signal(&r->wanted);
  while (r->count) pthread_cond_wait(&r->taken, &r->lock);
  const torsor_status status = r->status;
  pthread_mutex_unlock(&r->lock);
  return status;
}

void relay_destroy(relay *r) {
  if (!r) return;
  pthread_mutex_lock(&r->lock);
  r->ends = true;
  pthread_cond_signal(&r->wanted);
  pthread_mutex_unlock(&r->lock);
  pthread_join(r->thread, NULL);
  release(r);
}
