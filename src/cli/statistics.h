/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STATISTICS_H
#define TORSOR_CLI_STATISTICS_H

/** Extremes and means of the signals that output.statistics of a scene names. */

#include <torsor/result.h>
#include <torsor/scene.h>

typedef struct statistics {
  torsor_statistic *item; /* [count] allocated */
  int count;
} statistics;

/** Checks that the names stand for columns of `signals`; the error has the position in the scene.
 */
torsor_status statistics_check(const torsor_scene *scene, const torsor_signals *signals,
                               torsor_error *error);

/** Finds them from the rows in the file `trajectory`; nothing where the scene names none. */
torsor_status statistics_find(statistics *out, const torsor_scene *scene, const char *trajectory,
                              torsor_error *error);
void statistics_release(statistics *s);

#endif
