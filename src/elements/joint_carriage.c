/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elements/chain_kit.h"
#include "elements/slide.h"

typedef struct joint_carriage_data {
  torsor_chain on;
  torsor_marker b;
  int holds, ends;
  double speed;
} joint_carriage_data;

#define MEMBER(name) offsetof(joint_carriage_data, name)

enum { POINT, DIRECTION, FRAME };
enum { STOP, STRAIGHT };

static const char *const kinds[] = {
    [POINT] = "point", [DIRECTION] = "direction", [FRAME] = "frame", NULL};
static const char *const endings[] = {[STOP] = "stop", [STRAIGHT] = "straight", NULL};
static const int turn_rows[] = {[POINT] = 0, [DIRECTION] = 2, [FRAME] = 3};

static const torsor_param params[] = {
    {"on", TORSOR_PARAM_CHAIN, MEMBER(on), NULL, NULL, "beam or cable that it slides on", NULL, 0},
    {"b", TORSOR_PARAM_MARKER, MEMBER(b), NULL, NULL,
     "marker that slides, on the beam at the start; force and moment of the joint are what it "
     "applies here",
     NULL, 0},
    {"holds", TORSOR_PARAM_CHOICE, MEMBER(holds), NULL, "\"point\"",
     "what follows the beam: the origin of b; \"direction\": b also turns with the tangent, but "
     "about it; \"frame\": b turns with the sections",
     kinds, 0},
    {"ends", TORSOR_PARAM_CHOICE, MEMBER(ends), NULL, "\"stop\"",
     "a run that comes to an end of the beam stops there; \"straight\": the curve goes on along "
     "its tangent",
     endings, 0},
    {"speed", TORSOR_PARAM_NUMBER, MEMBER(speed), "m/s", TORSOR_OPTIONAL,
     "initial speed along the beam; default: follows from the velocities of b and the beam", NULL,
     TORSOR_INITIAL},
    {0}};

/* ---- pieces of the chain --------------------------------------------------------------------- */

/* The piece from the element `from` on, of so many elements at most. */
static slide_piece find_piece(int *first_node, const torsor_chain *on, bool turns, int from,
                              int elements) {
  const int last = on->count - 1;
  const int to = from + elements < last ? from + elements : last;
  const bool wide = on->point || turns;
  const int low = wide && from > 0 ? from - 1 : from;
  const int high = wide && to < last ? to + 1 : to;
  slide_piece piece = {.count = high - low + 1,
                       .first = from - low,
                       .last = to - low,
                       .point = on->point,
                       .turns = turns,
                       .begins = from == 0,
                       .ends = to == last};
  for (int i = 0; i < piece.count; ++i) piece.place[i] = on->fraction[low + i] * on->length;
  *first_node = low;
  return piece;
}

/* A point of the curve at the start. */
typedef struct curve_place {
  int element;
  double s;
  v3 x, slope;
} curve_place;

/* sum c_i x_i + d_i R_i e at the start. */
static v3 combine(const torsor_chain *on, int low, int count, const double *c, const double *d,
                  v3 e) {
  v3 sum = v3_zero();
  for (int i = 0; i < count; ++i) {
    const se3 frame = on->frame[low + i];
    sum = v3_axpy(c[i], frame.x, v3_axpy(d[i], so3_rotate(frame.R, e), sum));
  }
  return sum;
}

static curve_place find_curve(const torsor_chain *on, int element, double s) {
  const v3 x = {1, 0, 0};
  int low;
  const slide_piece piece = find_piece(&low, on, false, element, 1);
  slide_weights w;
  slide_weigh(&w, &piece, s);
  return (curve_place){.element = element,
                       .s = s,
                       .x = combine(on, low, piece.count, w.c[0], w.d[0], x),
                       .slope = combine(on, low, piece.count, w.c[1], w.d[1], x)};
}

/* Axes of the curve: x along its tangent, y the side of the sections; of a cable any side. */
static m3 find_axes(const torsor_chain *on, const curve_place *at) {
  const v3 e[2] = {{1, 0, 0}, {0, 1, 0}};
  int low;
  const slide_piece piece = find_piece(&low, on, true, at->element, 1);
  slide_weights w;
  slide_weigh(&w, &piece, at->s);
  const v3 x = v3_unit(combine(on, low, piece.count, w.c[0], w.d[0], e[0]));
  const v3 side = on->point ? v3_across(x) : combine(on, low, piece.count, w.c[0], w.d[0], e[1]);
  const v3 y = v3_unit(v3_axpy(-v3_dot(side, x), x, side));
  return m3_transpose(m3_rows(x, y, v3_cross(x, y)));
}

/* How far p is before the point, along the tangent. */
static double find_lead(const curve_place *at, v3 p) {
  return v3_dot(v3_sub(at->x, p), at->slope);
}

enum { SAMPLES = 16, HALVINGS = 60 };

/* The point of the element nearest to p, between two samples where the distance has a minimum, by
 * bisection. */
static curve_place find_nearest_between(const torsor_chain *on, int element, double low,
                                        double high, v3 p) {
  curve_place a = find_curve(on, element, low), b = find_curve(on, element, high);
  if (find_lead(&a, p) >= 0) return a;
  if (find_lead(&b, p) <= 0) return b;
  for (int i = 0; i < HALVINGS; ++i) {
    const curve_place middle = find_curve(on, element, (a.s + b.s) / 2);
    if (find_lead(&middle, p) < 0)
      a = middle;
    else
      b = middle;
  }
  return find_curve(on, element, (a.s + b.s) / 2);
}

static curve_place find_nearest(const torsor_chain *on, v3 p) {
  curve_place best = {.s = 0};
  double least = HUGE_VAL;
  for (int e = 0; e + 1 < on->count; ++e) {
    const double from = on->fraction[e] * on->length, to = on->fraction[e + 1] * on->length;
    for (int i = 0; i < SAMPLES; ++i) {
      const double step = (to - from) / SAMPLES;
      const curve_place at = find_nearest_between(on, e, from + i * step,
                                                  i + 1 < SAMPLES ? from + (i + 1) * step : to, p);
      const double off = v3_norm(v3_sub(at.x, p));
      if (!(off < least)) continue;
      least = off;
      best = at;
    }
  }
  return best;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Beyond this part of the length of the beam a slider is not meant to be on it: below, it is moved
 * there, or the start is refused like that of any joint. */
#define NEAR 1e-3

static torsor_status check_place(const joint_carriage_data *joint, const curve_place *at,
                                 torsor_error *error) {
  const double off = v3_norm(v3_sub(at->x, joint->b.x0));
  char message[160], hint[160];
  if (off <= NEAR * joint->on.length) return TORSOR_OK;
  snprintf(message, sizeof message, "starts %.6g m off what it slides on", off);
  snprintf(hint, sizeof hint,
           "the nearest point is [%.6g, %.6g, %.6g], %.6g m from the start of it", at->x.x, at->x.y,
           at->x.z, at->s);
  return chain_fail(error, "b", hint, message);
}

static torsor_status check(const joint_carriage_data *joint, torsor_error *error) {
  if (joint->on.edge)
    return chain_fail(error, "on", "name a beam or a cable",
                      "is an edge of a shell: nothing slides on those");
  if (joint->holds != POINT && joint->b.point)
    return chain_fail(error, "holds", "\"point\"",
                      "the marker is on a point mass, which has no orientation");
  if (joint->holds == FRAME && joint->on.point)
    return chain_fail(error, "holds", "\"point\" or \"direction\"", "a cable has no section axes");
  for (int i = 0; i < joint->on.count; ++i)
    if (joint->b.node >= 0 && joint->b.node == joint->on.node[i])
      return chain_fail(error, "b", "name another body",
                        "is a node of the beam itself, on which it cannot slide");
  return TORSOR_OK;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static torsor_status add_node(int *node, const torsor_expansion *to, const char *suffix,
                              const slide_node_data *given, torsor_error *error) {
  slide_node_data own = *given;
  own.init.group = TORSOR_GROUP_R3;
  own.init.frame.R = so3_identity();
  own.init.angular_velocity_given = own.init.abstract = true;
  return to->add(to->self, &slide_node, suffix, &own, node, error);
}

static torsor_status add_place(int *node, const torsor_expansion *to, double s, double speed,
                               torsor_error *error) {
  const bool given = !torsor_absent_number(speed);
  const slide_node_data place = {.init = {.frame = {.x = {s, 0, 0}},
                                          .V = {.lin = {given ? speed : 0, 0, 0}},
                                          .velocity_given = given},
                                 .used = 1};
  return add_node(node, to, ".place", &place, error);
}

/* The sums between part k and the next one. */
static torsor_status add_sums(int *node, const torsor_expansion *to, const char *word, int k,
                              int rows, torsor_error *error) {
  const slide_node_data sums = {.init = {.velocity_given = true}, .used = rows};
  char suffix[40];
  snprintf(suffix, sizeof suffix, ".%s_sums[%d]", word, k);
  return add_node(node, to, suffix, &sums, error);
}

/* The slider's marker keeps its origin, and takes the axes of the curve at the start. */
static torsor_marker find_slider(const joint_carriage_data *joint, m3 axes) {
  torsor_marker marker = joint->b;
  marker.R = m3_mul(marker.R, m3_tmul(marker.R0, axes));
  marker.R0 = axes;
  if (marker.node != TORSOR_GROUND) return marker;
  marker.R = axes;
  marker.x = marker.x0;
  return marker;
}

static slide_part_data start_part(const joint_carriage_data *joint, const curve_place *at,
                                  int travel) {
  const double highest = joint->ends == STOP ? joint->on.length : 0;
  const m3 R = m3_identity();
  return (slide_part_data){
      .travel = {.a = {.node = TORSOR_GROUND, .R = R, .R0 = R},
                 .b = {.node = travel, .R = R, .R0 = R, .x0 = {at->s, 0, 0}, .point = true},
                 .highest = highest},
      .slider = find_slider(joint, find_axes(&joint->on, at)),
      .length = joint->on.length};
}

/* A row of parts: the last one is of the type `end`. */
typedef struct part_row {
  const char *word, *last;
  const torsor_element_type *end;
  bool turns;
  int rows;
} part_row;

static torsor_status add_parts(const torsor_expansion *to, const slide_part_data *start,
                               const part_row *row, const torsor_chain *on, torsor_error *error) {
  const int room = on->point || row->turns ? 1 : SLIDE_NODES - 1; /* others take neighbours */
  slide_part_data part = *start;
  torsor_status status = TORSOR_OK;
  part.rows = row->rows;
  part.sums[1] = -1;
  for (int from = 0, k = 0; from + 1 < on->count && !status; from += room, ++k) {
    int low;
    char suffix[32];
    part.piece = find_piece(&low, on, row->turns, from, room);
    for (int i = 0; i < part.piece.count; ++i) part.chain[i] = on->node[low + i];
    part.sums[0] = part.sums[1];
    part.sums[1] = -1;
    if (part.piece.ends) return to->add(to->self, row->end, row->last, &part, NULL, error);
    snprintf(suffix, sizeof suffix, ".%s[%d]", row->word, k);
    status = add_sums(&part.sums[1], to, row->word, k, row->rows, error);
    if (!status) status = to->add(to->self, &slide_part, suffix, &part, NULL, error);
  }
  return status;
}

static torsor_status expand(const void *self, const torsor_expansion *to, torsor_error *error) {
  const joint_carriage_data *joint = self;
  torsor_status status = check(joint, error);
  if (status) return status;
  const curve_place at = find_nearest(&joint->on, joint->b.x0);
  status = check_place(joint, &at, error);
  if (status) return status;
  int travel = -1;
  status = add_place(&travel, to, at.s, joint->speed, error);
  const slide_part_data start = start_part(joint, &at, travel);
  const part_row place = {"along", ".slide", &slide_end, false, 3};
  const part_row axes = {"turn", ".turns", &slide_turn, true, turn_rows[joint->holds]};
  if (!status) status = add_parts(to, &start, &place, &joint->on, error);
  return status || !axes.rows ? status : add_parts(to, &start, &axes, &joint->on, error);
}

static const torsor_element_type *const parts[] = {&slide_node, &slide_part, &slide_end,
                                                   &slide_turn, NULL};

const torsor_element_type joint_carriage = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_JOINT,
    .name = "carriage",
    .title = "a marker slides along a beam or cable: bead, trolley, moving load",
    .doc =
        "phi = R_b^T (X(s) - x_b) [3] (m), with X(s) the curve of the nodes, cubic in each element "
        "with\n"
        "the tangents R e_1 of the nodes (of a cable: those of parabolas through neighbours), s "
        "the\n"
        "material place, an unknown of its own, and the axes that the sections have at s at the "
        "start.\n"
        "\"direction\" adds e_2.X' and e_3.X' of b [5], \"frame\" also e_3.(side of the sections) "
        "[6].\n"
        "X and X' are continuous over the nodes.  Without friction the force is across the curve "
        "and\n"
        "does no work but between beam and body.\n"
        "Coordinate: travel (m) of unstrained length from the start of the beam; speed (m/s).  "
        "Drives,\n"
        "springs, stops and controls take \"name.travel\".\n"
        "Errors of X in an element are of order 4, as far as extension and shear of the beam are "
        "small.",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"rail\", \"type\": \"beam\", \"length\": 6,"
        " \"elements\": 4, \"section\": {\"stiffness\": [200, 90, 90, 40, 50, 60], \"inertia\":"
        " [2, 2, 2, 0.3, 0.1, 0.2]}}, {\"name\": \"trolley\", \"type\": \"rigid_body\","
        " \"mass\": 1, \"inertia\": [0.2, 0.3, 0.4], \"position\": [2.2, 0, 0.6]}], \"joints\":"
        " [{\"name\": \"wheels\", \"type\": \"carriage\", \"on\": \"rail\", \"b\": {\"body\":"
        " \"trolley\", \"position\": [0, 0, -0.6]}, \"holds\": \"frame\"}], \"forces\": [{"
        "\"name\": \"rope\", \"type\": \"coordinate_spring\", \"coordinate\": \"wheels.travel\","
        " \"stiffness\": 30}]}",
    .size = sizeof(joint_carriage_data),
    .params = params,
    .composite.expand = expand,
    .composite.parts = parts,
};
