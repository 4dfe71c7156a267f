/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SCHEMA_DEFINITIONS_H
#define TORSOR_SCENE_SCHEMA_DEFINITIONS_H

/** Definitions of the schema that do not depend on the registry, NULL-terminated. */
extern const char *const schema_definitions[];

#endif
