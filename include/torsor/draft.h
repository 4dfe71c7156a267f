/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_DRAFT_H
#define TORSOR_DRAFT_H

/** Scenes without JSON: a draft is a scene in the making, set up by calls, changed, and written as
 *  a scene file.
 *
 *  A draft is a tree of objects, as a scene file is (docs/scene.md has their keys).
 *  torsor_element_new adds bodies, joints and forces; torsor_draft_item and torsor_item_at find the
 *  objects of everything else; the functions torsor_set_.. put values into them. torsor_draft_scene
 *  reads the tree with the reader of scene files: defaults, checks and messages are the same.
 *
 *  A value that is refused is left out, and the first error is kept: torsor_draft_scene and
 *  torsor_draft_text return it, so that a program may check once, at the end.  Functions that
 *  return an item return NULL where they fail, and setters of the item NULL do nothing but return
 *  TORSOR_ARGUMENT.
 *
 *  A setter puts a value at a key of an object, in place of the one that was there.  At once is
 *  checked that the key is known, that numbers are finite and texts UTF-8, and of elements that the
 *  value is one that the parameter takes.  What depends on other values (names, expressions, what
 *  is missing) is checked by torsor_draft_scene.
 *
 *  A parameter takes (`torsor describe TYPE` says of what kind it is):
 *
 *  | kind                              | setters                                                |
 *  |-----------------------------------|--------------------------------------------------------|
 *  | number, whole number              | number, text (an expression)                           |
 *  | true or false                     | bool                                                   |
 *  | word, group, coordinate, chain    | text                                                   |
 *  | vector, direction                 | vector, json (with expressions)                        |
 *  | inertia                           | vector (of the diagonal), matrix (3 x 3)               |
 *  | orientation                       | rotation, json                                         |
 *  | angular velocity                  | vector (body axes), json                               |
 *  | marker                            | text (a body or "ground"), marker, marker_frame        |
 *  | 6x6 matrix                        | matrix                                                 |
 *  | matrix                            | matrix, text (the name of a file)                      |
 *  | list of numbers                   | numbers                                                |
 *  | curve, frames                     | matrix (n x 3), json                                   |
 *  | section, table of sections        | text (its name), torsor_item_at and its own keys, json |
 *  | function, control, profile        | number, text (a name or an expression), table          |
 *  | function                          | callback                                               |
 *  | characteristic                    | text (a name or an expression), table, callback        |
 *  | callback                          | callback, text (its name)                              |
 *
 *  TORSOR_SCENE: the value or the key is refused.  TORSOR_ARGUMENT: NULL, a negative count, an item
 *  of no use.  TORSOR_MEMORY.
 *
 *  One thread at a time uses a draft. */

#include <torsor/scene.h>

TORSOR_BEGIN_DECLS

typedef struct torsor_draft torsor_draft;

/** An object of a draft, which owns it: the scene itself, an element, "simulation", a marker ... It
 *  is of no use any more (TORSOR_ARGUMENT) once the value that it stands for was replaced or
 *  removed. */
typedef struct torsor_item torsor_item;

/** A draft without elements.  The registry must outlive it and its scenes.  TORSOR_MEMORY. */
TORSOR_API torsor_status torsor_draft_create(torsor_draft **out, const torsor_registry *registry,
                                             torsor_error *error);
/** A draft of a scene that exists, to change it; the scene may go.  Included files and matrices
 *  from other files are part of the draft, comments are kept.  TORSOR_MEMORY. */
TORSOR_API torsor_status torsor_draft_open(torsor_draft **out, const torsor_scene *scene,
                                           torsor_error *error);
/** Also destroys its items; NULL is fine.  Scenes made from it stay. */
TORSOR_API void torsor_draft_destroy(torsor_draft *draft);

/** Add an element of the type called `type`; its name is made of letters, digits, _ and -. NULL
 *  when there is no such type or the name is none. */
TORSOR_API torsor_item *torsor_element_new(torsor_draft *draft, const char *type, const char *name);

/** The element called `name`, as it is written ("link${i}" of repeated ones).  NULL and an error
 *  when there is none. */
TORSOR_API torsor_item *torsor_draft_find(torsor_draft *draft, const char *name);

/** An object of the scene, made where it is missing: "simulation", "parameters", "inputs",
 *  "functions", "sections", "output", "statics", "linear", "periodic", "ground"; "scene" is the
 * scene itself, with "gravity", "title" and so on. */
TORSOR_API torsor_item *torsor_draft_item(torsor_draft *draft, const char *key);

/** The object at `key` of another one, made where it is missing: torsor_item_at(beam,
 *  "section"). */
TORSOR_API torsor_item *torsor_item_at(torsor_item *item, const char *key);

/* ---- setters, see above ------------------------------------------------------------------- */

/** A number, in the units of the parameter; whole numbers, too.  NaN and infinity are refused. */
TORSOR_API torsor_status torsor_set_number(torsor_item *item, const char *key, double value);
TORSOR_API torsor_status torsor_set_bool(torsor_item *item, const char *key, bool value);
/** A word, a name, or an expression such as "2*m". */
TORSOR_API torsor_status torsor_set_text(torsor_item *item, const char *key, const char *value);
/** Three numbers. */
TORSOR_API torsor_status torsor_set_vector(torsor_item *item, const char *key, v3 value);
/** value [count]; count may be 0. */
TORSOR_API torsor_status torsor_set_numbers(torsor_item *item, const char *key, const double *value,
                                            int count);
/** value [rows x columns], by rows.  Where a curve is wanted, these are its points, in m. */
TORSOR_API torsor_status torsor_set_matrix(torsor_item *item, const char *key, const double *value,
                                           int rows, int columns);
/** value [count], as of output.signals; count may be 0. */
TORSOR_API torsor_status torsor_set_texts(torsor_item *item, const char *key,
                                          const char *const *value, int count);
/** A rotation from the axes of the body, marker or frame to those around it. */
TORSOR_API torsor_status torsor_set_rotation(torsor_item *item, const char *key, so3 value);
/** A point of the body called `body`, or of "ground"; position in its frame, m. */
TORSOR_API torsor_status torsor_set_marker(torsor_item *item, const char *key, const char *body,
                                           v3 position);
/** Sets a marker with axes of its own: orientation from marker to body. */
TORSOR_API torsor_status torsor_set_marker_frame(torsor_item *item, const char *key,
                                                 const char *body, v3 position, so3 orientation);
/** A function through the points x [count] (ascending), y [count]. torsor_item_at(item, key) then
 *  has "interpolation". */
TORSOR_API torsor_status torsor_set_table(torsor_item *item, const char *key, const double *x,
                                          const double *y, int count);
/** The name of a callback that is bound to the registry (torsor_registry_bind), for a parameter
 * that is one, a function of time or a characteristic. */
TORSOR_API torsor_status torsor_set_callback(torsor_item *item, const char *key, const char *name);

/** Anything else, as JSON: "[{\"name\": \"hit\", \"when\": \"ball.position.z\"}]". */
TORSOR_API torsor_status torsor_set_json(torsor_item *item, const char *key, const char *text);
/** Remove a value: the default counts again.  TORSOR_OK where there is none. */
TORSOR_API torsor_status torsor_unset(torsor_item *item, const char *key);

/** The first error since the draft was made or since torsor_draft_clear_error, which belongs to the
 *  draft; NULL = none.  It has the name of the element and the path of the value
 *  ("joints[0].axis"); file is "", line and column are 0. */
TORSOR_API const torsor_error *torsor_draft_error(const torsor_draft *draft);
/** Forget it, having seen to it. */
TORSOR_API void torsor_draft_clear_error(torsor_draft *draft);

/** Check all of the draft and make a scene of it, which does not depend on the draft any more; its
 *  name and file are "".  Files that the draft names (matrices, "include") are looked for in the
 *  current folder.  The first error of the draft, or TORSOR_SCENE as for a scene file, with element
 *  and path. */
TORSOR_API torsor_status torsor_draft_scene(torsor_scene **out, const torsor_draft *draft,
                                            torsor_error *error);

/** Text of a scene file, indented, whether or not it is complete; free with torsor_text_free.
 *  Numbers are written with as many digits as it takes to read the same ones again:
 *  torsor_scene_parse makes a scene of the same hash.  The first error of the draft,
 *  TORSOR_MEMORY. */
TORSOR_API torsor_status torsor_draft_text(char **out, const torsor_draft *draft,
                                           torsor_error *error);

TORSOR_END_DECLS

#endif
