/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/result.h>

#include <math.h>

#include "base/text.h"
#include "results/settings.h"

static const double PI = 3.14159265358979323846;

/* ---- tables --------------------------------------------------------------------------------- */

torsor_status torsor_dense_matrix_text(char **out, const double *value, int rows, int columns,
                                       bool by_rows, const char *comment, torsor_error *error) {
  text t = {0};
  text_append(&t, "%%MatrixMarket matrix array real general\n");
  text_printf(&t, "%% %s\n%d %d\n", comment, rows, columns);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i)
      text_printf(&t, "%.17g\n", by_rows ? value[i * columns + j] : value[j * rows + i]);
  return text_finish(out, &t, error);
}

torsor_status torsor_channels_csv_text(char **out, const torsor_channel *channel, int count,
                                       torsor_error *error) {
  text t = {0};
  text_append(&t, "index,name,unit\n");
  for (int i = 0; i < count; ++i) {
    text_printf(&t, "%d,", i + 1);
    text_csv_field(&t, channel[i].name);
    text_append(&t, ",");
    text_csv_field(&t, channel[i].unit);
    text_append(&t, "\n");
  }
  return text_finish(out, &t, error);
}

torsor_status torsor_poles_csv_text(char **out, const torsor_state_space *space,
                                    torsor_error *error) {
  text t = {0};
  text_append(&t, "index,re,im,frequency_hz,damping_ratio\n");
  for (int i = 0; i < space->states; ++i) {
    const double re = space->pole_re[i], im = space->pole_im[i], size = hypot(re, im);
    text_printf(&t, "%d,%.17g,%.17g,%.17g,%.17g\n", i + 1, re, im, fabs(im) / (2 * PI),
                size > 0 ? -re / size : 0);
  }
  return text_finish(out, &t, error);
}

torsor_status torsor_response_csv_text(char **out, const torsor_linear *linear, const double *hz,
                                       const double *response, int count, torsor_error *error) {
  static const char *const parts[] = {"amplitude", "phase_deg", "re", "im"};
  int inputs, outputs;
  const torsor_channel *input = torsor_linear_inputs(linear, &inputs);
  const torsor_channel *output = torsor_linear_outputs(linear, &outputs);
  text t = {0};
  text_append(&t, "frequency_hz");
  for (int k = 0; k < outputs; ++k)
    for (int i = 0; i < inputs; ++i)
      for (int p = 0; p < 4; ++p)
        text_printf(&t, ",%s/%s.%s", output[k].name, input[i].name, parts[p]);
  text_append(&t, "\n");
  for (int w = 0; w < count; ++w) {
    text_printf(&t, "%.17g", hz[w]);
    for (int k = 0; k < outputs * inputs; ++k, response += 2)
      text_printf(&t, ",%.17g,%.17g,%.17g,%.17g", hypot(response[0], response[1]),
                  atan2(response[1], response[0]) * 180 / PI, response[0], response[1]);
    text_append(&t, "\n");
  }
  return text_finish(out, &t, error);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void add_channels(text *t, const char *key, const torsor_channel *channel, int count) {
  text_printf(t, "  \"%s\": [", key);
  for (int i = 0; i < count; ++i) {
    text_append(t, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
    text_json_string(t, channel[i].name);
    text_append(t, ", \"unit\": ");
    text_json_string(t, channel[i].unit);
    text_append(t, "}");
  }
  text_append(t, "],\n");
}

static void add_matrix(text *t, const char *key, const double *value, int rows, int columns) {
  text_printf(t, "  \"%s\": [", key);
  for (int i = 0; i < rows; ++i) {
    text_append(t, i ? ",\n    [" : "\n    [");
    for (int j = 0; j < columns; ++j) {
      text_append(t, j ? ", " : "");
      text_json_number(t, value[i * columns + j]);
    }
    text_append(t, "]");
  }
  text_append(t, "],\n");
}

static void add_pairs(text *t, const char *key, const double *re, const double *im, int count) {
  text_printf(t, "  \"%s\": [", key);
  for (int i = 0; i < count; ++i) {
    text_append(t, i ? ", [" : "[");
    text_json_number(t, re[i]);
    text_append(t, ", ");
    text_json_number(t, im[i]);
    text_append(t, "]");
  }
  text_append(t, "]");
}

static void add_space(text *t, const torsor_state_space *s) {
  text_append(t, "{\n");
  add_channels(t, "states", s->state, s->states);
  add_channels(t, "inputs", s->input, s->inputs);
  add_channels(t, "outputs", s->output, s->outputs);
  add_matrix(t, "A", s->A, s->states, s->states);
  add_matrix(t, "B", s->B, s->states, s->inputs);
  add_matrix(t, "C", s->C, s->outputs, s->states);
  add_matrix(t, "D", s->D, s->outputs, s->inputs);
  add_pairs(t, "poles", s->pole_re, s->pole_im, s->states);
  text_append(t, ",\n");
  add_pairs(t, "zeros", s->zero_re, s->zero_im, s->zeros);
}

torsor_status torsor_state_space_json_text(char **out, const torsor_state_space *s,
                                           torsor_error *error) {
  text t = {0};
  add_space(&t, s);
  text_append(&t, "\n}\n");
  return text_finish(out, &t, error);
}

torsor_status torsor_balanced_json_text(char **out, const torsor_balanced *b, double largest,
                                        torsor_error *error) {
  text t = {0};
  add_space(&t, &b->space);
  text_append(&t, ",\n  \"hankel\": [");
  for (int i = 0; i < b->values; ++i) {
    text_append(&t, i ? ", " : "");
    text_json_number(&t, b->hankel[i]);
  }
  text_printf(&t, "],\n  \"kept\": %d,\n  \"bound\": ", b->kept);
  text_json_number(&t, b->bound);
  text_append(&t, ",\n  \"largest_error\": ");
  text_json_number(&t, largest);
  text_append(&t, "\n}\n");
  return text_finish(out, &t, error);
}

static void add_string(text *t, const char *key, const char *value) {
  text_printf(t, "  \"%s\": ", key);
  text_json_string(t, value);
  text_append(t, ",\n");
}

torsor_status torsor_linear_summary_text(char **out, const torsor_linear *linear,
                                         torsor_about about, const torsor_result_info *info,
                                         torsor_error *error) {
  static const char *const abouts[] = {"initial", "equilibrium", "steady"};
  const torsor_state_space *space = torsor_linear_state_space(linear);
  const torsor_modes *system = torsor_linear_system(linear);
  int inputs, outputs;
  const torsor_channel *input = torsor_linear_inputs(linear, &inputs);
  const torsor_channel *output = torsor_linear_outputs(linear, &outputs);
  text t = {0};
  text_append(&t, "{\n");
  add_string(&t, "status", torsor_status_name(TORSOR_OK));
  add_string(&t, "version", torsor_version());
  add_string(&t, "scene", info->scene);
  add_string(&t, "title", info->title ? info->title : "");
  add_string(&t, "scene_hash", info->hash);
  add_string(&t, "analysis", "linear");
  add_string(&t, "about", abouts[about]);
  settings_add_warnings(&t, info);
  add_channels(&t, "inputs", input, inputs);
  add_channels(&t, "outputs", output, outputs);
  if (space) {
    add_channels(&t, "states", space->state, space->states);
    add_pairs(&t, "poles", space->pole_re, space->pole_im, space->states);
    text_append(&t, ",\n");
  }
  text_printf(&t, "  \"velocities\": %d,\n  \"rows\": %d\n}\n", system->velocities, system->rows);
  return text_finish(out, &t, error);
}
