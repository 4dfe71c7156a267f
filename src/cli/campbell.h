/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_CAMPBELL_H
#define TORSOR_CLI_CAMPBELL_H

/** Modes of a scene followed while one of its values changes. */

#include <torsor/modes.h>

#include "cli/session.h"

typedef struct campbell_options {
  const cli *common;
  const char *folder; /* NULL: out/<scene name>_campbell */
  const char *sweep;  /* "PATH=FROM:TO:COUNT" */
  const char *orders; /* "1,2"; NULL: the value is no rate */
  torsor_status (*settings)(torsor_modes_settings *out, const void *options,
                            const torsor_scene *scene, torsor_error *error);
  const void *options; /* for it */
} campbell_options;

/** Writes campbell.csv and answers. */
torsor_status campbell_run(session *s, const campbell_options *options, torsor_error *error);

#endif
