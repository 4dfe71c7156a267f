/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_EXPRESSION_MESSAGES_H
#define TORSOR_SCENE_EXPRESSION_MESSAGES_H

/** Messages about wrong expressions.  All return the status, TORSOR_SCENE. */

#include "scene/expression.h"

/** "the expression .. cannot be read: `what` at character `position` + 1" */
torsor_status expression_fail_at(torsor_error *error, const char *text, const char *what,
                                 size_t position, const char *hint);

/** Nothing of the scope is called `name`. */
torsor_status expression_fail_unknown(torsor_error *error, const expression_scope *scope,
                                      const char *text, const char *name, bool called);

/** A function of the scene is called with `given` arguments. */
torsor_status expression_fail_arguments(torsor_error *error, const expression_function *f,
                                        int given);

/** The function `name` uses itself. */
torsor_status expression_fail_circle(torsor_error *error, const char *name);

/** Several values with commas between them. */
torsor_status expression_fail_values(torsor_error *error, const char *text, int values);

/** The value is not finite. */
torsor_status expression_fail_finite(torsor_error *error, const char *text, double value);

#endif
