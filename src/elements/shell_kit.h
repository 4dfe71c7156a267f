/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SHELL_KIT_H
#define TORSOR_ELEMENTS_SHELL_KIT_H

/** Shared by the bodies of shells: parameters of the material and of the motion. */

#include "elements/beam.h"
#include "elements/shell.h"

typedef struct shell_common {
  double thickness, E, nu, density, offset;
  torsor_layers layers;
  int inertia;
  v3 velocity;
  torsor_angular_velocity angular_velocity;
  torsor_group group;
} shell_common;

extern const char *const shell_inertias[];

/** Rows of the table of parameters. */
#define SHELL_PARAMS(type, common)                                                                 \
  {"thickness", TORSOR_PARAM_NUMBER, offsetof(type, common.thickness),                             \
   "m",         TORSOR_OPTIONAL,     "thickness of a homogeneous shell",                           \
   NULL,        TORSOR_POSITIVE},                                                                  \
      {"E",  TORSOR_PARAM_NUMBER, offsetof(type, common.E),                                        \
       "Pa", TORSOR_OPTIONAL,     "its Young's modulus",                                           \
       NULL, TORSOR_POSITIVE},                                                                     \
      {"nu",                                                                                       \
       TORSOR_PARAM_NUMBER,                                                                        \
       offsetof(type, common.nu),                                                                  \
       NULL,                                                                                       \
       TORSOR_OPTIONAL,                                                                            \
       "its Poisson's ratio",                                                                      \
       NULL,                                                                                       \
       0},                                                                                         \
      {"density", TORSOR_PARAM_NUMBER, offsetof(type, common.density),                             \
       "kg/m^3",  TORSOR_OPTIONAL,     "its density",                                              \
       NULL,      TORSOR_POSITIVE},                                                                \
      {"layers",                                                                                   \
       TORSOR_PARAM_LAYERS,                                                                        \
       offsetof(type, common.layers),                                                              \
       NULL,                                                                                       \
       TORSOR_OPTIONAL,                                                                            \
       "layers of a laminate in place of these, from the lowest one up: [{\"thickness\", "         \
       "\"angle\" of the fibres from x, \"E1\", \"E2\", \"nu12\", \"G12\", \"G13\", \"G23\", or "  \
       "\"E\", \"nu\", and \"density\"}, ..]",                                                     \
       NULL,                                                                                       \
       0},                                                                                         \
      {"offset",                                                                                   \
       TORSOR_PARAM_NUMBER,                                                                        \
       offsetof(type, common.offset),                                                              \
       "m",                                                                                        \
       "0",                                                                                        \
       "height of the middle of the thickness over the nodes, along the normal",                   \
       NULL,                                                                                       \
       0},                                                                                         \
      {"inertia",                                                                                  \
       TORSOR_PARAM_CHOICE,                                                                        \
       offsetof(type, common.inertia),                                                             \
       NULL,                                                                                       \
       "\"consistent\"",                                                                           \
       "of translations: along the elements, or lumped at the nodes",                              \
       shell_inertias,                                                                             \
       0},                                                                                         \
      {"velocity",                                                                                 \
       TORSOR_PARAM_VECTOR,                                                                        \
       offsetof(type, common.velocity),                                                            \
       "m/s",                                                                                      \
       TORSOR_OPTIONAL,                                                                            \
       "initial velocity at \"position\", inertial axes; the shell moves like a rigid body; "      \
       "default: follows from the joints",                                                         \
       NULL,                                                                                       \
       0},                                                                                         \
      {"angular_velocity",                                                                         \
       TORSOR_PARAM_ANGULAR_VELOCITY,                                                              \
       offsetof(type, common.angular_velocity),                                                    \
       "rad/s",                                                                                    \
       TORSOR_OPTIONAL,                                                                            \
       "initial angular velocity, axes of the surface (or {\"in\": \"inertial\", \"value\": "      \
       "[..]}); default: 0 where a velocity is given",                                             \
       NULL,                                                                                       \
       0},                                                                                         \
  {                                                                                                \
    "group", TORSOR_PARAM_GROUP, offsetof(type, common.group), NULL, TORSOR_OPTIONAL,              \
        "Lie group of the nodes; default: the scene's", NULL, 0                                    \
  }

/** Checks the material and makes its section, which lives as long as the model. */
torsor_status shell_find_section(const shell_section **out, const torsor_expansion *to,
                                 const shell_common *common, torsor_error *error);

/** A node at `frame` of a shell whose own axes have the orientation R at `origin`. */
beam_node_data shell_node(const shell_common *common, so3 R, v3 origin, se3 frame);

/** Adds the element with these nodes of the model at `frame`, and normals in their axes.  *kept are
 *  constants of the element before, which are shared where they are the same.  *fault: why there is
 *  no such element, as the end of a sentence. */
torsor_status shell_add(const shell_constants **kept, const char **fault,
                        const torsor_expansion *to, const shell_section *section,
                        const char *suffix, const int node[SHELL_NODES],
                        const se3 frame[SHELL_NODES], const v3 normal[SHELL_NODES],
                        torsor_error *error);

#endif
