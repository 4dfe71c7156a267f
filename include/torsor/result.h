/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULT_H
#define TORSOR_RESULT_H

/** Result files: trajectory.csv, state.nc, summary.json, and those of modes. */

#include <torsor/geometry.h>
#include <torsor/linear.h>
#include <torsor/modes.h>
#include <torsor/periodic.h>

TORSOR_BEGIN_DECLS

/** Writer of one trajectory.csv. */
typedef struct torsor_csv torsor_csv;

/** Create `file` and write the header row "t,<signals>". */
TORSOR_API torsor_status torsor_csv_create(torsor_csv **out, const char *file,
                                           const torsor_signals *signals, torsor_error *error);
/** Append one row (RFC 4180, %.17g).  TORSOR_FILE when the file cannot take it. */
TORSOR_API torsor_status torsor_csv_write(torsor_csv *csv, double t, const double *values,
                                          int count);
/** Sets how long rows may stay in the buffer, at first torsor_recording_default().sync seconds.
 *  Older ones are written with the next row, or by torsor_csv_flush_old. */
TORSOR_API void torsor_csv_set_sync(torsor_csv *csv, double seconds);
TORSOR_API torsor_status torsor_csv_flush_old(torsor_csv *csv);
/** Writes the buffer, with `surely` also to the disk; `bytes` receives the size of the file. */
TORSOR_API torsor_status torsor_csv_sync(torsor_csv *csv, bool surely, long long *bytes);
/** Opens a file to continue it after its first `bytes` bytes.  Returns FILE when it is a different
 *  file. */
TORSOR_API torsor_status torsor_csv_resume(torsor_csv **out, const char *file,
                                           const torsor_signals *signals, long long bytes,
                                           torsor_error *error);
/** Cuts the file off after these bytes: must be called before the first row. */
TORSOR_API torsor_status torsor_csv_cut(torsor_csv *csv, torsor_error *error);
/** Write what is buffered and close; reports errors that the system kept back. */
TORSOR_API torsor_status torsor_csv_close(torsor_csv *csv, torsor_error *error);

/** Read a CSV file with a header row whose first column is t.  Errors carry line and column. */
TORSOR_API torsor_status torsor_csv_read(torsor_table *out, const char *file, torsor_error *error);

/** Error of a signal, over all its components, estimated by a second run with smaller steps. */
typedef struct torsor_verified_signal {
  char signal[96];
  double error, at, largest; /* the largest error, its time, the largest value */
} torsor_verified_signal;

/** Extremes of a column of the rows, with their times, means over the time, by straight lines
 *  between rows, and the last value. */
typedef struct torsor_statistic {
  char signal[96];
  double min, t_min, max, t_max, mean, rms, final;
} torsor_statistic;

/** Texts, settings and lists that summary.json contains besides the numbers of torsor_summary. */
typedef struct torsor_result_info {
  const char *scene, *title, *hash; /* scene name, title and canonical hash */
  const char *canonical;            /* canonical text; NULL: not written */
  const char *message;              /* status text or error message */
  const torsor_simulation *simulation;
  const torsor_statics *statics;   /* NULL: a simulation */
  const torsor_occurrence *events; /* [event_count] */
  int event_count;
  const torsor_signals *signals; /* the columns of the trajectory; NULL: not written */
  const char *const *warning;    /* [warnings] */
  int warnings;
  const torsor_timing *timing;            /* NULL: not written */
  const torsor_verified_signal *verified; /* [verified_count] */
  int verified_count;
  const char *verified_by; /* how the second run differs: "half the step"; NULL: no second run */
  const torsor_statistic *statistic; /* [statistics] */
  int statistics;
} torsor_result_info;

/** Writer of one state.nc: full states as NetCDF, in the classic format with 64-bit offsets.  The
 *  file stays readable when the program is killed. */
typedef struct torsor_netcdf torsor_netcdf;

/** Create `file` for frames with these fields. */
TORSOR_API torsor_status torsor_netcdf_create(torsor_netcdf **out, const char *file,
                                              const torsor_layout *layout,
                                              const torsor_recording *recording,
                                              const torsor_result_info *info, torsor_error *error);
/** Returns a buffer in which the next frame can be composed without a copy, valid until
 *  torsor_netcdf_write; NULL when there is none. */
TORSOR_API double *torsor_netcdf_room(torsor_netcdf *netcdf);
/** Append a frame.  TORSOR_FILE when the file cannot take it; what it holds stays readable. */
TORSOR_API torsor_status torsor_netcdf_write(torsor_netcdf *netcdf, const torsor_frame *frame);
/** Write frames that have waited for recording->sync seconds. */
TORSOR_API torsor_status torsor_netcdf_flush_old(torsor_netcdf *netcdf);
/** Like torsor_csv_sync, torsor_csv_resume and torsor_csv_cut, with the number of frames as
 *  well. */
TORSOR_API torsor_status torsor_netcdf_sync(torsor_netcdf *netcdf, bool surely, long long *bytes,
                                            long *frames);
TORSOR_API torsor_status torsor_netcdf_resume(torsor_netcdf **out, const char *file,
                                              const torsor_layout *layout,
                                              const torsor_recording *recording, long long bytes,
                                              long frames, torsor_error *error);
TORSOR_API torsor_status torsor_netcdf_cut(torsor_netcdf *netcdf, torsor_error *error);
TORSOR_API torsor_status torsor_netcdf_close(torsor_netcdf *netcdf, torsor_error *error);

/** Computes the size of such a file with `frames` frames. */
TORSOR_API torsor_status torsor_netcdf_bytes(double *bytes, long frames,
                                             const torsor_layout *layout,
                                             const torsor_recording *recording,
                                             const torsor_result_info *info, torsor_error *error);

/** Reader of a state.nc, whole or still being written: frames in any order. */
typedef struct torsor_states torsor_states;

/** Open `file`; what is appended later is not seen. */
TORSOR_API torsor_status torsor_states_open(torsor_states **out, const char *file,
                                            torsor_error *error);
TORSOR_API void torsor_states_close(torsor_states *states);
/** Number of frames. */
TORSOR_API long torsor_states_count(const torsor_states *states);
TORSOR_API const torsor_layout *torsor_states_layout(const torsor_states *states);
/** Its fields, bits 1 << torsor_field. */
TORSOR_API unsigned torsor_states_fields(const torsor_states *states);
/** Text of a global attribute: "title", "scene", "scene_hash", "torsor_version", "analysis"
 *  ("simulation" or "statics"), "method", "settings"; NULL where there is none. */
TORSOR_API const char *torsor_states_text(const torsor_states *states, const char *attribute);
/** Times (s; statics: loads) of all frames, t [count]. */
TORSOR_API torsor_status torsor_states_times(double *t, torsor_states *states, torsor_error *error);
/** Frame i from 0, which is valid until the next call.  Its fields are those of the file. */
TORSOR_API torsor_status torsor_states_read(const torsor_frame **out, torsor_states *states, long i,
                                            torsor_error *error);

/** Writer of files for ParaView into a folder: model.pvd with bodies_NNNNNN.vtp, beams_NNNNNN.vtp
 *  and ground.vtp, forces.pvd with forces_NNNNNN.vtp, as far as the model has such; see
 *  docs/commands.md. */
typedef struct torsor_vtk torsor_vtk;

/** The folder exists; geometry and layout belong to one model and outlive the writer. */
TORSOR_API torsor_status torsor_vtk_create(torsor_vtk **out, const char *folder,
                                           const torsor_geometry *geometry,
                                           const torsor_layout *layout, torsor_error *error);
/** Write the files of a frame with these fields: position and quaternion at least. */
TORSOR_API torsor_status torsor_vtk_write(torsor_vtk *vtk, const torsor_frame *frame,
                                          torsor_error *error);
/** Write the lists of files; NULL is fine.  `error`: see torsor_csv_close. */
TORSOR_API torsor_status torsor_vtk_close(torsor_vtk *vtk, torsor_error *error);

/** The summary as a JSON document.  Free with torsor_text_free. */
TORSOR_API torsor_status torsor_summary_text(char **out, const torsor_summary *summary,
                                             const torsor_result_info *info, torsor_error *error);
/** The summary of statics as a JSON document. */
TORSOR_API torsor_status torsor_statics_summary_text(char **out,
                                                     const torsor_statics_summary *summary,
                                                     const torsor_statics *statics,
                                                     const torsor_result_info *info,
                                                     torsor_error *error);
/** Modes: a CSV table of them, a CSV table of the shape of mode i (a row per node), the list as a
 *  JSON document, and the summary with that list in it. */
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
/** Matrix i of the linearised system as a Matrix Market file, and a CSV table of its unknowns; *out
 *  = NULL for a matrix that is left out. */
TORSOR_API torsor_status torsor_matrix_text(char **out, const torsor_modes *modes, int i,
                                            torsor_error *error);
TORSOR_API torsor_status torsor_unknowns_csv_text(char **out, const torsor_modes *modes,
                                                  torsor_error *error);
/** Name of the file of matrix i, e.g. "M.mtx". */
TORSOR_API const char *torsor_matrix_file(int i);
/** A state space as a JSON document: names, units, A, B, C, D row by row, poles. */
/** The same of a reduced one, with "hankel", "kept", "bound" and `largest`, the largest difference
 * of an entry of both transfer functions. */
TORSOR_API torsor_status torsor_balanced_json_text(char **out, const torsor_balanced *balanced,
                                                   double largest, torsor_error *error);
TORSOR_API torsor_status torsor_state_space_json_text(char **out, const torsor_state_space *space,
                                                      torsor_error *error);
/** A dense matrix, stored row by row or by column, as a Matrix Market file with a comment. */
TORSOR_API torsor_status torsor_dense_matrix_text(char **out, const double *value, int rows,
                                                  int columns, bool by_rows, const char *comment,
                                                  torsor_error *error);
/** A CSV table of names and units: index, name, unit. */
TORSOR_API torsor_status torsor_channels_csv_text(char **out, const torsor_channel *channel,
                                                  int count, torsor_error *error);
/** A CSV table of poles: index, re, im, frequency_hz, damping_ratio. */
TORSOR_API torsor_status torsor_poles_csv_text(char **out, const torsor_state_space *space,
                                               torsor_error *error);
/** A frequency response (torsor_linear_response) as a CSV table: frequency_hz, and for each output
 *  and input "<output>/<input>" .amplitude, .phase_deg, .re, .im. */
TORSOR_API torsor_status torsor_response_csv_text(char **out, const torsor_linear *linear,
                                                  const double *hz, const double *response,
                                                  int count, torsor_error *error);
/** The summary of a linearisation. */
TORSOR_API torsor_status torsor_linear_summary_text(char **out, const torsor_linear *linear,
                                                    torsor_about about,
                                                    const torsor_result_info *info,
                                                    torsor_error *error);
/** A periodic motion: its multipliers as a CSV table (index, re, im, magnitude, exponent_re,
 *  exponent_im in 1/s, trivial), and a summary as a JSON document. */
TORSOR_API torsor_status torsor_multipliers_csv_text(char **out, const torsor_periodic *periodic,
                                                     torsor_error *error);
TORSOR_API torsor_status torsor_periodic_summary_text(char **out, const torsor_periodic *periodic,
                                                      const torsor_result_info *info,
                                                      torsor_error *error);
/** "stable", "fold", "flip", "quasi-periodic" or "neutral". */
TORSOR_API const char *torsor_orbit_word(torsor_orbit_kind kind);
TORSOR_API torsor_status torsor_summary_write(const char *file, const torsor_summary *summary,
                                              const torsor_result_info *info, torsor_error *error);

TORSOR_END_DECLS

#endif
