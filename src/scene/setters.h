/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SETTERS_H
#define TORSOR_SCENE_SETTERS_H

#include <torsor/element.h>

/** Names of the functions of torsor/draft.h that set a parameter of this kind. */
const char *setters_of(torsor_param_kind kind);

/** Add the calls that a C program would make to the hint of an error that speaks of JSON, if the
 *  error is of a scene that was made without a file. */
void setters_hint(torsor_error *error, const char *calls);

#endif
