/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_FRAME_H
#define TORSOR_FRAME_H

/** Full states: all quantities of a model at one time, and their names. */

#include <torsor/model.h>

TORSOR_BEGIN_DECLS

/** The arrays of a full state, row by row.  Velocities and accelerations are those of the origin of
 *  a node's frame, angular ones of its axes. */
typedef enum torsor_field {
  TORSOR_FIELD_POSITION,             /* [nodes x 3] inertial axes, m */
  TORSOR_FIELD_QUATERNION,           /* [nodes x 4] w x y z: axes of the node to inertial ones */
  TORSOR_FIELD_VELOCITY,             /* [nodes x 3] inertial axes, m/s */
  TORSOR_FIELD_ANGULAR_VELOCITY,     /* [nodes x 3] axes of the node, rad/s */
  TORSOR_FIELD_ACCELERATION,         /* [nodes x 3] inertial axes, m/s^2 */
  TORSOR_FIELD_ANGULAR_ACCELERATION, /* [nodes x 3] axes of the node, rad/s^2 */
  TORSOR_FIELD_MULTIPLIER,           /* [rows] of the constraints */
  TORSOR_FIELD_COORDINATE,           /* [coordinates] of joints, turns counted */
  TORSOR_FIELD_RATE,                 /* [coordinates] */
  TORSOR_FIELD_OUTPUT,           /* [outputs] of elements: forces of joints and of sections, ... */
  TORSOR_FIELD_ENERGY,           /* [4] kinetic, potential, elastic, their sum, J */
  TORSOR_FIELD_MOMENTUM,         /* [3] inertial axes, kg m/s */
  TORSOR_FIELD_ANGULAR_MOMENTUM, /* [3] inertial axes, about the origin, kg m^2/s */
  TORSOR_FIELD_RESIDUAL,         /* [rows] phi */
  TORSOR_FIELD_RESIDUAL_RATE,    /* [rows] its rate, of nonholonomic rows k */
  TORSOR_FIELD_STRESS,           /* [stresses] at points of sections, Pa */
  TORSOR_FIELDS
} torsor_field;

/** Sets of fields have the bit 1 << field.  The usual ones are all but residuals and stresses. */
enum {
  TORSOR_FIELDS_ALL = (1 << TORSOR_FIELDS) - 1,
  TORSOR_FIELDS_USUAL =
      TORSOR_FIELDS_ALL &
      ~(1 << TORSOR_FIELD_RESIDUAL | 1 << TORSOR_FIELD_RESIDUAL_RATE | 1 << TORSOR_FIELD_STRESS)
};

/** Word of a field, as "channels" of a scene and the variables of state.nc have it: "position". */
TORSOR_API const char *torsor_field_name(torsor_field field);

/** Names of the numbers of a full state and the elements that they belong to.  Arrays with a count
 *  of 0 must not be read. */
typedef struct torsor_layout {
  int elements, nodes, rows, coordinates, outputs, stresses;
  const char **element_name, **element_type; /* [elements] those of the model, in its order */
  const char **node_name;                    /* [nodes] "link3"; further nodes of an element
                                              * "hub.node[1]" */
  int *node_element;                         /* the body that made it */
  int *node_group;                           /* torsor_group; of R3: without orientation */
  int *node_abstract;                        /* 1: no position, e.g. modal coordinates */
  const char **row_name;                     /* [rows] "pivot.lambda.0" */
  int *row_element;
  const char **coordinate_name, **rate_name, **coordinate_unit; /* [coordinates] "hinge.angle" */
  int *coordinate_element;
  const char **output_name, **output_unit; /* [outputs] "wing.section_force[3].x" */
  int *output_element;
  const char **stress_name, **stress_unit; /* [stresses] "wing.stress[3].top.axial" */
  int *stress_element;
  void *memory; /* internal: owns the arrays */
} torsor_layout;

/** Layout of a model, which need not outlive it.  Stresses, of which there are many, are in it only
 *  where `fields` has them.  Destroy with torsor_layout_destroy. */
TORSOR_API torsor_status torsor_layout_create(torsor_layout *out, const torsor_model *model,
                                              unsigned fields, torsor_error *error);
TORSOR_API void torsor_layout_destroy(torsor_layout *layout);

/** Length of a field: 0 when the model has none. */
TORSOR_API size_t torsor_layout_length(const torsor_layout *layout, torsor_field field);

/** A full state. */
typedef struct torsor_frame {
  /** [size] the time in s (statics: the load), then the fields, one after the other. */
  double *value;
  size_t size;
  double *field[TORSOR_FIELDS]; /* into `value`; NULL: it is not there */
} torsor_frame;

/** Length of a frame with these fields. */
TORSOR_API size_t torsor_frame_size(const torsor_layout *layout, unsigned fields);
/** Sets the field pointers of a frame to their parts of `value` [torsor_frame_size]. */
TORSOR_API void torsor_frame_lay(torsor_frame *out, const torsor_layout *layout, unsigned fields,
                                 double *value);

/** Selection of the full states that an analysis records. */
typedef struct torsor_recording {
  bool full;       /* any at all */
  int every;       /* simulations: of so many rows of output one, and that at the end */
  unsigned fields; /* the recorded fields */
  double sync;     /* s: no row stays out of the files for longer */
} torsor_recording;

/** Returns the default: no full states; when they are requested, every row, the usual fields, 1
 *  s. */
TORSOR_API torsor_recording torsor_recording_default(void);

/** Returns the number of frames among `rows` rows of output. */
TORSOR_API long torsor_recording_frames(const torsor_recording *recording, long rows);

TORSOR_END_DECLS

#endif
