/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/stopwatch.h"

/* Time for which a thread spins, waiting for work or its end, before it yields the processor, and
 * before it sleeps. */
static const long long POLITE_AFTER = 20000, ASLEEP_AFTER = 2000000; /* ns */

enum { COUNT_BITS = 6 };

typedef struct worker {
  team *team;
  int index;
  pthread_t thread;
} worker;

struct team {
  int threads;
  team_work *work;
  void *self;
  int count;
  /* In the lower half a bit for each part that nobody has begun, above it how many parts there are
   * (COUNT_BITS) and the number of the work.  Who claims a part of a work keeps that work from
   * ending, so that what it reads of it stays. */
  _Atomic uint64_t open;
  _Atomic int done;
  _Atomic int asleep;
  _Atomic bool over;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  worker worker[TEAM_MOST];
};

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* The parts before `part`, a bit for each. */
static uint32_t parts_before(int part) {
  return (uint32_t)((UINT64_C(1) << part) - 1);
}

/* The parts of a work of `count` that thread `index` begins with, a bit for each: its equal share
 * of them. */
static uint32_t own_parts(const team *t, int index, int count) {
  const int begin = (index * count + t->threads - 1) / t->threads;
  const int end = ((index + 1) * count + t->threads - 1) / t->threads;
  return parts_before(end) & ~parts_before(begin);
}

/* Claims a part that no thread has begun: the first of the thread's own share or, if there is none,
 * the last of all, which its owner would reach last; -1 = none. */
static int claim(team *t, int index) {
  uint64_t open = atomic_load(&t->open);
  for (;;) {
    const uint32_t left = (uint32_t)open;
    if (!left) return -1;
    const uint32_t own = left & own_parts(t, index, (int)(open >> 32 & parts_before(COUNT_BITS)));
    const int part = own ? __builtin_ctz(own) : 31 - __builtin_clz(left);
    if (atomic_compare_exchange_weak(&t->open, &open, open & ~(UINT64_C(1) << part))) return part;
  }
}

static void work_on(team *t, int index) {
  for (int part; (part = claim(t, index)) >= 0;) {
    t->work(t->self, part);
    atomic_fetch_add(&t->done, 1);
  }
}

static void sleep_until_work(team *t) {
  pthread_mutex_lock(&t->lock);
  atomic_fetch_add(&t->asleep, 1);
  while (!(uint32_t)atomic_load(&t->open) && !atomic_load(&t->over))
    pthread_cond_wait(&t->wake, &t->lock);
  atomic_fetch_sub(&t->asleep, 1);
  pthread_mutex_unlock(&t->lock);
}

/* One look at the clock for some at the memory; false once it has taken long enough to sleep. */
static bool wait_a_little(long long since) {
  for (int i = 0; i < 32; ++i) relax();
  const long long waited = stopwatch_now() - since;
  if (waited > POLITE_AFTER) sched_yield();
  return waited < ASLEEP_AFTER;
}

static void *serve(void *self) {
  worker *w = self;
  team *t = w->team;
  long long since = stopwatch_now();
  while (!atomic_load(&t->over)) {
    if ((uint32_t)atomic_load(&t->open)) {
      work_on(t, w->index);
      since = stopwatch_now();
    } else if (!wait_a_little(since)) {
      sleep_until_work(t);
      since = stopwatch_now();
    }
  }
  return NULL;
}

team *team_create(int threads) {
  team *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->threads = 1;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->wake, NULL);
  for (; t->threads < threads && t->threads < TEAM_MOST; ++t->threads) {
    worker *w = &t->worker[t->threads];
    *w = (worker){.team = t, .index = t->threads};
    if (pthread_create(&w->thread, NULL, serve, w)) break;
  }
  if (t->threads > 1 || threads <= 1) return t;
  team_destroy(t);
  return NULL;
}

static void wake_all(team *t) {
  pthread_mutex_lock(&t->lock);
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
}

void team_destroy(team *t) {
  if (!t) return;
  atomic_store(&t->over, true);
  wake_all(t);
  for (int i = 1; i < t->threads; ++i) pthread_join(t->worker[i].thread, NULL);
  pthread_cond_destroy(&t->wake);
  pthread_mutex_destroy(&t->lock);
  free(t);
}

void team_share(team *t, int count, team_work *work, void *self) {
  t->work = work;
  t->self = self;
  atomic_store(&t->done, 0);
  const uint64_t number = (atomic_load(&t->open) >> (32 + COUNT_BITS)) + 1;
  atomic_store(&t->open, (number << COUNT_BITS | (uint64_t)count) << 32 | parts_before(count));
  if (atomic_load(&t->asleep)) wake_all(t);
  work_on(t, 0);
  const long long since = stopwatch_now();
  while (atomic_load(&t->done) < count) wait_a_little(since);
}
