/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/result.h>

#include <math.h>

#include "base/text.h"
#include "results/settings.h"

const char *torsor_orbit_word(torsor_orbit_kind kind) {
  static const char *const words[] = {"stable", "fold", "flip", "quasi-periodic", "neutral"};
  return words[kind];
}

torsor_status torsor_multipliers_csv_text(char **out, const torsor_periodic *p,
                                          torsor_error *error) {
  text t = {0};
  text_append(&t, "index,re,im,magnitude,exponent_re,exponent_im,trivial\n");
  for (int i = 0; i < p->count; ++i) {
    const double re = p->multiplier_re[i], im = p->multiplier_im[i];
    text_printf(&t, "%d,%.17g,%.17g,%.17g,%.17g,%.17g,%d\n", i + 1, re, im, hypot(re, im),
                log(hypot(re, im)) / p->period, atan2(im, re) / p->period, i == p->trivial);
  }
  return text_finish(out, &t, error);
}

static void add_string(text *t, const char *key, const char *value) {
  text_printf(t, "  \"%s\": ", key);
  text_json_string(t, value);
  text_append(t, ",\n");
}

static void add_number(text *t, const char *key, double value) {
  text_printf(t, "  \"%s\": ", key);
  text_json_number(t, value);
  text_append(t, ",\n");
}

static void add_numbers(text *t, const char *key, const double *value, int count) {
  text_printf(t, "  \"%s\": [", key);
  for (int i = 0; i < count; ++i) {
    text_append(t, i ? ", " : "");
    text_json_number(t, value[i]);
  }
  text_append(t, "]");
}

torsor_status torsor_periodic_summary_text(char **out, const torsor_periodic *p,
                                           const torsor_result_info *info, torsor_error *error) {
  text t = {0};
  text_append(&t, "{\n");
  add_string(&t, "status", torsor_status_name(TORSOR_OK));
  add_string(&t, "version", torsor_version());
  add_string(&t, "scene", info->scene);
  add_string(&t, "title", info->title ? info->title : "");
  add_string(&t, "scene_hash", info->hash);
  add_string(&t, "analysis", "periodic");
  add_string(&t, "kind", torsor_orbit_word(p->kind));
  add_number(&t, "period", p->period);
  add_number(&t, "gap", p->gap);
  text_printf(&t, "  \"iterations\": %d,\n  \"multipliers\": [", p->iterations);
  for (int i = 0; i < p->count; ++i) {
    text_append(&t, i ? ", [" : "[");
    text_json_number(&t, p->multiplier_re[i]);
    text_append(&t, ", ");
    text_json_number(&t, p->multiplier_im[i]);
    text_append(&t, "]");
  }
  text_append(&t, "],\n");
  settings_add_warnings(&t, info);
  add_numbers(&t, "q", p->q, p->nq);
  text_append(&t, ",\n");
  add_numbers(&t, "v", p->v, p->nv);
  text_append(&t, "\n}\n");
  return text_finish(out, &t, error);
}
