/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_DRIVE_KIT_H
#define TORSOR_ELEMENTS_DRIVE_KIT_H

/** Shared by the drives: one row on one joint coordinate, whose value or rate is a given function
 *  of time. */

#include "elements/relative_kit.h"

/** An instance of a drive. */
typedef struct drive {
  torsor_joint joint; /* markers of the driven joint */
  torsor_coordinate_ref on;
  torsor_function given;
  double turns; /* whole turns between the coordinate and the function at the start */
} drive;

#define DRIVE_COORDINATE                                                                           \
  {                                                                                                \
    "coordinate", TORSOR_PARAM_COORDINATE, offsetof(drive, on), NULL, NULL,                        \
        "coordinate of a joint that stands before, e.g. \"hinge.angle\"", NULL, 0                  \
  }

/** Entries common to the type tables of drives; uses `params` and `prepare` of the file. */
#define DRIVE_TABLE                                                                                \
  .abi = TORSOR_ELEMENT_ABI, .kind = TORSOR_JOINT, .size = sizeof(drive), .params = params,        \
  .tangents.has = TORSOR_HAS_K, .prepare = prepare, .eval = torsor_joint_eval,                     \
  .outputs.list = drive_outputs, .outputs.eval = drive_output

/** Declares the row; fails where the coordinate's markers have no orientation that it needs. */
torsor_status drive_prepare(drive *d, torsor_setup *setup, torsor_relative relative,
                            torsor_error *error);

/** Signal: the effort along the coordinate, minus lambda. */
extern const torsor_output drive_outputs[];
void drive_output(const void *self, const torsor_element_in *in, double *values);

#endif
