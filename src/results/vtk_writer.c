/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/result.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/file.h"
#include "results/vtk_beams.h"
#include "results/vtk_surface.h"

struct torsor_vtk {
  const char *folder;
  const torsor_geometry *g;
  const torsor_layout *layout;
  vtk_pose *pose; /* [nodes] */
  vtk_surface ground, solids;
  vtk_beams beams;
  int bodies;
  const char **body_name; /* [bodies] that have solids or lines */
  vtk_cells lines;        /* their points stand behind those of the solids */
  text body, color;       /* of each cell: lines first */
  text ground_color;
  int forces;                 /* joints and forces that have a force or moment as output */
  int *link, *force, *moment; /* [forces] among the links, the outputs */
  const char **force_name;
  vtk_cells verts;
  text force_number;
  text model_list, force_list; /* of the .pvd files */
  long frames;
};

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Color of solids that have none. */
static const v3 GREY = {0.66, 0.70, 0.75};

/* Assigns one body and color to the cells from `first` on. */
static void add_looks(text *body, text *color, int number, v3 rgb, int cells) {
  if (torsor_absent_vector(rgb)) rgb = GREY;
  const double part[3] = {rgb.x, rgb.y, rgb.z};
  char bytes[3];
  for (int k = 0; k < 3; ++k) bytes[k] = (char)(unsigned char)(255 * part[k] + 0.5);
  for (int i = 0; i < cells; ++i) {
    if (body) vtk_add_integer(body, number);
    text_append_bytes(color, bytes, sizeof bytes);
  }
}

/* Number of the body among those that are drawn; bodies come in order. */
static int body_number(torsor_vtk *vtk, int *last, int element) {
  if (*last != element) vtk->body_name[vtk->bodies++] = vtk->layout->element_name[element];
  *last = element;
  return vtk->bodies - 1;
}

static void add_lines(torsor_vtk *vtk, int points) {
  int last = -1;
  for (int i = 0; i < vtk->g->lines; ++i) {
    const int at = points + 2 * i;
    vtk_add_cell(&vtk->lines, (const int[]){at, at + 1}, 2);
    add_looks(&vtk->body, &vtk->color, body_number(vtk, &last, vtk->g->line[i].element), GREY, 1);
  }
}

static int solid_points(const torsor_geometry *g) {
  vtk_surface probe = {0};
  for (int i = 0; i < g->solids; ++i)
    if (g->solid[i].node >= 0) surface_add_solid(&probe, 0, &g->solid[i].solid);
  surface_release(&probe);
  return probe.points;
}

static void add_solids(torsor_vtk *vtk) {
  int last = -1;
  add_lines(vtk, solid_points(vtk->g));
  for (int i = 0; i < vtk->g->solids; ++i) {
    const torsor_geometry_solid *solid = &vtk->g->solid[i];
    vtk_surface *surface = solid->node < 0 ? &vtk->ground : &vtk->solids;
    const int before = surface->polys;
    surface_add_solid(surface, solid->node, &solid->solid);
    const int cells = surface->polys - before;
    if (solid->node < 0)
      add_looks(NULL, &vtk->ground_color, 0, solid->solid.color, cells);
    else
      add_looks(&vtk->body, &vtk->color, body_number(vtk, &last, solid->element),
                solid->solid.color, cells);
  }
}

/* ---- forces ---------------------------------------------------------------------------------- */

static void add_links(torsor_vtk *vtk) {
  for (int i = 0; i < vtk->g->links; ++i) {
    const torsor_geometry_link *link = &vtk->g->link[i];
    const int force = vtk_find_output(vtk->layout, link->element, "force");
    if (!link->markers || force < 0) continue;
    const int n = vtk->forces++;
    vtk->link[n] = i;
    vtk->force[n] = force;
    vtk->moment[n] = vtk_find_output(vtk->layout, link->element, "moment");
    vtk->force_name[n] = vtk->layout->element_name[link->element];
    vtk_add_cell(&vtk->verts, &n, 1);
    vtk_add_integer(&vtk->force_number, n);
  }
}

/* ---- a writer -------------------------------------------------------------------------------- */

static void release(torsor_vtk *vtk) {
  if (!vtk) return;
  free(vtk->pose);
  free(vtk->body_name);
  free(vtk->link);
  free(vtk->force);
  free(vtk->moment);
  free(vtk->force_name);
  surface_release(&vtk->ground);
  surface_release(&vtk->solids);
  vtk_beams_release(&vtk->beams);
  vtk_cells_release(&vtk->lines);
  vtk_cells_release(&vtk->verts);
  text *const texts[] = {&vtk->body,         &vtk->color,      &vtk->ground_color,
                         &vtk->force_number, &vtk->model_list, &vtk->force_list};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) text_release(texts[i]);
  free(vtk);
}

static bool take_memory(torsor_vtk *vtk) {
  const torsor_geometry *g = vtk->g;
  const size_t links = (size_t)g->links + 1;
  vtk->pose = calloc((size_t)g->nodes + 1, sizeof *vtk->pose);
  vtk->body_name = calloc((size_t)(g->solids + g->lines) + 1, sizeof *vtk->body_name);
  vtk->link = calloc(links, sizeof *vtk->link);
  vtk->force = calloc(links, sizeof *vtk->force);
  vtk->moment = calloc(links, sizeof *vtk->moment);
  vtk->force_name = calloc(links, sizeof *vtk->force_name);
  return vtk->pose && vtk->body_name && vtk->link && vtk->force && vtk->moment && vtk->force_name;
}

/* Path of a file in the folder; NULL when memory is short. */
static char *path_of(const torsor_vtk *vtk, torsor_error *error, const char *format, ...)
    TORSOR_PRINTF(3, 4);
static char *path_of(const torsor_vtk *vtk, torsor_error *error, const char *format, ...) {
  char name[64], *path = NULL;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(name, sizeof name, format, arguments);
  va_end(arguments);
  if (asprintf(&path, "%s/%s", vtk->folder, name) >= 0) return path;
  torsor_fail(error, TORSOR_MEMORY, "out of memory");
  return NULL;
}

static torsor_status write_ground(const torsor_vtk *vtk, torsor_error *error) {
  const vtk_surface *ground = &vtk->ground;
  if (!ground->points) return TORSOR_OK;
  text point = {0};
  const v3 *local = (const void *)ground->local.data;
  for (int i = 0; local && i < ground->points; ++i)
    vtk_add_vector(&point, (const double[]){local[i].x, local[i].y, local[i].z});
  const vtk_file file = {.point = &point,
                         .polys = &ground->cells,
                         .cell_data = {{"color", VTK_BYTE, 3, &vtk->ground_color}}};
  char *path = path_of(vtk, error, "ground.vtp");
  const torsor_status status = path ? vtk_write_file(path, &file, error) : TORSOR_MEMORY;
  free(path);
  text_release(&point);
  return status;
}

torsor_status torsor_vtk_create(torsor_vtk **out, const char *folder,
                                const torsor_geometry *geometry, const torsor_layout *layout,
                                torsor_error *error) {
  *out = NULL;
  if (geometry->nodes != layout->nodes)
    return torsor_fail(error, TORSOR_ARGUMENT, "the states are those of another model");
  torsor_vtk *vtk = calloc(1, sizeof *vtk);
  if (!vtk) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  *vtk = (torsor_vtk){.folder = folder, .g = geometry, .layout = layout};
  torsor_status status =
      take_memory(vtk) ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (!status) status = vtk_beams_create(&vtk->beams, geometry, layout, error);
  if (!status) {
    add_solids(vtk);
    add_links(vtk);
    status = write_ground(vtk, error);
  }
  if (status)
    release(vtk);
  else
    *out = vtk;
  return status;
}

/* ---- a frame --------------------------------------------------------------------------------- */

static v3 vector_at(const double *field, int i) {
  return field ? v3_load(field + 3 * (size_t)i) : v3_zero();
}

static void find_poses(torsor_vtk *vtk, const torsor_frame *frame) {
  for (int i = 0; i < vtk->g->nodes; ++i) {
    vtk_pose *pose = &vtk->pose[i];
    pose->frame = (se3){so3_load(frame->field[TORSOR_FIELD_QUATERNION] + 4 * (size_t)i),
                        vector_at(frame->field[TORSOR_FIELD_POSITION], i)};
    pose->R = so3_matrix(pose->frame.R);
    pose->velocity = vector_at(frame->field[TORSOR_FIELD_VELOCITY], i);
    pose->spin = m3_mulv(pose->R, vector_at(frame->field[TORSOR_FIELD_ANGULAR_VELOCITY], i));
  }
}

static void add_point(text *point, text *velocity, const vtk_pose *pose, v3 local) {
  const v3 x = v3_add(pose->frame.x, m3_mulv(pose->R, local));
  const v3 v = vtk_velocity(pose, x);
  vtk_add_vector(point, (const double[]){x.x, x.y, x.z});
  vtk_add_vector(velocity, (const double[]){v.x, v.y, v.z});
}

static torsor_status write_bodies(const torsor_vtk *vtk, const char *path,
                                  const torsor_frame *frame, torsor_error *error) {
  const vtk_surface *solids = &vtk->solids;
  const v3 *local = (const void *)solids->local.data;
  const int *node = (const void *)solids->node.data;
  text point = {0}, velocity = {0};
  if (!solids->local.failed && !solids->node.failed)
    for (int i = 0; i < solids->points; ++i)
      add_point(&point, &velocity, &vtk->pose[node[i]], local[i]);
  for (int i = 0; i < 2 * vtk->g->lines; ++i)
    add_point(&point, &velocity, &vtk->pose[vtk->g->line[i / 2].node[i % 2]], v3_zero());
  vtk_file file = {
      .t = frame->value[0],
      .energy = frame->field[TORSOR_FIELD_ENERGY],
      .list = "body_names",
      .name = vtk->body_name,
      .names = vtk->bodies,
      .point = &point,
      .lines = vtk->g->lines ? &vtk->lines : NULL,
      .polys = &solids->cells,
      .cell_data = {{"body", VTK_INTEGER, 1, &vtk->body}, {"color", VTK_BYTE, 3, &vtk->color}}};
  if (frame->field[TORSOR_FIELD_VELOCITY])
    file.point_data[0] = (vtk_array){"velocity", VTK_FLOAT, 3, &velocity};
  const bool failed = solids->local.failed || solids->node.failed;
  const torsor_status status = failed ? torsor_fail(error, TORSOR_MEMORY, "out of memory")
                                      : vtk_write_file(path, &file, error);
  text_release(&point);
  text_release(&velocity);
  return status;
}

/* Position of the last marker: of a joint marker b, on which the joint's force acts. */
static v3 position_of(const torsor_vtk *vtk, const torsor_geometry_link *link) {
  const torsor_geometry_marker *marker = &vtk->g->marker[link->first_marker + link->markers - 1];
  return marker->node < 0 ? marker->frame.x
                          : se3_point(vtk->pose[marker->node].frame, marker->frame.x);
}

static torsor_status write_forces(const torsor_vtk *vtk, const char *path,
                                  const torsor_frame *frame, torsor_error *error) {
  static const double none[3];
  const double *output = frame->field[TORSOR_FIELD_OUTPUT];
  text point = {0}, force = {0}, moment = {0};
  for (int i = 0; i < vtk->forces; ++i) {
    const v3 x = position_of(vtk, &vtk->g->link[vtk->link[i]]);
    vtk_add_vector(&point, (const double[]){x.x, x.y, x.z});
    vtk_add_vector(&force, output + vtk->force[i]);
    vtk_add_vector(&moment, vtk->moment[i] < 0 ? none : output + vtk->moment[i]);
  }
  const vtk_file file = {.t = frame->value[0],
                         .list = "names",
                         .name = vtk->force_name,
                         .names = vtk->forces,
                         .point = &point,
                         .verts = &vtk->verts,
                         .point_data = {{"force", VTK_FLOAT, 3, &force},
                                        {"moment", VTK_FLOAT, 3, &moment},
                                        {"number", VTK_INTEGER, 1, &vtk->force_number}}};
  const torsor_status status = vtk_write_file(path, &file, error);
  text_release(&point);
  text_release(&force);
  text_release(&moment);
  return status;
}

typedef torsor_status (*write_part)(const torsor_vtk *vtk, const char *path,
                                    const torsor_frame *frame, torsor_error *error);

static torsor_status write_beams(const torsor_vtk *vtk, const char *path, const torsor_frame *frame,
                                 torsor_error *error) {
  return vtk_beams_write(&vtk->beams, path, frame, vtk->pose, error);
}

/* Write one file and note it in the list. */
static torsor_status add_part(torsor_vtk *vtk, text *list, const char *name, int part,
                              write_part write, const torsor_frame *frame, torsor_error *error) {
  char *path = path_of(vtk, error, "%s_%06ld.vtp", name, vtk->frames);
  const torsor_status status = path ? write(vtk, path, frame, error) : TORSOR_MEMORY;
  text_printf(list, "<DataSet timestep=\"%.17g\" part=\"%d\" name=\"%s\" file=\"%s_%06ld.vtp\"/>\n",
              frame->value[0], part, name, name, vtk->frames);
  free(path);
  return status;
}

torsor_status torsor_vtk_write(torsor_vtk *vtk, const torsor_frame *frame, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  if (!frame->field[TORSOR_FIELD_POSITION] || !frame->field[TORSOR_FIELD_QUATERNION])
    return torsor_fail(error, TORSOR_ARGUMENT, "the states have no positions or no orientations");
  find_poses(vtk, frame);
  if (vtk->bodies)
    status = add_part(vtk, &vtk->model_list, "bodies", 0, write_bodies, frame, error);
  if (!status && vtk->g->pieces)
    status = add_part(vtk, &vtk->model_list, "beams", 1, write_beams, frame, error);
  if (!status && vtk->forces && frame->field[TORSOR_FIELD_OUTPUT])
    status = add_part(vtk, &vtk->force_list, "forces", 0, write_forces, frame, error);
  if (vtk->ground.points)
    text_printf(&vtk->model_list,
                "<DataSet timestep=\"%.17g\" part=\"2\" name=\"ground\" file=\"ground.vtp\"/>\n",
                frame->value[0]);
  ++vtk->frames;
  return status;
}

static torsor_status write_list(const torsor_vtk *vtk, const char *name, const text *list,
                                torsor_error *error) {
  text t = {0};
  if (!list->length && !list->failed) return TORSOR_OK;
  text_append(&t, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n"
                  "<Collection>\n");
  text_append_bytes(&t, list->data, list->length);
  text_append(&t, "</Collection>\n</VTKFile>\n");
  char *path = path_of(vtk, error, "%s", name);
  torsor_status status = path ? TORSOR_OK : TORSOR_MEMORY;
  if (!status && (t.failed || list->failed))
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (!status) status = file_replace(path, t.data, t.length, error);
  free(path);
  text_release(&t);
  return status;
}

torsor_status torsor_vtk_close(torsor_vtk *vtk, torsor_error *error) {
  if (!vtk) return TORSOR_OK;
  torsor_status status = write_list(vtk, "model.pvd", &vtk->model_list, error);
  if (!status) status = write_list(vtk, "forces.pvd", &vtk->force_list, error);
  release(vtk);
  return status;
}
