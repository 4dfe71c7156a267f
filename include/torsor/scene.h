/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_H
#define TORSOR_SCENE_H

/** Scenes: JSON files that describe a model and its analysis.
 *
 *  A scene owns the functions of time of the models built from it: it must outlive them.  Threads
 *  may evaluate them, one after the other. */

#include <torsor/linear.h>
#include <torsor/periodic.h>

TORSOR_BEGIN_DECLS

typedef struct torsor_scene torsor_scene;

/** Read a scene file.  `set` [set_count] are changes "PATH=VALUE" made before anything is
 *  interpreted.  The registry must outlive the scene. */
TORSOR_API torsor_status torsor_scene_load(torsor_scene **out, const char *file,
                                           const torsor_registry *registry, const char *const *set,
                                           int set_count, torsor_error *error);
/** Like torsor_scene_load, from a text in memory; messages name it `name`. */
TORSOR_API torsor_status torsor_scene_parse(torsor_scene **out, const char *text, size_t length,
                                            const char *name, const torsor_registry *registry,
                                            const char *const *set, int set_count,
                                            torsor_error *error);
TORSOR_API void torsor_scene_destroy(torsor_scene *scene);

/** Build the model, which the scene must outlive.  Errors carry file, path, line and column. */
TORSOR_API torsor_status torsor_scene_model(torsor_model **out, const torsor_scene *scene,
                                            torsor_error *error);

/** File name without folder and ".json". */
TORSOR_API const char *torsor_scene_name(const torsor_scene *scene);
/** Name of the i-th file that the scene was read from (its own, included ones, matrices), NULL
 *  beyond the last. */
TORSOR_API const char *torsor_scene_file(const torsor_scene *scene, int i);
TORSOR_API const char *torsor_scene_title(const torsor_scene *scene);
/** 32 hexadecimal digits: XXH3-128 of the canonical text (defaults not filled in, keys sorted,
 *  numbers as %.17g, comments left out, changes made, included files and the matrices of other
 *  files put in).  That text is a scene, the same one, and needs no other file. */
TORSOR_API const char *torsor_scene_hash(const torsor_scene *scene);
/** Hash of the canonical text without simulation.duration, which may be extended when a run
 *  continues from a checkpoint. */
TORSOR_API const char *torsor_scene_resume_hash(const torsor_scene *scene);
TORSOR_API const char *torsor_scene_canonical(const torsor_scene *scene);
TORSOR_API const torsor_simulation *torsor_scene_simulation(const torsor_scene *scene);
/** Writes the steps, rows and accuracy of `chosen` (torsor_choose_steps) into a scene that names no
 *  step, so that its canonical text can be run again without trial runs. */
TORSOR_API torsor_status torsor_scene_settle_steps(torsor_scene *scene,
                                                   const torsor_simulation *chosen,
                                                   torsor_error *error);
/** Does the scene ask for statics: does it have "statics" but no simulation? */
TORSOR_API bool torsor_scene_is_static(const torsor_scene *scene);
TORSOR_API const torsor_statics *torsor_scene_statics(const torsor_scene *scene);
/** The inputs, outputs and frequencies that the scene names for its linearisation. */
typedef struct torsor_linear_request {
  torsor_linear_settings settings; /* with names that belong to the scene */
  bool about_given;                /* the scene says about which state */
  int frequencies;
  const double *frequency; /* [frequencies] Hz */
  int reduced_states;      /* of a balanced truncation; 0: none is asked for */
} torsor_linear_request;
TORSOR_API const torsor_linear_request *torsor_scene_linear(const torsor_scene *scene);
/** The settings of the search for a periodic motion; without a period where the scene names none.
 */
TORSOR_API const torsor_periodic_settings *torsor_scene_periodic(const torsor_scene *scene);
/** Builds the neighbouring models of the parameters that the scene names in "sensitivities", for
 * torsor_signals_differentiate; *out is NULL where it names none.  `model` is that of the scene.
 * Errors carry file, path, line and column.  Destroy after the signals and runs that use it. */
TORSOR_API torsor_status torsor_scene_sensitivities(torsor_sensitivities **out,
                                                    const torsor_scene *scene,
                                                    const torsor_model *model, torsor_error *error);
/** NULL is fine. */
TORSOR_API void torsor_scene_sensitivities_destroy(torsor_sensitivities *sensitivities);
/** The full states that the scene requests. */
TORSOR_API const torsor_recording *torsor_scene_recording(const torsor_scene *scene);
/** Wall time between two checkpoints, s; 0 = no checkpoints. */
TORSOR_API double torsor_scene_checkpoint(const torsor_scene *scene);
/** Chosen signals, with ${..} replaced; `count` receives their number (0 = the default choice). */
TORSOR_API const char *const *torsor_scene_signals(const torsor_scene *scene, int *count);
/** Signals whose extremes and means the summary is to have, as columns of the rows or what stands
 *  for several of them; `count` receives their number. */
TORSOR_API const char *const *torsor_scene_statistics(const torsor_scene *scene, int *count);
/** Lets results show signals in the units that the scene asks for (`units` of `output`). */
TORSOR_API torsor_status torsor_scene_show_units(const torsor_scene *scene,
                                                 torsor_signals *signals, torsor_error *error);
/** Adds the position of output.signals[index] in the scene to the error. */
TORSOR_API void torsor_scene_locate_signal(const torsor_scene *scene, int index,
                                           torsor_error *error);
/** Adds file, path, line and column to an error of an analysis: those of the element that it names,
 *  or of `error->path`, a key of the scene. */
TORSOR_API void torsor_scene_locate(const torsor_scene *scene, torsor_error *error);

/** JSON schema (draft-07) of scenes with the registry's types.  Free with torsor_text_free. */
TORSOR_API torsor_status torsor_schema_text(char **out, const torsor_registry *registry,
                                            torsor_error *error);

/** Sidecar of a reference file. */
typedef struct torsor_reference {
  char title[160];
  char data[320];     /* path of the CSV file */
  int modes;          /* it is about so many modes of the scene; 0: about its run or its statics */
  torsor_about about; /* the state that these are about */
  int tolerance_count;
  torsor_tolerance *tolerances;
} torsor_reference;

/** Read NAME.json beside a reference; `file` is the sidecar or the CSV. */
TORSOR_API torsor_status torsor_reference_load(torsor_reference *out, const char *file,
                                               torsor_error *error);
TORSOR_API void torsor_reference_destroy(torsor_reference *reference);

/** Units of the columns of a trajectory, read from its summary.json. */
typedef struct torsor_signal_unit {
  char name[128], unit[32];
} torsor_signal_unit;

typedef struct torsor_units {
  int count;
  torsor_signal_unit *signal;
} torsor_units;

/** Reads the units from a summary.json; a file without a list of signals gives an empty result. */
TORSOR_API torsor_status torsor_units_load(torsor_units *out, const char *file,
                                           torsor_error *error);
/** Unit of the column `signal`; "" when it is not known. */
TORSOR_API const char *torsor_units_find(const torsor_units *units, const char *signal);
TORSOR_API void torsor_units_destroy(torsor_units *units);

TORSOR_END_DECLS

#endif
