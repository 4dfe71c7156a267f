/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/report_motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/result.h>

#include "cli/folder.h"
#include "cli/report_geometry.h"
#include "cli/report_series.h"
#include "cli/session.h"

/* Numbers of all frames on a page, 2 bytes each before they are packed: for the view 1,000 bodies
 * in 2,000 frames, beside it those that are only plotted, more where they were asked for.  Without
 * a view so many frames. */
enum { MOST_CODES = 14000000, PLOTTED_CODES = 8000000, CODES = 65535, PLOTTED_FRAMES = 4000 };

/* Frames being read, twice: for the ranges, then for the codes. */
typedef struct motion {
  torsor_states *states;
  long every, kept;                   /* frames 0, every, ... : so many */
  size_t nodes, vectors;              /* 0: no view */
  int *output;                        /* [vectors] indices of their x among the outputs */
  series_place *plotted;              /* [series - viewed] */
  size_t series, viewed;              /* viewed: 3 (nodes + vectors) */
  double *low, *high;                 /* [series] */
  unsigned short *codes, *quaternion; /* [series][kept], [4 nodes][kept] */
  double *last;                       /* [4 nodes] quaternions of the frame before */
} motion;

static void note(text *notices, const char *string) {
  text_append(notices, notices->length ? ", " : "");
  text_json_string(notices, string);
}

static void release(motion *m) {
  torsor_states_close(m->states);
  free(m->low);
  free(m->codes);
  free(m->output);
  free(m->plotted);
  free(m->last);
}

static torsor_status take_memory(motion *m, torsor_error *error) {
  const size_t kept = (size_t)m->kept;
  m->low = malloc(2 * m->series * sizeof *m->low);
  m->codes = malloc((m->series + 4 * m->nodes) * kept * sizeof *m->codes);
  m->last = calloc(4 * m->nodes + 1, sizeof *m->last);
  if (!m->low || !m->codes || !m->last) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  m->high = m->low + m->series;
  m->quaternion = m->codes + m->series * kept;
  return TORSOR_OK;
}

/* Series i: components of positions, then of vectors, then what is plotted. */
static series_place place_of(const motion *m, size_t i) {
  if (i >= m->viewed) return m->plotted[i - m->viewed];
  if (i < 3 * m->nodes) return (series_place){TORSOR_FIELD_POSITION, (int)i};
  const size_t k = i - 3 * m->nodes;
  return (series_place){TORSOR_FIELD_OUTPUT, m->output[k / 3] + (int)(k % 3)};
}

static double number_of(const motion *m, const torsor_frame *frame, size_t i) {
  const series_place p = place_of(m, i);
  return frame->field[p.field][p.index];
}

static torsor_status find_ranges(motion *m, torsor_error *error) {
  for (size_t i = 0; i < m->series; ++i) {
    m->low[i] = HUGE_VAL;
    m->high[i] = -HUGE_VAL;
  }
  for (long k = 0; k < m->kept; ++k) {
    const torsor_frame *frame;
    const torsor_status status = torsor_states_read(&frame, m->states, k * m->every, error);
    if (status) return status;
    for (size_t i = 0; i < m->series; ++i) {
      const double x = number_of(m, frame, i);
      m->low[i] = fmin(m->low[i], x);
      m->high[i] = fmax(m->high[i], x);
    }
  }
  return TORSOR_OK;
}

static double scale_of(const motion *m, size_t i) {
  return m->high[i] > m->low[i] ? (m->high[i] - m->low[i]) / CODES : 1;
}

static unsigned short code_of(double x) {
  return (unsigned short)fmin(fmax(round(x), 0), CODES);
}

/* q and -q are one rotation: that which is nearer to the last one changes slowly. */
static void code_quaternion(motion *m, size_t node, long k, const double *q) {
  double *last = m->last + 4 * node;
  const double dot = last[0] * q[0] + last[1] * q[1] + last[2] * q[2] + last[3] * q[3];
  for (size_t i = 0; i < 4; ++i) {
    last[i] = dot < 0 ? -q[i] : q[i];
    if (!isfinite(last[i])) last[i] = i == 0;
    m->quaternion[(4 * node + i) * (size_t)m->kept + (size_t)k] =
        code_of((last[i] + 1) * CODES / 2);
  }
}

static torsor_status find_codes(motion *m, torsor_error *error) {
  for (long k = 0; k < m->kept; ++k) {
    const torsor_frame *frame;
    const torsor_status status = torsor_states_read(&frame, m->states, k * m->every, error);
    if (status) return status;
    for (size_t i = 0; i < m->series; ++i)
      m->codes[i * (size_t)m->kept + (size_t)k] =
          code_of((number_of(m, frame, i) - m->low[i]) / scale_of(m, i));
    for (size_t node = 0; node < m->nodes; ++node)
      code_quaternion(m, node, k, frame->field[TORSOR_FIELD_QUATERNION] + 4 * node);
  }
  return TORSOR_OK;
}

static torsor_status add_time(text *list, page_data *data, const motion *m, torsor_error *error) {
  double *t = malloc((size_t)torsor_states_count(m->states) * sizeof *t);
  torsor_status status = t ? torsor_states_times(t, m->states, error)
                           : torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (!status) json_count(list, "time", page_add_exact(data, t, (size_t)m->every, (size_t)m->kept));
  free(t);
  return status;
}

static void append_names(text *list, const torsor_layout *layout) {
  json_key(list, "names");
  text_append(list, "[");
  for (int i = 0; i < layout->nodes; ++i) {
    text_append(list, i ? "," : "");
    text_json_string(list, layout->node_name[i]);
  }
  text_append(list, "]");
}

/* "pivot.force.x" is the x of the vector "force" of "pivot"; `stem` receives the length of the
 * name. */
static const char *vector_kind(size_t *stem, const char *output) {
  static const char *const kinds[] = {"force", "moment"};
  const size_t length = strlen(output);
  for (int i = 0; i < 2; ++i) {
    const size_t tail = strlen(kinds[i]) + 3;
    if (length <= tail || output[length - tail] != '.' || strcmp(output + length - 2, ".x") != 0 ||
        strncmp(output + length - tail + 1, kinds[i], tail - 3) != 0)
      continue;
    *stem = length - tail;
    return kinds[i];
  }
  return NULL;
}

static torsor_status find_vectors(motion *m, torsor_error *error) {
  const torsor_layout *layout = torsor_states_layout(m->states);
  if (!(torsor_states_fields(m->states) & 1u << TORSOR_FIELD_OUTPUT)) return TORSOR_OK;
  m->output = calloc((size_t)layout->outputs + 1, sizeof *m->output);
  if (!m->output) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  size_t stem;
  for (int i = 0; i + 2 < layout->outputs; ++i)
    if (vector_kind(&stem, layout->output_name[i])) m->output[m->vectors++] = i;
  return TORSOR_OK;
}

static void append_vectors(text *list, const motion *m, const torsor_layout *layout) {
  json_key(list, "vectors");
  text_append(list, "[");
  for (size_t i = 0; i < m->vectors; ++i) {
    size_t stem = 0;
    const char *output = layout->output_name[m->output[i]];
    const char *kind = vector_kind(&stem, output);
    char name[160];
    snprintf(name, sizeof name, "%.*s", (int)stem, output);
    text_append(list, i ? ",{" : "{");
    json_text(list, "name", name);
    json_text(list, "kind", kind);
    text_append(list, "}");
  }
  text_append(list, "]");
}

/* Codes of the series from `first` on. */
static int add_codes(page_data *data, const motion *m, size_t first, size_t count) {
  double *pairs = malloc((2 * count + 1) * sizeof *pairs);
  if (!pairs) {
    data->bytes.failed = true;
    return 0;
  }
  for (size_t i = 0; i < count; ++i) {
    pairs[2 * i] = m->low[first + i];
    pairs[2 * i + 1] = scale_of(m, first + i);
  }
  const int ranges = page_add_exact(data, pairs, 1, 2 * count);
  free(pairs);
  const size_t kept = (size_t)m->kept;
  return page_add_codes(data, m->codes + first * kept, count, kept, ranges, 0, 0);
}

/* {"names", "array"}: the series of an array as signals. */
static void append_series(text *list, page_data *data, const text *names, int array) {
  if (!names->length) return;
  text_append(list, list->length && list->data[list->length - 1] == '[' ? "{" : ",{");
  json_count(list, "names", page_add_text(data, names->data, names->length));
  json_count(list, "array", array);
  text_append(list, "}");
}

/* The names of all series: of the view, of its quaternions, of what is plotted beside. */
static void append_signals(text *list, page_data *data, const motion *m, const int array[3]) {
  const torsor_layout *layout = torsor_states_layout(m->states);
  text names[3] = {0};
  for (size_t i = 0; i < m->viewed; ++i) series_append_name(&names[0], layout, place_of(m, i));
  for (size_t i = 0; i < 4 * m->nodes; ++i)
    series_append_name(&names[1], layout, (series_place){TORSOR_FIELD_QUATERNION, (int)i});
  for (size_t i = m->viewed; i < m->series; ++i)
    series_append_name(&names[2], layout, place_of(m, i));
  json_key(list, "series");
  text_append(list, "[");
  for (int k = 0; k < 3; ++k) {
    list->failed |= names[k].failed;
    append_series(list, data, &names[k], array[k]);
    text_release(&names[k]);
  }
  text_append(list, "]");
}

static torsor_status add_frames(text *list, page_data *data, motion *m, torsor_error *error) {
  torsor_status status = take_memory(m, error);
  if (!status) status = add_time(list, data, m, error);
  if (!status) status = find_ranges(m, error);
  if (!status) status = find_codes(m, error);
  if (status) return status;
  const torsor_layout *layout = torsor_states_layout(m->states);
  int array[3] = {0};
  json_count(list, "every", m->every);
  if (m->viewed) {
    json_count(list, "position", array[0] = add_codes(data, m, 0, m->viewed));
    json_count(list, "quaternion",
               array[1] = page_add_codes(data, m->quaternion, 4 * m->nodes, (size_t)m->kept, -1, -1,
                                         2.0 / CODES));
    append_names(list, layout);
    append_vectors(list, m, layout);
  }
  if (m->series > m->viewed) array[2] = add_codes(data, m, m->viewed, m->series - m->viewed);
  append_signals(list, data, m, array);
  return TORSOR_OK;
}

/* Which frames, and of each the numbers that are plotted beside the view. */
static torsor_status choose_numbers(motion *m, text *left_out, const report_source *source,
                                    torsor_error *error) {
  const double count = (double)torsor_states_count(m->states), share = source->share;
  m->viewed = m->series = 3 * (m->nodes + m->vectors);
  const double room =
      m->viewed ? fmax(MOST_CODES / share / (double)(m->viewed + 4 * m->nodes), 2) : PLOTTED_FRAMES;
  m->every = (long)ceil(count / room);
  m->kept = ((long)count - 1) / m->every + 1;
  const double most = source->signals ? MOST_CODES : PLOTTED_CODES;
  const unsigned view = 1u << TORSOR_FIELD_POSITION | 1u << TORSOR_FIELD_QUATERNION;
  const series_request request = {.layout = torsor_states_layout(m->states),
                                  .fields = torsor_states_fields(m->states),
                                  .shown = m->viewed ? view : 0,
                                  .vector = m->output,
                                  .vectors = m->vectors,
                                  .source = source,
                                  .room = (size_t)(most / share / (double)m->kept)};
  size_t plotted = 0;
  const torsor_status status = series_choose(&m->plotted, &plotted, left_out, &request, error);
  m->series += plotted;
  return status;
}

static void tell_frames(text *notices, const motion *m, const text *left_out) {
  char words[400];
  if (m->every > 1) {
    snprintf(words, sizeof words, "%s one of every %ld frames of %ld.",
             m->viewed ? "The 3D view shows" : "Plots of states show", m->every,
             torsor_states_count(m->states));
    note(notices, words);
  }
  if (!left_out->length) return;
  snprintf(words, sizeof words,
           "Of the full states %s had no room on this page: torsor report --signals NAME,... puts "
           "in those that are named.",
           left_out->data);
  note(notices, words);
}

/* Frames where the file has some; the view where it has positions and orientations. */
static torsor_status add_states(text *list, page_data *data, text *notices, const char *file,
                                const report_source *source, torsor_error *error) {
  enum { NEEDED = 1 << TORSOR_FIELD_POSITION | 1 << TORSOR_FIELD_QUATERNION };
  motion m = {0};
  text left_out = {0};
  torsor_status status = torsor_states_open(&m.states, file, error);
  if (status) return status;
  if ((torsor_states_fields(m.states) & NEEDED) != NEEDED)
    note(notices, "state.nc holds no positions and quaternions: no 3D view.");
  else
    m.nodes = (size_t)torsor_states_layout(m.states)->nodes;
  if (torsor_states_count(m.states) > 0) {
    if (m.nodes) status = find_vectors(&m, error);
    if (!status) status = choose_numbers(&m, &left_out, source, error);
    if (!status) status = add_frames(list, data, &m, error);
    if (!status) tell_frames(notices, &m, &left_out);
  }
  text_release(&left_out);
  release(&m);
  return status;
}

static torsor_status append_model(text *out, const torsor_model *model, bool names,
                                  torsor_error *error) {
  torsor_layout layout = {0};
  json_key(out, "geometry");
  torsor_status status = report_append_geometry(out, model, error);
  if (!status && names) status = torsor_layout_create(&layout, model, 0, error);
  if (!status && names) append_names(out, &layout);
  torsor_layout_destroy(&layout);
  return status;
}

/* The model as it was run; `names`: those of its nodes, too.  A page without geometry is better
 * than none: a plug-in may be missing.  Where memory is short there is no page. */
static torsor_status add_geometry(text *list, text *notices, const char *file, bool names,
                                  const cli *common) {
  const cli plain = {.plugin = common->plugin, .plugin_count = common->plugin_count};
  torsor_error error = {0};
  session s = {0};
  const size_t before = list->length;
  torsor_status status = session_open(&s, &plain, file, &error);
  if (!status) status = append_model(list, s.model, names, &error);
  if (list->failed) status = TORSOR_MEMORY;
  if (status && status != TORSOR_MEMORY) {
    char words[640];
    snprintf(words, sizeof words, "The shapes are stand-ins, since the scene cannot be read: %s.",
             error.message);
    note(notices, words);
    list->length = before;
    list->data[before] = '\0';
  }
  session_close(&s);
  return status == TORSOR_MEMORY ? status : TORSOR_OK;
}

/* Numbers of states were asked for, and there are none. */
static torsor_status check_states(const char *states, const report_source *source,
                                  torsor_error *error) {
  if (!source->signals || file_exists(states)) return TORSOR_OK;
  char *file = NULL;
  const torsor_status status = folder_find_result(&file, source->name, "state.nc",
                                                  "torsor run SCENE --full -o FOLDER", error);
  free(file);
  return status;
}

torsor_status report_add_motion(text *list, page_data *data, text *notices,
                                const report_source *source, const cli *common,
                                torsor_error *error) {
  char *states = path_format(error, "%s/state.nc", source->name);
  char *scene = path_format(error, "%s/scene.json", source->name);
  torsor_status status = states && scene ? check_states(states, source, error) : TORSOR_MEMORY;
  if (!status) {
    json_key(list, "motion");
    text_append(list, "{");
    const bool full = file_exists(states);
    if (full) status = add_states(list, data, notices, states, source, error);
    if (!status && file_exists(scene) &&
        add_geometry(list, notices, scene, !full, common) != TORSOR_OK)
      status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
    text_append(list, "}");
  }
  free(states);
  free(scene);
  return status;
}
