/* SPDX-License-Identifier: GPL-3.0-or-later */
/** A plug-in joint without second derivatives: a bead on a helical wire.
 *
 *  The wire winds about the z axis of marker a, begins at (r, 0, 0) and rises by k a radian.
 *  Turned back by the angle z/k of its height, the bead (the origin p = (x, y, z) of marker b)
 *  is at (r, 0), so that
 *
 *      phi = (c x + s y - r,  -s x + c y)  [2] m,    c = cos(z/k), s = sin(z/k)
 *
 *  vanishes.  The gradient is easy, the second derivatives are tiresome: the kit takes them by
 *  central differences of J over the six relative directions.  They are good to about 1e-10, which
 *  neither the Newton iteration nor the initial accelerations notice. */
#include <math.h>

#include <torsor/joint.h>

#define TWO_PI 6.283185307179586

typedef struct helix {
  torsor_joint joint;
  double radius, pitch; /* m, m a turn */
} helix;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(helix, 0),
    {"radius", TORSOR_PARAM_NUMBER, offsetof(helix, radius), "m", NULL, "radius of the wire", NULL,
     TORSOR_POSITIVE},
    {"pitch", TORSOR_PARAM_NUMBER, offsetof(helix, pitch), "m", NULL, "rise of the wire per turn",
     NULL, TORSOR_POSITIVE},
    {0},
};

/* A row that depends on p alone: J = [(grad phi)^T R, 0], since D p[e] = R u. */
static void put_row(torsor_relative_out *out, int row, double phi, v3 gradient,
                    const torsor_relative_in *in) {
  out->phi[row] = phi;
  tw_store(out->J[row], (twist){.lin = m3_tmulv(in->R, gradient)});
}

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const helix *data = self;
  const double k = data->pitch / TWO_PI;
  const double c = cos(in->p.z / k), s = sin(in->p.z / k);
  const double along = c * in->p.x + s * in->p.y, across = c * in->p.y - s * in->p.x;
  put_row(out, 0, along - data->radius, (v3){c, s, across / k}, in);
  put_row(out, 1, across, (v3){-s, c, -along / k}, in);
  return TORSOR_OK;
}

/* Length of the wire below the bead: a rise of z takes z hypot(r, k)/k of it. */
static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  (void)index;
  const helix *data = self;
  const double k = data->pitch / TWO_PI, slant = hypot(data->radius, k) / k;
  torsor_coordinate_along(out, (v3){0, 0, 1}, in);
  out->value *= slant;
  for (int i = 0; i < 6; ++i) out->J[i] *= slant;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  helix *data = self;
  const bool numeric = true; /* `relative` leaves KL and Z to the kit */
  data->joint.coordinates = 1;
  data->joint.coordinate = coordinate;
  return torsor_joint_prepare(&data->joint, setup, 2, relative, numeric, error);
}

static const torsor_coordinate coordinates[] = {{"travel", "speed", "m", 0}, {0}};

static const torsor_element_type joint_helix = {
    TORSOR_JOINT_TABLE(helix),
    .name = "helix",
    .title = "bead on a helical wire: sliding along it and all rotations are free",
    .doc =
        "phi = (c x + s y - r, -s x + c y) [2] (m), c = cos(z/k), s = sin(z/k), k = pitch/(2 pi),\n"
        "for the position (x, y, z) of marker b in a.  lambda (N).\n"
        "Coordinate: travel (m) along the wire from (r, 0, 0) and its speed (m/s).",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"bead\", \"type\": \"point_mass\","
               " \"mass\": 0.1, \"position\": [0.5, 0, 0]}], \"joints\": [{\"name\": \"wire\","
               " \"type\": \"helix\", \"radius\": 0.5, \"pitch\": 2, \"a\": \"ground\","
               " \"b\": \"bead\"}]}",
    .coordinates.list = coordinates,
};

TORSOR_PLUGIN_TYPES(&joint_helix);
