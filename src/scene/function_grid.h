/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_FUNCTION_GRID_H
#define TORSOR_SCENE_FUNCTION_GRID_H

/** Tables over two variables: z at every crossing of the lines of a grid. */

#include "scene/reader.h"

typedef struct function_grid function_grid;

/** Does {"table": [[x, y, z], ..]} stand here? */
bool function_grid_is(const json_node *node);

/** Reads {"table", "interpolation": "cubic" or "linear"}, with the rows in any order. */
torsor_status function_grid_read(function_grid **out, const reader *r, const json_node *node);
void function_grid_free(function_grid *grid);

/** A number that changes its sign at the edges of the grid, and at its lines where it is linear
 *  between them. */
double function_grid_kink(const function_grid *grid, double x, double y);

/** Value at (x, y), beyond the grid that at its nearest edge; its gradient [2] and the derivatives
 *  xx, xy, yy, both of which may be NULL. */
double function_grid_at(const function_grid *grid, double x, double y, double *first,
                        double *second);

#endif
