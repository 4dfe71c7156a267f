/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/result.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "results/append.h"
#include "results/file.h"
#include "results/netcdf.h"
#include "results/relay.h"
#include "results/settings.h"

/* Frames of at least this size are written by a separate thread, since a write by the system costs
 * a fraction of a step.  The file then belongs to the thread except during relay_wait. */
enum { RELAYED_BYTES = 1 << 14 };

struct torsor_netcdf {
  append_file file;
  relay *relay;  /* NULL: frames are short, or there is no thread */
  double *room;  /* the relay's buffer for the next frame; NULL: not requested yet */
  size_t values; /* numbers in a frame */
  off_t head;    /* bytes before the frames */
  off_t counted; /* bytes of those that the header counts */
};

/* ---- contents of the file -------------------------------------------------------------------- */

/* Dimensions by their numbers; -1: of length 0, which would be the records'. */
typedef struct axes {
  int record, element, node, row, coordinate, output, stress, energy, xyz, wxyz, name, unit;
} axes;

typedef struct plan {
  const torsor_layout *layout;
  netcdf_file file;
  axes axes;
  size_t name_length, unit_length;
  bool statics, failed;
  arena memory;
} plan;

static int add_axis(plan *p, const char *name, int length) {
  return length > 0 ? netcdf_add_dimension(&p->file, name, (size_t)length) : -1;
}

static void lengthen(size_t *length, const char *const *names, int count) {
  for (int i = 0; i < count; ++i) {
    const size_t more = strlen(names[i]);
    if (more > *length) *length = more;
  }
}

static const char *const energies[] = {"kinetic", "potential", "elastic", "total"};

static void plan_axes(plan *p) {
  const torsor_layout *l = p->layout;
  p->name_length = strlen("potential");
  p->unit_length = 1;
  lengthen(&p->name_length, l->element_name, l->elements);
  lengthen(&p->name_length, l->element_type, l->elements);
  lengthen(&p->name_length, l->node_name, l->nodes);
  lengthen(&p->name_length, l->row_name, l->rows);
  lengthen(&p->name_length, l->coordinate_name, l->coordinates);
  lengthen(&p->name_length, l->rate_name, l->coordinates);
  lengthen(&p->name_length, l->output_name, l->outputs);
  lengthen(&p->name_length, l->stress_name, l->stresses);
  lengthen(&p->unit_length, l->coordinate_unit, l->coordinates);
  lengthen(&p->unit_length, l->output_unit, l->outputs);
  lengthen(&p->unit_length, l->stress_unit, l->stresses);
  p->axes = (axes){.record = add_axis(p, p->statics ? "point" : "time", 1),
                   .element = add_axis(p, "element", l->elements),
                   .node = add_axis(p, "node", l->nodes),
                   .row = add_axis(p, "row", l->rows),
                   .coordinate = add_axis(p, "joint_coordinate", l->coordinates),
                   .output = add_axis(p, "element_output", l->outputs),
                   .stress = add_axis(p, "section_stress", l->stresses),
                   .energy = add_axis(p, "energy_part", 4),
                   .xyz = add_axis(p, "xyz", 3),
                   .wxyz = add_axis(p, "wxyz", 4),
                   .name = add_axis(p, "name_length", (int)p->name_length),
                   .unit = add_axis(p, "unit_length", (int)p->unit_length)};
}

static netcdf_variable *add_variable(plan *p, const char *name, netcdf_type type,
                                     const netcdf_attribute *attribute) {
  netcdf_variable *v = &p->file.variable[p->file.variables++];
  *v = (netcdf_variable){.name = name, .type = type, .attribute = attribute};
  return v;
}

/* Texts of the same length, filled up with zeros. */
static void add_texts(plan *p, const char *name, int axis, int length_axis, size_t length,
                      const char *const *texts, int count) {
  static const netcdf_attribute attributes[] = {{.name = "_Encoding", .text = "utf-8"}, {0}};
  if (axis < 0) return;
  netcdf_variable *v = add_variable(p, name, NETCDF_CHAR, attributes);
  char *data = arena_take(&p->memory, (size_t)count, length);
  v->axes = 2;
  v->axis[0] = axis;
  v->axis[1] = length_axis;
  v->data = data;
  p->failed |= !data;
  for (int i = 0; data && i < count; ++i)
    memcpy(data + length * (size_t)i, texts[i], strlen(texts[i]));
}

static void add_names(plan *p, const char *name, int axis, const char *const *names, int count) {
  add_texts(p, name, axis, p->axes.name, p->name_length, names, count);
}

static void add_units(plan *p, const char *name, int axis, const char *const *units, int count) {
  add_texts(p, name, axis, p->axes.unit, p->unit_length, units, count);
}

static void add_numbers(plan *p, const char *name, int axis, const int *numbers,
                        const netcdf_attribute *attribute) {
  if (axis < 0) return;
  netcdf_variable *v = add_variable(p, name, NETCDF_INT, attribute);
  v->axes = 1;
  v->axis[0] = axis;
  v->data = numbers;
}

static const netcdf_attribute of_elements[] = {
    {.name = "long_name", .text = "place in element_name, from 0"}, {0}};
_Static_assert(TORSOR_GROUP_R3 == 0 && TORSOR_GROUP_SO3 == 1 && TORSOR_GROUP_R3SO3 == 2 &&
                   TORSOR_GROUP_SE3 == 3,
               "the numbers of groups are those that files have");
static const netcdf_attribute group[] = {
    {.name = "long_name", .text = "Lie group on which the node moves"},
    {.name = "flag_values", .numbers = 4, .number = {0, 1, 2, 3}},
    {.name = "flag_meanings", .text = "R3 SO3 R3xSO3 SE3"},
    {0}};
static const netcdf_attribute abstract[] = {
    {.name = "long_name",
     .text = "whether the position is no place but three coordinates, of modes"},
    {.name = "flag_values", .numbers = 2, .number = {0, 1}},
    {.name = "flag_meanings", .text = "place coordinates"},
    {0}};

/* Coordinates of the axes (CF-1.8, section 4.5): with variables that have the names of dimensions
 * readers choose by name, as xarray does by sel(node="hub"). */
static void plan_coordinates(plan *p) {
  static const char *const letters[] = {"w", "x", "y", "z"};
  const torsor_layout *l = p->layout;
  const axes *a = &p->axes;
  add_names(p, "element", a->element, l->element_name, l->elements);
  add_names(p, "node", a->node, l->node_name, l->nodes);
  add_names(p, "row", a->row, l->row_name, l->rows);
  add_names(p, "joint_coordinate", a->coordinate, l->coordinate_name, l->coordinates);
  add_names(p, "element_output", a->output, l->output_name, l->outputs);
  add_names(p, "section_stress", a->stress, l->stress_name, l->stresses);
  add_names(p, "energy_part", a->energy, energies, 4);
  add_names(p, "xyz", a->xyz, letters + 1, 3);
  add_names(p, "wxyz", a->wxyz, letters, 4);
}

static void plan_names(plan *p) {
  const torsor_layout *l = p->layout;
  const axes *a = &p->axes;
  add_names(p, "element_name", a->element, l->element_name, l->elements);
  add_names(p, "element_type", a->element, l->element_type, l->elements);
  add_names(p, "node_name", a->node, l->node_name, l->nodes);
  add_numbers(p, "node_element", a->node, l->node_element, of_elements);
  add_numbers(p, "node_group", a->node, l->node_group, group);
  add_numbers(p, "node_abstract", a->node, l->node_abstract, abstract);
  add_names(p, "row_name", a->row, l->row_name, l->rows);
  add_numbers(p, "row_element", a->row, l->row_element, of_elements);
  add_names(p, "coordinate_name", a->coordinate, l->coordinate_name, l->coordinates);
  add_names(p, "rate_name", a->coordinate, l->rate_name, l->coordinates);
  add_units(p, "coordinate_unit", a->coordinate, l->coordinate_unit, l->coordinates);
  add_numbers(p, "coordinate_element", a->coordinate, l->coordinate_element, of_elements);
  add_names(p, "output_name", a->output, l->output_name, l->outputs);
  add_units(p, "output_unit", a->output, l->output_unit, l->outputs);
  add_numbers(p, "output_element", a->output, l->output_element, of_elements);
  add_names(p, "stress_name", a->stress, l->stress_name, l->stresses);
  add_units(p, "stress_unit", a->stress, l->stress_unit, l->stresses);
  add_numbers(p, "stress_element", a->stress, l->stress_element, of_elements);
  add_names(p, "energy_name", a->energy, energies, 4);
}

/* ---- variables of the frames ----------------------------------------------------------------- */

static const struct {
  const char *long_name, *unit, *frame, *names;
} described[TORSOR_FIELDS] = {
    [TORSOR_FIELD_POSITION] = {"position of nodes", "m", "inertial", "node_name"},
    [TORSOR_FIELD_QUATERNION] = {"rotation from the axes of nodes to inertial ones", "1", NULL,
                                 "node_name"},
    [TORSOR_FIELD_VELOCITY] = {"velocity of nodes", "m s-1", "inertial", "node_name"},
    [TORSOR_FIELD_ANGULAR_VELOCITY] = {"angular velocity of nodes", "rad s-1", "body", "node_name"},
    [TORSOR_FIELD_ACCELERATION] = {"acceleration of nodes", "m s-2", "inertial", "node_name"},
    [TORSOR_FIELD_ANGULAR_ACCELERATION] = {"angular acceleration of nodes", "rad s-2", "body",
                                           "node_name"},
    [TORSOR_FIELD_MULTIPLIER] = {"multipliers of constraint rows", NULL, NULL, "row_name"},
    [TORSOR_FIELD_COORDINATE] = {"joint coordinates, turns counted, in coordinate_unit", NULL, NULL,
                                 "coordinate_name coordinate_unit"},
    [TORSOR_FIELD_RATE] = {"rates of joint coordinates, in coordinate_unit per s", NULL, NULL,
                           "rate_name coordinate_unit"},
    [TORSOR_FIELD_OUTPUT] = {"outputs of elements, in output_unit", NULL, NULL,
                             "output_name output_unit"},
    [TORSOR_FIELD_ENERGY] = {"energy of the model", "J", NULL, "energy_name"},
    [TORSOR_FIELD_MOMENTUM] = {"momentum of the model", "kg m s-1", "inertial", NULL},
    [TORSOR_FIELD_ANGULAR_MOMENTUM] = {"angular momentum of the model about the origin",
                                       "kg m2 s-1", "inertial", NULL},
    [TORSOR_FIELD_RESIDUAL] = {"residuals of constraint rows", NULL, NULL, "row_name"},
    [TORSOR_FIELD_RESIDUAL_RATE] = {"residuals of constraint rows in the velocities", NULL, NULL,
                                    "row_name"},
    [TORSOR_FIELD_STRESS] = {"stresses at points of sections, in stress_unit", NULL, NULL,
                             "stress_name stress_unit"},
};

/* Returns the attributes of a field, without those that it does not have. */
static const netcdf_attribute *make_attributes(plan *p, torsor_field field) {
  netcdf_attribute *list = arena_take(&p->memory, 5, sizeof *list);
  const netcdf_attribute all[] = {{.name = "long_name", .text = described[field].long_name},
                                  {.name = "units", .text = described[field].unit},
                                  {.name = "axes", .text = described[field].frame},
                                  {.name = "coordinates", .text = described[field].names}};
  p->failed |= !list;
  for (size_t i = 0, count = 0; list && i < sizeof all / sizeof *all; ++i)
    if (all[i].text) list[count++] = all[i];
  return list;
}

static int owner_axis(const axes *a, torsor_field field) {
  switch (field) {
  case TORSOR_FIELD_MULTIPLIER:
  case TORSOR_FIELD_RESIDUAL:
  case TORSOR_FIELD_RESIDUAL_RATE:
    return a->row;
  case TORSOR_FIELD_COORDINATE:
  case TORSOR_FIELD_RATE:
    return a->coordinate;
  case TORSOR_FIELD_OUTPUT:
    return a->output;
  case TORSOR_FIELD_STRESS:
    return a->stress;
  case TORSOR_FIELD_ENERGY:
    return a->energy;
  case TORSOR_FIELD_MOMENTUM:
  case TORSOR_FIELD_ANGULAR_MOMENTUM:
    return a->xyz;
  default:
    return a->node;
  }
}

/* Adds the variables in the order of the fields of a frame. */
static void plan_fields(plan *p, unsigned fields) {
  static const netcdf_attribute time[] = {
      {.name = "long_name", .text = "time"}, {.name = "units", .text = "s"}, {0}};
  static const netcdf_attribute load[] = {
      {.name = "long_name", .text = "load factor"}, {.name = "units", .text = "1"}, {0}};
  const axes *a = &p->axes;
  netcdf_variable *v =
      add_variable(p, p->statics ? "load" : "time", NETCDF_DOUBLE, p->statics ? load : time);
  v->axes = 1;
  for (int f = 0; f < TORSOR_FIELDS; ++f) {
    const torsor_field field = (torsor_field)f;
    if (!(fields & 1u << f) || !torsor_layout_length(p->layout, field)) continue;
    v = add_variable(p, torsor_field_name(field), NETCDF_DOUBLE, make_attributes(p, field));
    v->axis[v->axes++] = a->record;
    v->axis[v->axes++] = owner_axis(a, field);
    if (owner_axis(a, field) != a->node) continue;
    v->axis[v->axes++] = field == TORSOR_FIELD_QUATERNION ? a->wxyz : a->xyz;
  }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static torsor_status append_plan(text *out, plan *p, unsigned fields, torsor_error *error) {
  plan_axes(p);
  plan_coordinates(p);
  plan_names(p);
  plan_fields(p, fields);
  if (!p->failed && !netcdf_append(out, &p->file))
    return torsor_fail(error, TORSOR_FILE,
                       "the model is too large for a NetCDF file: a variable would exceed 4 GiB");
  return p->failed || out->failed ? torsor_fail(error, TORSOR_MEMORY, "out of memory") : TORSOR_OK;
}

/* Composes the file header, which precedes the frames. */
static torsor_status make_head(text *out, const torsor_layout *layout, unsigned fields,
                               const torsor_result_info *info, torsor_error *error) {
  text settings = {0};
  if (info->statics)
    settings_of_statics(&settings, info->statics, info->simulation);
  else
    settings_of_simulation(&settings, info->simulation);
  const netcdf_attribute attributes[] = {
      {.name = "Conventions", .text = "CF-1.8"},
      {.name = "title", .text = info->title[0] ? info->title : info->scene},
      {.name = "source", .text = "Torsor, Lie-group flexible multibody simulation"},
      {.name = "torsor_version", .text = torsor_version()},
      {.name = "torsor_state", .numbers = 1, .number = {1}},
      {.name = "analysis", .text = info->statics ? "statics" : "simulation"},
      {.name = "method",
       .text = info->statics ? settings_statics_method(info->statics)
                             : info->simulation->settings.method},
      {.name = "settings", .text = settings.failed ? "" : settings.data},
      {.name = "scene_name", .text = info->scene},
      {.name = "scene_hash", .text = info->hash},
      {.name = "scene", .text = info->canonical ? info->canonical : ""},
      {0}};
  plan p = {.layout = layout,
            .file = {.attribute = attributes},
            .statics = info->statics,
            .failed = settings.failed};
  const torsor_status status = append_plan(out, &p, fields, error);
  arena_release(&p.memory);
  text_release(&settings);
  return status;
}

/* The header counts frames after they are in the file, with four bytes that a page has whole. */
static torsor_status count_frames(torsor_netcdf *n) {
  if (n->counted == n->file.whole) return TORSOR_OK;
  char bytes[4];
  netcdf_store_int(bytes, (uint32_t)((n->file.whole - n->head) / (off_t)(8 * n->values)));
  if (pwrite(n->file.file, bytes, sizeof bytes, NETCDF_RECORDS_AT) != sizeof bytes) {
    n->file.error_number = errno;
    return TORSOR_FILE;
  }
  n->counted = n->file.whole;
  return TORSOR_OK;
}

static bool is_full(torsor_netcdf *n) {
  if (n->file.error_number) return true;
  if (n->file.whole < n->head + (off_t)(8 * n->values) * NETCDF_MOST_RECORDS) return false;
  n->file.error_number = EFBIG;
  return true;
}

static torsor_status write_frame(torsor_netcdf *n, const double *value) {
  if (is_full(n)) return TORSOR_FILE;
  netcdf_store_doubles(append_room(&n->file), value, n->values);
  const torsor_status status = append_row(&n->file, 8 * n->values);
  return status == TORSOR_OK ? count_frames(n) : status;
}

/* Writes a frame, called by the relay's thread; the values, which are not needed afterwards, are
 * overwritten by their bytes in the file's order. */
static torsor_status write_room(void *data, double *value) {
  torsor_netcdf *n = data;
  if (is_full(n)) return TORSOR_FILE;
  netcdf_store_doubles((char *)value, value, n->values);
  const torsor_status status = append_now(&n->file, (const char *)value, 8 * n->values);
  return status == TORSOR_OK ? count_frames(n) : status;
}

static void start_relay(torsor_netcdf *n) {
  if (8 * n->values >= RELAYED_BYTES) n->relay = relay_create(n->values, write_room, n);
}

torsor_status torsor_netcdf_bytes(double *bytes, long frames, const torsor_layout *layout,
                                  const torsor_recording *recording, const torsor_result_info *info,
                                  torsor_error *error) {
  text head = {0};
  const torsor_status status = make_head(&head, layout, recording->fields, info, error);
  *bytes = (double)head.length +
           (double)frames * 8 * (double)torsor_frame_size(layout, recording->fields);
  text_release(&head);
  return status;
}

torsor_status torsor_netcdf_create(torsor_netcdf **out, const char *file,
                                   const torsor_layout *layout, const torsor_recording *recording,
                                   const torsor_result_info *info, torsor_error *error) {
  *out = NULL;
  text head = {0};
  torsor_netcdf *netcdf = NULL;
  torsor_status status = make_head(&head, layout, recording->fields, info, error);
  if (status == TORSOR_OK && !(netcdf = calloc(1, sizeof *netcdf)))
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (status == TORSOR_OK) {
    netcdf->values = torsor_frame_size(layout, recording->fields);
    netcdf->head = netcdf->counted = (off_t)head.length;
    status = append_open(&netcdf->file, file, 8 * netcdf->values, recording->sync, true, error);
    if (status == TORSOR_OK) status = append_now(&netcdf->file, head.data, head.length);
    if (status != TORSOR_OK) {
      torsor_netcdf_close(netcdf, netcdf->file.error_number ? error : NULL);
      netcdf = NULL;
    }
  }
  text_release(&head);
  if (netcdf) start_relay(netcdf);
  *out = netcdf;
  return status;
}

/* ---- going on -------------------------------------------------------------------------------- */

torsor_status torsor_netcdf_sync(torsor_netcdf *n, bool surely, long long *bytes, long *frames) {
  torsor_status status = n->relay ? relay_wait(n->relay) : append_flush(&n->file);
  if (!status) status = count_frames(n);
  if (!status && surely) status = append_sync(&n->file);
  *bytes = n->file.whole;
  *frames = (long)((n->file.whole - n->head) / (off_t)(8 * n->values));
  return status;
}

torsor_status torsor_netcdf_resume(torsor_netcdf **out, const char *file,
                                   const torsor_layout *layout, const torsor_recording *recording,
                                   long long bytes, long frames, torsor_error *error) {
  static const char magic[] = {'C', 'D', 'F'};
  char found[sizeof magic];
  *out = NULL;
  torsor_netcdf *n = calloc(1, sizeof *n);
  if (!n) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  n->values = torsor_frame_size(layout, recording->fields);
  n->head = (off_t)bytes - (off_t)(8 * n->values) * frames;
  n->counted = (off_t)bytes;
  torsor_status status =
      append_reopen(&n->file, file, 8 * n->values, recording->sync, bytes, error);
  if (!status && (n->head <= 0 || pread(n->file.file, found, sizeof found, 0) != sizeof found ||
                  memcmp(found, magic, sizeof magic) != 0))
    status = append_fail_other(&n->file, error);
  if (status) {
    torsor_netcdf_close(n, NULL);
    return status;
  }
  start_relay(n);
  *out = n;
  return TORSOR_OK;
}

/* The frames are not counted any more before they go. */
torsor_status torsor_netcdf_cut(torsor_netcdf *n, torsor_error *error) {
  n->counted = -1;
  const torsor_status status = count_frames(n);
  return status ? file_fail(error, n->file.name, "write the file", n->file.error_number)
                : append_cut(&n->file, error);
}

/* ---- frames ---------------------------------------------------------------------------------- */

double *torsor_netcdf_room(torsor_netcdf *n) {
  if (n->relay && !n->room) n->room = relay_room(n->relay);
  return n->room;
}

torsor_status torsor_netcdf_write(torsor_netcdf *n, const torsor_frame *frame) {
  if (frame->size != n->values) return TORSOR_ARGUMENT;
  if (!n->relay) return write_frame(n, frame->value);
  double *room = torsor_netcdf_room(n);
  if (frame->value != room) memcpy(room, frame->value, n->values * sizeof *room);
  n->room = NULL;
  return relay_hand(n->relay);
}

torsor_status torsor_netcdf_flush_old(torsor_netcdf *n) {
  if (n->relay) {
    relay_hurry_old(n->relay, n->file.sync);
    return TORSOR_OK; /* a failure is reported when the next frame is written */
  }
  const torsor_status status = append_flush_old(&n->file);
  return status == TORSOR_OK ? count_frames(n) : status;
}

torsor_status torsor_netcdf_close(torsor_netcdf *n, torsor_error *error) {
  if (!n) return TORSOR_OK;
  relay_destroy(n->relay);
  if (n->file.file >= 0 && append_flush(&n->file) == TORSOR_OK) count_frames(n);
  const torsor_status status = append_close(&n->file, error);
  free(n);
  return status;
}
