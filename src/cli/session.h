/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_SESSION_H
#define TORSOR_CLI_SESSION_H

/** The objects that a verb works on: element types, scene, model, signals. */

#include <torsor/scene.h>

#include "cli/cli.h"

typedef struct session {
  torsor_registry *registry;
  torsor_scene *scene;
  torsor_model *model;
  torsor_signals *signals;             /* those that the scene chooses */
  torsor_sensitivities *sensitivities; /* of session_differentiate; NULL: none */
  double setup_seconds;                /* CPU time of reading and building */
} session;

/** The built-in types and the plug-ins of the command line. */
torsor_status session_open_types(session *s, const cli *common, torsor_error *error);

/** Read the scene `file` with the changes of the command line and build model and signals.  The
 *  types must be open; closes the scene that was open before. */
torsor_status session_open_scene(session *s, const cli *common, const char *file,
                                 torsor_error *error);

/** Types, then scene. */
torsor_status session_open(session *s, const cli *common, const char *file, torsor_error *error);

/** Adds the derivatives that the scene asks for to the signals. */
torsor_status session_differentiate(session *s, torsor_error *error);

void session_close_scene(session *s);
void session_close(session *s);

/** Point the error of an analysis at what it names in the scene; returns `status`. */
torsor_status session_locate(const session *s, torsor_status status, torsor_error *error);

/** Write the scene as it was read, whole, to scene.json in `folder`, so that nothing else is needed
 *  to go back to it: changes made, other files put in. */
torsor_status session_keep_scene(const session *s, const char *folder, torsor_error *error);

/** Simulate and keep the rows in `table` (to be destroyed also after a failure). */
torsor_status session_record(torsor_table *table, torsor_summary *summary, const session *s,
                             const torsor_simulation *simulation, const cli *common,
                             torsor_error *error);
/** Like session_record, without printing warnings; calls `stop` after each step. */
torsor_status session_record_quietly(torsor_table *table, torsor_summary *summary, const session *s,
                                     const torsor_simulation *simulation, const cli *common,
                                     bool (*stop)(void *data), torsor_error *error);
/** Like session_record, for statics. */
torsor_status session_record_statics(torsor_table *table, torsor_statics_summary *summary,
                                     const session *s, const cli *common, torsor_error *error);
/** Like session_record, for modes: one row, at t = 0, of the columns mode[i].frequency_hz,
 *  .damping_ratio, .eigenvalue_re and .eigenvalue_im with i from 1, as in modes.csv. */
torsor_status session_record_modes(torsor_table *table, double *cpu_seconds,
                                   const torsor_modes_settings *settings, const session *s,
                                   const cli *common, torsor_error *error);

#endif
