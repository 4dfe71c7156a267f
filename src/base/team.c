/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/team.h"

#ifdef _OPENMP
#include <omp.h>

void team_run(int threads, int count, team_work *work, void *self) {
  if (threads == 1) {
    for (int i = 0; i < count; ++i) work(self, i);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int i = 0; i < count; ++i) work(self, i);
}

int team_most(void) {
  return omp_get_thread_limit();
}
#else
void team_run(int threads, int count, team_work *work, void *self) {
  (void)threads;
  for (int i = 0; i < count; ++i) work(self, i);
}

int team_most(void) {
  return 1;
}
#endif
