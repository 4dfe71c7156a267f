/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/drive_kit.h"

torsor_status drive_prepare(drive *d, torsor_setup *setup, torsor_relative relative,
                            torsor_error *error) {
  d->joint.a = d->on.joint->a;
  d->joint.b = d->on.joint->b;
  const torsor_status status = relative_check_points(&d->on, setup->name, error);
  return status ? status : torsor_joint_prepare(&d->joint, setup, 1, relative, false, error);
}

const torsor_output drive_outputs[] = {
    {"effort", "N or N m", "force or moment that the drive applies along the coordinate", 1}, {0}};

void drive_output(const void *self, const torsor_element_in *in, double *values) {
  (void)self;
  values[0] = -in->lambda[0];
}
