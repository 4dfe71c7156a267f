/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_ROLLING_KIT_H
#define TORSOR_ELEMENTS_ROLLING_KIT_H

/** Functions common to bodies that roll on a plane of marker a. */

#include "elements/relative_kit.h"

static const torsor_output rolling_outputs[] = {
    {"force", "N", "force on b at its marker, inertial axes", 3},
    {"moment", "N m", "moment on b about its marker, inertial axes", 3},
    {"contact", "m", "point of contact, inertial axes", 3},
    {"normal_force", "N", "push of the plane on b; negative where rolling would need a pull", 1},
    {"friction_force", "N", "force of the plane on b along the plane, inertial axes", 3},
    {"friction_needed", "",
     "coefficient of friction that rolling needs: |friction_force| / normal_force", 1},
    {0}};

/** Values of rolling_outputs; normal (in the axes of a), arm from marker b to the contact (in the
 *  axes of b). */
static inline void rolling_output(double *values, const torsor_joint *joint,
                                  const torsor_element_in *in, v3 normal, v3 arm) {
  torsor_relative_in relative;
  torsor_joint_relative(joint, in, &relative);
  torsor_joint_output(joint, in, values);
  const m3 R = relative_axes_b(joint, in); /* b to inertial axes */
  const torsor_motion *node = joint->side_b < 0 ? NULL : in->node[joint->side_b];
  const v3 origin = node ? v3_add(node->x, m3_mulv(node->R, joint->b.x)) : joint->b.x0;
  const v3 up = m3_mulv(R, m3_tmulv(relative.R, normal));
  const v3 force = v3_load(values);
  const double push = v3_dot(up, force);
  const v3 friction = v3_axpy(-push, up, force);
  v3_store(values + 6, v3_add(origin, m3_mulv(R, arm)));
  values[9] = push;
  v3_store(values + 10, friction);
  values[13] = fabs(push) > 0 ? v3_norm(friction) / push : 0;
}

/** Entries common to the type tables of rolling joints; uses `params`, `prepare` and `output` of
 *  the file. */
#define ROLLING_TABLE(type)                                                                        \
  .abi = TORSOR_ELEMENT_ABI, .kind = TORSOR_JOINT, .size = sizeof(type), .params = params,         \
  .tangents.has = TORSOR_HAS_K, .prepare = prepare, .eval = torsor_joint_eval,                     \
  .outputs.list = rolling_outputs, .outputs.eval = output

#endif
