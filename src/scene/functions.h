/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_FUNCTIONS_H
#define TORSOR_SCENE_FUNCTIONS_H

#include <torsor/model.h>

#include "scene/blocks.h"
#include "scene/inputs.h"
#include "scene/reader.h"

/** Functions of time: those under "functions", by name, and those written where they are used.
 *  Owns what they, characteristics and controls need, until it is destroyed.  Evaluation allocates
 *  nothing and takes no lock. */
typedef struct function_list function_list;

/** Read the object "functions", whose expressions may use inputs, into a new list; it may be
 *  missing. */
torsor_status functions_read(function_list **out, const scene_inputs *inputs,
                             const torsor_registry *registry, const reader *r,
                             const json_node *object);
void functions_destroy(function_list *list);

/** The functions as expressions may call them, for as long as the list lives. */
const expression_functions *functions_called(const function_list *list);

/** Blocks of controllers, which functions of forces and events may read by their names. */
void functions_set_blocks(function_list *list, const scene_blocks *blocks);

/** Does one of the functions have a callback that only one thread at a time may call? */
bool functions_want_one_thread(const function_list *list);

/** Does one of the functions read the load? */
bool functions_follow_load(const function_list *list);

/** A number, the name of a function of `list`, an expression in t, {"value", "rate", "second"} or
 *  {"table", "interpolation"}. */
torsor_status function_read(torsor_function *out, function_list *list, const reader *r,
                            const json_node *node);

/** An expression in `variable`, the name of a table of `list`, {"value", "slope", "integral"} or
 *  {"table", "interpolation"}. */
torsor_status characteristic_read(torsor_characteristic *out, function_list *list,
                                  const char *variable, const reader *r, const json_node *node);

/** A number, an expression in s and t, the name of a table of `list` or {"table", "interpolation"}
 *  over s. */
torsor_status profile_read(torsor_profile *out, function_list *list, const reader *r,
                           const json_node *node);

/** Reads a matrix, a list of rows; file names have been replaced by rows before. */
torsor_status matrix_read(torsor_matrix *out, function_list *list, const reader *r,
                          const json_node *node);

/** Reads a list of positions or frames {"position", "orientation"}. */
torsor_status frames_read(torsor_frames *out, function_list *list, const reader *r,
                          const json_node *node);

/** {"points", "closed"}. */
torsor_status curve_read(torsor_curve *out, function_list *list, const reader *r,
                         const json_node *node);

/** Reads a control: anything that function_read accepts, or an expression in t and in joint
 *  coordinates of `builder`. */
torsor_status control_read_words(torsor_control *out, function_list *list,
                                 const torsor_builder *builder, const reader *r,
                                 const json_node *node, const char *words);
torsor_status control_read(torsor_control *out, function_list *list, const torsor_builder *builder,
                           const reader *r, const json_node *node);

#endif
