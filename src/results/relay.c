/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/relay.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2 };

struct relay {
  pthread_t thread;
  pthread_mutex_t lock;   /* of everything below */
  pthread_cond_t changed; /* a block has come, or gone, or the end is near */
  int first, count;       /* blocks on their way: slots first, first + 1, .. */
  bool ends;
  torsor_status status; /* first failure of `take` */
  torsor_status (*take)(void *data, const double *value);
  void *data;
  size_t values;
  double slot[]; /* [SLOTS x values] */
};

static double *slot_at(relay *r, int i) {
  return r->slot + (size_t)(i % SLOTS) * r->values;
}

static void *run(void *data) {
  relay *r = data;
  pthread_mutex_lock(&r->lock);
  for (;;) {
    while (!r->count && !r->ends) pthread_cond_wait(&r->changed, &r->lock);
    if (!r->count) break;
    const double *value = slot_at(r, r->first);
    pthread_mutex_unlock(&r->lock);
    const torsor_status status = r->take(r->data, value);
    pthread_mutex_lock(&r->lock);
    if (!r->status) r->status = status;
    r->first = (r->first + 1) % SLOTS;
    --r->count;
    pthread_cond_broadcast(&r->changed);
  }
  pthread_mutex_unlock(&r->lock);
  return NULL;
}

relay *relay_create(size_t values, torsor_status (*take)(void *data, const double *value),
                    void *data) {
  relay *r = calloc(1, sizeof *r + SLOTS * values * sizeof *r->slot);
  if (!r) return NULL;
  r->take = take;
  r->data = data;
  r->values = values;
  pthread_mutex_init(&r->lock, NULL);
  pthread_cond_init(&r->changed, NULL);
  if (pthread_create(&r->thread, NULL, run, r) == 0) return r;
  pthread_cond_destroy(&r->changed);
  pthread_mutex_destroy(&r->lock);
  free(r);
  return NULL;
}

torsor_status relay_hand(relay *r, const double *value) {
  pthread_mutex_lock(&r->lock);
  while (r->count == SLOTS) pthread_cond_wait(&r->changed, &r->lock);
  double *slot = slot_at(r, r->first + r->count);
  const torsor_status status = r->status;
  pthread_mutex_unlock(&r->lock);
  if (status) return status;
  memcpy(slot, value, r->values * sizeof *slot); /* the thread does not look at it yet */
  pthread_mutex_lock(&r->lock);
  ++r->count;
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
  return TORSOR_OK;
}

torsor_status relay_wait(relay *r) {
  pthread_mutex_lock(&r->lock);
  while (r->count) pthread_cond_wait(&r->changed, &r->lock);
  const torsor_status status = r->status;
  pthread_mutex_unlock(&r->lock);
  return status;
}

void relay_destroy(relay *r) {
  if (!r) return;
  pthread_mutex_lock(&r->lock);
  r->ends = true;
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
  pthread_join(r->thread, NULL);
  pthread_cond_destroy(&r->changed);
  pthread_mutex_destroy(&r->lock);
  free(r);
}
