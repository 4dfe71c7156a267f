/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_TEAM_H
#define TORSOR_BASE_TEAM_H

/** Threads that share work. */

/** Part i of some work on `self`. */
typedef void team_work(void *self, int i);

/** All parts 0 .. count-1, by that many threads, and wait for them: thread k does the parts k, k + threads, ... With one
 *  thread no other is started, and without OpenMP there is one. */
void team_run(int threads, int count, team_work *work, void *self);

/** Most threads that can run at once: 1 without OpenMP. */
int team_most(void);

#endif
