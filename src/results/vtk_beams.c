/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/vtk_beams.h"

#include <stdlib.h>
#include <string.h>

/* Parts in which a piece of a beam is drawn. */
enum { PARTS = 4 };

/* ---- outputs --------------------------------------------------------------------------------- */

/* Outputs stand in the order of the elements. */
static int first_output(const torsor_layout *layout, int element) {
  int low = 0, high = layout->outputs;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (layout->output_element[middle] < element)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Is `word` the last part of a signal's name before its component: "wing.section_force[3].x"? */
static bool has_word(const char *signal, const char *word) {
  const size_t length = strlen(word);
  for (const char *dot = strchr(signal, '.'); dot; dot = strchr(dot + 1, '.'))
    if (strncmp(dot + 1, word, length) == 0 && strchr(".[", dot[1 + length])) return true;
  return false;
}

int vtk_find_output(const torsor_layout *layout, int element, const char *word) {
  for (int i = first_output(layout, element);
       i < layout->outputs && layout->output_element[i] == element; ++i)
    if (has_word(layout->output_name[i], word)) return i;
  return -1;
}

/* ---- constant arrays ------------------------------------------------------------------------- */

static int parts_of(const torsor_geometry_piece *piece) {
  return piece->framed ? PARTS : 1;
}

/* Points of a ring: the outer loop, then the hole of as many points where there is one. */
typedef struct ring {
  double yz[2 * TORSOR_OUTLINE_POINTS][2];
  int loop, points; /* of each loop, of all */
} ring;

static ring find_ring(const torsor_outline *outline) {
  ring r;
  r.points = r.loop = torsor_outline_points(r.yz, outline, 0);
  if (torsor_outline_points(r.yz + r.loop, outline, 1) == r.loop) r.points += r.loop;
  return r;
}

static void add_cell(vtk_beams *b, const int *point, int count, int beam, int element) {
  vtk_add_cell(&b->cells, point, count);
  vtk_add_integer(&b->beam, beam);
  vtk_add_integer(&b->element, element);
}

/* One polygon, or quadrangles around the hole; turned around at the start. */
static void add_cap(vtk_beams *b, const ring *r, int first, bool start, int beam, int element) {
  const int n = r->loop;
  if (r->points == n) {
    int point[TORSOR_OUTLINE_POINTS];
    for (int i = 0; i < n; ++i) point[i] = first + (start ? n - 1 - i : i);
    add_cell(b, point, n, beam, element);
    return;
  }
  for (int i = 0; i < n; ++i) {
    const int from = first + i, to = first + (i + 1) % n;
    const int out[] = {from, to, to + n, from + n}, back[] = {from + n, to + n, to, from};
    add_cell(b, start ? back : out, 4, beam, element);
  }
}

/* Between a ring and the next one; the hole is seen from within. */
static void add_sides(vtk_beams *b, const ring *r, int first, int beam, int element) {
  const int n = r->loop, next = r->points;
  for (int k = 0; k < r->points; ++k) {
    const bool hole = k >= n;
    const int from = first + k, to = first + (hole ? n : 0) + (k + 1) % n;
    const int out[] = {from, to, to + next, from + next}, in[] = {from + next, to + next, to, from};
    add_cell(b, hole ? in : out, 4, beam, element);
  }
}

static void add_strand(vtk_beams *b, int beam) {
  const torsor_geometry_strand *strand = &b->g->strand[beam];
  for (int k = 0; k < strand->pieces; ++k) {
    const torsor_geometry_piece *piece = &b->g->piece[strand->first_piece + k];
    const ring r = find_ring(&piece->outline[0]);
    const int parts = parts_of(piece), first = b->points;
    for (int i = 0; i < parts; ++i) add_sides(b, &r, first + i * r.points, beam, k);
    b->points += (parts + 1) * r.points;
    if (k == 0) add_cap(b, &r, first, true, beam, k);
    if (k == strand->pieces - 1) add_cap(b, &r, b->points - r.points, false, beam, k);
  }
}

static void find_outputs(vtk_beams *b, const torsor_layout *layout) {
  for (int i = 0; i < b->g->pieces; ++i) {
    const int element = b->g->piece[i].element;
    b->force[i] = vtk_find_output(layout, element, "section_force");
    b->moment[i] = vtk_find_output(layout, element, "section_moment");
    if (b->force[i] < 0) {
      b->force[i] = vtk_find_output(layout, element, "tension");
      b->axial[i] = b->force[i] >= 0;
    }
    b->outputs |= b->force[i] >= 0;
  }
}

torsor_status vtk_beams_create(vtk_beams *out, const torsor_geometry *g,
                               const torsor_layout *layout, torsor_error *error) {
  const size_t pieces = (size_t)g->pieces + 1;
  *out = (vtk_beams){.g = g,
                     .force = calloc(pieces, sizeof *out->force),
                     .moment = calloc(pieces, sizeof *out->moment),
                     .axial = calloc(pieces, sizeof *out->axial),
                     .name = calloc((size_t)g->strands + 1, sizeof *out->name)};
  if (!out->force || !out->moment || !out->axial || !out->name)
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  find_outputs(out, layout);
  for (int i = 0; i < g->strands; ++i) {
    out->name[i] = g->strand[i].name;
    add_strand(out, i);
  }
  return TORSOR_OK;
}

void vtk_beams_release(vtk_beams *b) {
  free(b->force);
  free(b->moment);
  free(b->axial);
  free(b->name);
  vtk_cells_release(&b->cells);
  text_release(&b->beam);
  text_release(&b->element);
}

/* ---- a frame --------------------------------------------------------------------------------- */

v3 vtk_velocity(const vtk_pose *pose, v3 x) {
  return v3_add(pose->velocity, v3_cross(pose->spin, v3_sub(x, pose->frame.x)));
}

/* Arrays that change with time. */
typedef struct beam_arrays {
  text point, velocity, force, moment;
} beam_arrays;

/* Points of the ring a part s of the way along a piece.  Velocities are those of both nodes'
 * bodies, mixed. */
static void add_ring(beam_arrays *a, const torsor_geometry_piece *piece, const vtk_pose *pose,
                     double s) {
  const ring start = find_ring(&piece->outline[0]);
  ring end = find_ring(&piece->outline[1]);
  if (end.points != start.points) end = start;
  const vtk_pose *from = &pose[piece->node[0]], *to = &pose[piece->node[1]];
  const se3 H = torsor_piece_frame(piece, from->frame, to->frame, s);
  for (int i = 0; i < start.points; ++i) {
    const double *a0 = start.yz[i], *a1 = end.yz[i];
    const v3 own = {0, (1 - s) * a0[0] + s * a1[0], (1 - s) * a0[1] + s * a1[1]};
    const v3 x = se3_point(H, own);
    const v3 v = v3_axpy(s, vtk_velocity(to, x), v3_scale(vtk_velocity(from, x), 1 - s));
    vtk_add_vector(&a->point, (const double[]){x.x, x.y, x.z});
    vtk_add_vector(&a->velocity, (const double[]){v.x, v.y, v.z});
  }
}

/* The forces of the section are the same all along a piece. */
static void add_forces(beam_arrays *a, const vtk_beams *b, int piece, const double *output,
                       int points) {
  static const double none[3];
  const int force = b->force[piece], moment = b->moment[piece];
  const double tension[3] = {force < 0 ? 0 : output[force]};
  for (int i = 0; i < points; ++i) {
    vtk_add_vector(&a->force, force < 0 ? none : b->axial[piece] ? tension : output + force);
    vtk_add_vector(&a->moment, moment < 0 ? none : output + moment);
  }
}

torsor_status vtk_beams_write(const vtk_beams *b, const char *path, const torsor_frame *frame,
                              const vtk_pose *pose, torsor_error *error) {
  const double *output = frame->field[TORSOR_FIELD_OUTPUT];
  beam_arrays a = {0};
  for (int k = 0; k < b->g->pieces; ++k) {
    const torsor_geometry_piece *piece = &b->g->piece[k];
    const int parts = parts_of(piece);
    for (int i = 0; i <= parts; ++i) add_ring(&a, piece, pose, (double)i / parts);
    if (output) add_forces(&a, b, k, output, (parts + 1) * find_ring(&piece->outline[0]).points);
  }
  vtk_file file = {
      .t = frame->value[0],
      .list = "beam_names",
      .name = b->name,
      .names = b->g->strands,
      .point = &a.point,
      .polys = &b->cells,
      .cell_data = {{"beam", VTK_INTEGER, 1, &b->beam}, {"element", VTK_INTEGER, 1, &b->element}}};
  int arrays = 0;
  if (frame->field[TORSOR_FIELD_VELOCITY])
    file.point_data[arrays++] = (vtk_array){"velocity", VTK_FLOAT, 3, &a.velocity};
  if (output && b->outputs) {
    file.point_data[arrays++] = (vtk_array){"section_force", VTK_FLOAT, 3, &a.force};
    file.point_data[arrays++] = (vtk_array){"section_moment", VTK_FLOAT, 3, &a.moment};
  }
  const torsor_status status = vtk_write_file(path, &file, error);
  text_release(&a.point);
  text_release(&a.velocity);
  text_release(&a.force);
  text_release(&a.moment);
  return status;
}
