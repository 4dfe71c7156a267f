/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/joint.h>

enum { FORM_LENGTH, FORM_SQUARED };

typedef struct joint_distance_data {
  torsor_joint joint;
  double length;
  int form;
} joint_distance_data;

static const char *const forms[] = {"length", "squared", NULL};

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_distance_data, 0),
    {"length", TORSOR_PARAM_NUMBER, offsetof(joint_distance_data, length), "m", TORSOR_OPTIONAL,
     "distance between the markers; default: the distance at the start", NULL, TORSOR_POSITIVE},
    {"form", TORSOR_PARAM_CHOICE, offsetof(joint_distance_data, form), NULL, "\"length\"",
     "\"length\": phi = |p| - L; \"squared\": phi = (|p|^2 - L^2)/2, which scales the multiplier",
     forms, 0},
    {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_distance_data *data = self;
  const bool squared = data->form == FORM_SQUARED;
  const double d = v3_norm(in->p);
  if (d <= 0 && !squared) return TORSOR_DOMAIN;
  const double scale = squared ? 1 : 1 / d;
  out->phi[0] = squared ? (d - data->length) * (d + data->length) / 2 : d - data->length;
  const v3 c = m3_tmulv(in->R, v3_scale(in->p, scale)); /* gradient in the axes of b */
  tw_store(out->J[0], (twist){.lin = c});
  if (!out->second) return TORSOR_OK;
  /* D(R^T p)[e] = u + skew(R^T p) theta; the unit vector keeps only what is across it. */
  m3 second = m3_scale(m3_identity(), scale);
  if (!squared) second = m3_sub(second, m3_scale(m3_outer(c, c), scale));
  torsor_relative_add(out->KL, 0, 0, m3_scale(second, in->lambda[0]));
  torsor_relative_add(out->KL, 0, 3, m3_scale(m3_skew(c), in->lambda[0]));
  tw_store(out->Z[0], (twist){.lin = m3_mulv(second, in->V.lin), .ang = v3_cross(in->V.lin, c)});
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_distance_data *data = self;
  if (torsor_absent_number(data->length)) {
    data->length = v3_norm(v3_sub(data->joint.b.x0, data->joint.a.x0));
    if (data->length <= 0) {
      torsor_fail(error, TORSOR_SCENE, "the markers of \"%s\" coincide: the distance would be 0",
                  setup->name);
      torsor_hint(error, "use a spherical joint, which keeps two points together");
      return TORSOR_SCENE;
    }
  }
  const torsor_status status = torsor_joint_prepare(&data->joint, setup, 1, relative, false, error);
  setup->length = fmax(setup->length, data->length);
  return status;
}

const torsor_element_type joint_distance = {
    TORSOR_JOINT_TABLE(joint_distance_data),
    .name = "distance",
    .title = "massless rod: two points keep their distance",
    .doc = "form \"length\": phi = |p| - L (m), lambda = tension of the rod (N).\n"
           "form \"squared\": phi = (|p|^2 - L^2)/2 (m^2), lambda = tension / L (N/m), as in S4\n"
           "example 1.  \"length\" fails where the markers meet.",
    .example = "{\"torsor\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{\"name\": \"bob\","
               " \"type\": \"point_mass\", \"mass\": 1, \"position\": [0.6, -0.8, 0]}],"
               " \"joints\": [{\"name\": \"rod\", \"type\": \"distance\", \"a\": \"ground\","
               " \"b\": \"bob\", \"length\": 1, \"form\": \"squared\"}]}",
    .limits.range = "markers that do not meet, as the rod has no direction then",
    .limits.advice = "use \"form\": \"squared\", which is defined there, or a spherical joint, "
                     "which keeps points together",
    .look.symbol = TORSOR_SYMBOL_ROD,
};
