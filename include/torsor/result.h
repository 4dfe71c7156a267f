/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULT_H
#define TORSOR_RESULT_H

/** Result files: trajectory.csv, summary.json, and those of modes. */

#include <torsor/modes.h>

/** Writer of one trajectory.csv. */
typedef struct torsor_csv torsor_csv;

/** Create `file` and write the header row "t,<signals>". */
TORSOR_API torsor_status torsor_csv_create(torsor_csv **out, const char *file,
                                           const torsor_signals *signals, torsor_error *error);
/** Append one row (RFC 4180, %.17g).  TORSOR_FILE when the file cannot take it. */
TORSOR_API torsor_status torsor_csv_write(torsor_csv *csv, double t, const double *values,
                                          int count);
/** Write what is buffered and close; reports errors that the system kept back. */
TORSOR_API torsor_status torsor_csv_close(torsor_csv *csv, torsor_error *error);

/** Read a CSV file with a header row whose first column is t.  Errors carry line and column. */
TORSOR_API torsor_status torsor_csv_read(torsor_table *out, const char *file, torsor_error *error);

/** What summary.json says beside the numbers of torsor_summary. */
typedef struct torsor_result_info {
  const char *scene, *title, *hash; /* scene name, title and canonical hash */
  const char *message;              /* status text or error message */
  const torsor_simulation *simulation;
  const torsor_occurrence *events; /* [event_count] */
  int event_count;
  const torsor_signals *signals; /* the columns of the trajectory; NULL: not told */
  const char *const *warning;    /* [warnings] */
  int warnings;
} torsor_result_info;

/** The summary as a JSON document.  Free with torsor_text_free. */
TORSOR_API torsor_status torsor_summary_text(char **out, const torsor_summary *summary,
                                             const torsor_result_info *info, torsor_error *error);
/** The same for statics. */
TORSOR_API torsor_status torsor_statics_summary_text(char **out,
                                                     const torsor_statics_summary *summary,
                                                     const torsor_statics *statics,
                                                     const torsor_result_info *info,
                                                     torsor_error *error);
/** Modes: a CSV table of them, a CSV table of the shape of mode i (a row per node), the list as a JSON
 *  document, and the summary with that list in it. */
TORSOR_API torsor_status torsor_modes_csv_text(char **out, const torsor_modes *modes,
                                               torsor_error *error);
TORSOR_API torsor_status torsor_mode_shape_text(char **out, const torsor_modes *modes, int i,
                                                torsor_error *error);
TORSOR_API torsor_status torsor_modes_json_text(char **out, const torsor_modes *modes,
                                                torsor_error *error);
TORSOR_API torsor_status torsor_modes_summary_text(char **out, const torsor_modes *modes,
                                                   const torsor_modes_settings *settings,
                                                   const torsor_result_info *info,
                                                   torsor_error *error);
/** Matrix i of the linearised system as a Matrix Market file, and a CSV table of its unknowns; *out = NULL for a matrix
 *  that is left out. */
TORSOR_API torsor_status torsor_matrix_text(char **out, const torsor_modes *modes, int i,
                                            torsor_error *error);
TORSOR_API torsor_status torsor_unknowns_csv_text(char **out, const torsor_modes *modes,
                                                  torsor_error *error);
/** Name of the file of matrix i, e.g. "M.mtx". */
TORSOR_API const char *torsor_matrix_file(int i);
TORSOR_API torsor_status torsor_summary_write(const char *file, const torsor_summary *summary,
                                              const torsor_result_info *info, torsor_error *error);

#endif
