/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_TEAM_H
#define TORSOR_BASE_TEAM_H

/** Threads that share work.
 *
 *  Parts are claimed: a thread begins with its own, an equal share of them and the same in every
 *  work of so many parts, as its cache holds what they need; what it has not begun another one
 *  does, and nobody waits for a thread that the system has set aside before it began, nor long for
 *  one that is slower.  (Regions of OpenMP end when all threads have been there: on a machine that
 *  is busy with other things that took ten times as long as one thread alone.)  Idle threads look
 *  for work for a while, leave the processor to others who want it, and sleep then. */

/** Most threads, and most parts of a work. */
enum { TEAM_MOST = 32 };

typedef struct team team;

/** Part i of some work on `self`. */
typedef void team_work(void *self, int i);

/** A team of at most so many threads, the caller's included; NULL when there is no memory or no
 *  thread to be had. */
team *team_create(int threads);
void team_destroy(team *t);

/** Distributes the parts 0 .. count-1, at least two, over the threads of a team. */
void team_share(team *t, int count, team_work *work, void *self);

/** Runs the parts 0 .. count-1 and returns when all are finished.  One caller at a time.  With `t`
 *  NULL the calling thread runs them all. */
static inline void team_run(team *t, int count, team_work *work, void *self) {
  if (t && count > 1)
    team_share(t, count, work, self);
  else
    for (int i = 0; i < count; ++i) work(self, i);
}

#endif
