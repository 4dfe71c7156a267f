/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/result.h>

#include "base/number.h"
#include "base/text.h"
#include "results/settings.h"

static const char *const directions[TORSOR_MODE_DIRECTIONS] = {
    "x", "y", "z", "rotation_x", "rotation_y", "rotation_z"};

static const char *kind_word(torsor_mode_kind kind) {
  static const char *const words[] = {"rigid", "oscillation", "real"};
  return words[kind];
}

/* ---- CSV ---------------------------------------------------------------------------------- */

torsor_status torsor_modes_csv_text(char **out, const torsor_modes *modes, torsor_error *error) {
  static const char *const groups[] = {"participation_re", "participation_im", "effective_mass"};
  text t = {0};
  text_append(&t, "index,kind,unstable,frequency_hz,damping_ratio,eigenvalue_re,eigenvalue_im");
  for (int k = 0; k < 3; ++k)
    for (int d = 0; d < TORSOR_MODE_DIRECTIONS; ++d)
      text_printf(&t, ",%s.%s", groups[k], directions[d]);
  text_append(&t, "\n");
  for (int i = 0; i < modes->count; ++i) {
    const torsor_mode *m = &modes->mode[i];
    text_printf(&t, "%d,%s,%d,%.17g,%.17g,%.17g,%.17g", i + 1, kind_word(m->kind), m->unstable,
                m->frequency_hz, m->damping_ratio, m->re, m->im);
    const double *const values[] = {m->participation_re, m->participation_im, m->effective_mass};
    for (int k = 0; k < 3; ++k)
      for (int d = 0; d < TORSOR_MODE_DIRECTIONS; ++d) text_printf(&t, ",%.17g", values[k][d]);
    text_append(&t, "\n");
  }
  return text_finish(out, &t, error);
}

/* Fields of a row, each with the comma before it. */
static void add_fields(text *t, const double *values, int count) {
  char field[NUMBER_ROOM + 1] = ",";
  for (int i = 0; i < count; ++i)
    text_append_bytes(t, field, (size_t)(number_write(field + 1, values[i]) - field));
}

static void add_vector(text *t, v3 x) {
  add_fields(t, (double[]){x.x, x.y, x.z}, 3);
}

torsor_status torsor_mode_shape_text(char **out, const torsor_modes *modes, int i,
                                     torsor_error *error) {
  static const char *const groups[] = {"position", "translation_re", "translation_im",
                                       "rotation_re", "rotation_im"};
  text t = {0};
  text_append(&t, "node");
  for (int k = 0; k < 5; ++k) {
    text_printf(&t, ",%s.x,%s.y,%s.z", groups[k], groups[k], groups[k]);
    if (!k) text_append(&t, ",quaternion.w,quaternion.x,quaternion.y,quaternion.z");
  }
  text_append(&t, "\n");
  for (int n = 0; n < modes->nodes; ++n) {
    const torsor_mode_node *node = &modes->node[n];
    const torsor_mode_amplitude *a =
        &modes->amplitude[(size_t)i * (size_t)modes->nodes + (size_t)n];
    text_append(&t, node->body);
    add_vector(&t, node->x);
    add_fields(&t, (double[]){node->R.w, node->R.x, node->R.y, node->R.z}, 4);
    add_vector(&t, a->translation_re);
    add_vector(&t, a->translation_im);
    add_vector(&t, a->rotation_re);
    add_vector(&t, a->rotation_im);
    text_append(&t, "\n");
  }
  return text_finish(out, &t, error);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void add_number(text *t, const char *key, double value) {
  text_printf(t, ", \"%s\": ", key);
  text_json_number(t, value);
}

static void add_numbers(text *t, const char *key, const double *values, int count) {
  text_printf(t, ", \"%s\": [", key);
  for (int i = 0; i < count; ++i) {
    text_append(t, i ? ", " : "");
    text_json_number(t, values[i]);
  }
  text_append(t, "]");
}

static void add_modes(text *t, const torsor_modes *modes) {
  text_append(t, "[");
  for (int i = 0; i < modes->count; ++i) {
    const torsor_mode *m = &modes->mode[i];
    text_printf(t, "%s{\"index\": %d, \"kind\": \"%s\", \"unstable\": %s", i ? ",\n " : "", i + 1,
                kind_word(m->kind), m->unstable ? "true" : "false");
    add_number(t, "frequency_hz", m->frequency_hz);
    add_number(t, "damping_ratio", m->damping_ratio);
    add_numbers(t, "eigenvalue", (double[]){m->re, m->im}, 2);
    add_numbers(t, "participation_re", m->participation_re, TORSOR_MODE_DIRECTIONS);
    add_numbers(t, "participation_im", m->participation_im, TORSOR_MODE_DIRECTIONS);
    add_numbers(t, "effective_mass", m->effective_mass, TORSOR_MODE_DIRECTIONS);
    text_append(t, "}");
  }
  text_append(t, "]");
}

torsor_status torsor_modes_json_text(char **out, const torsor_modes *modes, torsor_error *error) {
  text t = {0};
  add_modes(&t, modes);
  text_append(&t, "\n");
  return text_finish(out, &t, error);
}

static void add_string(text *t, const char *key, const char *value) {
  text_printf(t, "  \"%s\": ", key);
  if (value)
    text_json_string(t, value);
  else
    text_append(t, "null");
  text_append(t, ",\n");
}

static void add_frame(text *t, const torsor_modes *modes) {
  text_append(t, "  \"frame\": ");
  if (!modes->moves) {
    text_append(t, "null,\n");
    return;
  }
  text_append(t, "{\"body\": ");
  if (modes->frame_body)
    text_json_string(t, modes->frame_body);
  else
    text_append(t, "null");
  const twist v = modes->frame;
  add_numbers(t, "velocity", (double[]){v.lin.x, v.lin.y, v.lin.z}, 3);
  add_numbers(t, "angular_velocity", (double[]){v.ang.x, v.ang.y, v.ang.z}, 3);
  text_append(t, "},\n");
}

torsor_status torsor_modes_summary_text(char **out, const torsor_modes *modes,
                                        const torsor_modes_settings *settings,
                                        const torsor_result_info *info, torsor_error *error) {
  static const char *const about[] = {"initial", "equilibrium", "steady"};
  text t = {0};
  text_append(&t, "{\n");
  add_string(&t, "status", torsor_status_name(TORSOR_OK));
  add_string(&t, "message", info->message ? info->message : torsor_status_text(TORSOR_OK));
  add_string(&t, "version", torsor_version());
  add_string(&t, "scene", info->scene);
  add_string(&t, "title", info->title);
  add_string(&t, "scene_hash", info->hash);
  add_string(&t, "analysis", "modes");
  add_string(&t, "about", about[settings->about]);
  add_string(&t, "solver", modes->dense ? "dense" : "sparse");
  add_string(&t, "normalisation", "phi^H M phi = 1, the largest component real and positive");
  text_printf(&t, "  \"undamped\": %s,\n", modes->undamped ? "true" : "false");
  settings_add_warnings(&t, info);
  add_frame(&t, modes);
  text_printf(&t, "  \"velocities\": %d,\n  \"constraints\": %d,\n  \"zero_eigenvalues\": %d,\n",
              modes->velocities, modes->constraints, modes->zeros);
  text_append(&t, "  \"imbalance\": ");
  text_json_number(&t, modes->imbalance);
  add_numbers(&t, "mass", modes->mass, TORSOR_MODE_DIRECTIONS);
  add_numbers(&t, "centre", (double[]){modes->centre.x, modes->centre.y, modes->centre.z}, 3);
  text_append(&t, ",\n  \"modes\": ");
  add_modes(&t, modes);
  text_append(&t, "\n}\n");
  return text_finish(out, &t, error);
}
