/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const torsor_model *assembly_model(const assembly *a) {
  return a->model;
}

void assembly_change_element(assembly *a) {
  a->weighs = false;
  a->accelerator.weighed = false;
}

void assembly_start_coordinates(assembly *a, const torsor_point *p) {
  assembly_set_motion(a, p);
  coordinates_start(&a->coordinates, a, p);
  histories_start(&a->histories, a, p);
}

void assembly_pass_coordinates(assembly *a, const torsor_point *p) {
  assembly_set_motion(a, p);
  coordinates_start(&a->coordinates, a, p);
  histories_accept(&a->histories, a, p);
}

const coordinates *assembly_coordinates(const assembly *a) {
  return &a->coordinates;
}

void assembly_show_coordinates(assembly *a, const torsor_point *p) {
  coordinates_show(&a->coordinates, a, p);
}

void assembly_copy_state(assembly *a, const assembly *from) {
  a->load = from->load;
  a->factor = from->factor;
  coordinates_copy(&a->coordinates, &from->coordinates);
  histories_copy(&a->histories, &from->histories);
  memcpy(a->since, from->since, (size_t)a->model->inputs * sizeof *a->since);
  memcpy(a->given, from->given, 3 * (size_t)a->model->inputs * sizeof *a->given);
  memcpy(a->active, from->active, (size_t)a->model->element_count * sizeof *a->active);
  a->released = from->released;
}

void assembly_copy_coordinates(assembly *a, const assembly *from) {
  coordinates_copy(&a->coordinates, &from->coordinates);
}

static torsor_status residual(void *self, const torsor_point *p, double *r, double *phi,
                              double *phi_v) {
  assembly *a = self;
  stopwatch_enter(a->watch, TORSOR_PHASE_RESIDUAL);
  const torsor_status status = assembly_residual(a, p, r, phi, phi_v);
  stopwatch_leave(a->watch);
  return status;
}

/* Finds B v' + phi_a: phi_a of the elements, plus B V', where V' = P v' + Q v. */
static torsor_status find_defect(assembly *a, const torsor_point *p, double *phi_a) {
  assembly_set_motion(a, p);
  memset(phi_a, 0, (size_t)a->model->nl * sizeof *phi_a);
  for (int i = 0; i < a->model->element_count; ++i) {
    const model_element *e = &a->model->element[i];
    if (!e->rows || !a->active[i]) continue;
    const torsor_element_in in = assembly_element_in(a, i, p);
    double B[e->rows * e->nodes * 6];
    memset(B, 0, (size_t)(e->rows * e->nodes * 6) * sizeof *B);
    torsor_element_out out = {.phi_a = phi_a + e->first_row, .B = B};
    const torsor_status status = assembly_eval(a, i, &in, &out);
    if (status) return assembly_fail(a, i, status);
    for (int row = 0; row < e->rows; ++row)
      for (int k = 0; k < e->nodes; ++k)
        phi_a[e->first_row + row] +=
            tw_dot(tw_load(B + (row * e->nodes + k) * 6), a->motion[e->node[k]].A);
  }
  return TORSOR_OK;
}

static torsor_status defect(void *self, const torsor_point *p, double *out) {
  assembly *a = self;
  stopwatch_enter(a->watch, TORSOR_PHASE_CONSTRAINTS);
  const torsor_status status = find_defect(a, p, out);
  stopwatch_leave(a->watch);
  return status;
}

static torsor_status hidden(void *self, const torsor_point *p, double *phi_a) {
  torsor_point at = *p;
  at.a = NULL;
  return defect(self, &at, phi_a);
}

static torsor_status freeze_gradient(void *self, double t, const double *q) {
  assembly *a = self;
  stopwatch_enter(a->watch, TORSOR_PHASE_CONSTRAINTS);
  const torsor_status status = assembly_freeze_gradient(a, t, q, a->stabilises);
  stopwatch_leave(a->watch);
  return status;
}

static void gradient_force(void *self, double *out, const double *s) {
  assembly *a = self;
  stopwatch_enter(a->watch, TORSOR_PHASE_CONSTRAINTS);
  assembly_gradient_force(a, out, s);
  stopwatch_leave(a->watch);
}

typedef struct adding {
  const assembly *a;
  double *q1;
  const double *q, *u;
} adding;

static void plus_subdomain(void *self, int s) {
  const adding *w = self;
  const subdomain *mine = &w->a->partition.of[s];
  for (int k = 0; k < mine->nodes; ++k) {
    const model_node *node = &w->a->model->node[mine->node[k]];
    node->group->plus(w->q1 + node->first_q, w->q + node->first_q, w->u + node->first_v);
  }
}

static void plus(void *self, double *q1, const double *q, const double *u) {
  const assembly *a = self;
  adding w = {a, q1, q, u};
  assembly_run(a, plus_subdomain, &w);
}

static void minus(void *self, double *u, const double *q1, const double *q0) {
  const assembly *a = self;
  for (int i = 0; i < a->model->node_count; ++i) {
    const model_node *node = &a->model->node[i];
    node->group->minus(u + node->first_v, q1 + node->first_q, q0 + node->first_q);
  }
}

/* out = A w or, transposed, A^T w, for vectors of length n. */
static void apply(double *out, const double *A, const double *w, int n, bool transposed) {
  const int down = transposed ? 1 : n, across = transposed ? n : 1;
  for (int j = 0; j < n; ++j) {
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += A[j * down + k * across] * w[k];
    out[j] = sum;
  }
}

static void tangent_map(void *self, double *out, const double *u, const double *w) {
  const assembly *a = self;
  double T[36];
  for (int i = 0; i < a->model->node_count; ++i) {
    const model_node *node = &a->model->node[i];
    const int first = node->first_v;
    node->group->tan(T, u + first);
    apply(out + first, T, w + first, node->group->nv, false);
  }
}

static void taninv(void *self, double *out, const double *u, const double *w, bool transposed) {
  const assembly *a = self;
  double inverse[36];
  for (int i = 0; i < a->model->node_count; ++i) {
    const model_node *node = &a->model->node[i];
    const int first = node->first_v;
    if (!transposed) {
      node->group->taninv_times(out + first, u + first, w + first);
      continue;
    }
    node->group->taninv(inverse, u + first);
    apply(out + first, inverse, w + first, node->group->nv, true);
  }
}

static void bracket(void *self, double *out, const double *x, const double *y) {
  const assembly *a = self;
  for (int i = 0; i < a->model->node_count; ++i) {
    const model_node *node = &a->model->node[i];
    node->group->bracket(out + node->first_v, x + node->first_v, y + node->first_v);
  }
}

static void clear_complaint(assembly *a) {
  a->complaint.text[0] = '\0';
  atomic_flag_clear(&a->complaint.taken);
}

const char *assembly_complaint(const assembly *a) {
  return a->complaint.text;
}

static torsor_status accept(void *self, const torsor_point *p) {
  assembly *a = self;
  if (a->complaint.text[0]) clear_complaint(a);
  const bool counts = a->model->coordinate_count > 0;
  if (!counts && !a->guards.count && !a->histories.count) return TORSOR_OK;
  assembly_set_motion(a, p);
  int blamed = guards_find(&a->guards, a, p);
  if (blamed >= 0) return assembly_fail(a, blamed, TORSOR_DOMAIN);
  const torsor_status status =
      counts ? coordinates_follow(&a->coordinates, &blamed, a, p) : TORSOR_OK;
  if (status) return assembly_fail(a, blamed, status);
  histories_accept(&a->histories, a, p);
  return TORSOR_OK;
}

static void cut(void *self, const torsor_point *p) {
  assembly *a = self;
  assembly_set_motion(a, p);
  coordinates_cut(&a->coordinates, a, p);
  histories_cut(&a->histories, a, p);
}

static void hold(void *self, bool held) {
  assembly *a = self;
  a->hold = held;
}

static double mass_scale(void *self, const torsor_point *p) {
  return assembly_mass_scale(self, p);
}

static void row_sizes(void *self, const torsor_point *p, double *moved, double *turned) {
  assembly_row_sizes(self, p, moved, turned);
}

static void find_scales(void *self, const torsor_point *p, torsor_scales *out) {
  assembly_system_scales(self, p, out);
}

typedef struct sharing {
  void (*part)(void *data, int i);
  void *data;
  int parts, subdomains;
} sharing;

static void share_parts(void *self, int s) {
  const sharing *w = self;
  const int end = w->parts * (s + 1) / w->subdomains;
  for (int i = w->parts * s / w->subdomains; i < end; ++i) w->part(w->data, i);
}

static void share_loop(void *self, int parts, void (*part)(void *data, int i), void *data) {
  const assembly *a = self;
  sharing w = {part, data, parts, a->partition.count};
  assembly_run(a, share_parts, &w);
}

/* ---- checkpoints
 * ------------------------------------------------------------------------------ */

/* Walks over everything of the assembly itself that changes during a run. */
static void walk_own(assembly *a, tape *t) {
  const torsor_model *model = a->model;
  int gradient = 0;
  for (int i = 0; i < model->element_count; ++i)
    gradient += model->element[i].rows * model->element[i].dofs;
  TAPE_ARRAY(t, a->motion, model->node_count);
  TAPE_ARRAY(t, a->B0, gradient);
  TAPE_ARRAY(t, a->active, model->element_count);
  TAPE_VALUE(t, a->released);
  TAPE_ARRAY(t, a->ignored, model->nl);
  TAPE_VALUE(t, a->ignores);
  TAPE_WORK(t, a->wrench, model->node_count);
  TAPE_WORK(t, a->map, model->node_count);
  TAPE_VALUE(t, a->problem.redundant);
  TAPE_VALUE(t, a->weighs);
  TAPE_ARRAY(t, a->inertia, model->node_count);
  TAPE_ARRAY(t, a->metric, model->nv);
  TAPE_VALUE(t, a->follows);
  TAPE_VALUE(t, a->recalled_turns);
  TAPE_VALUE(t, a->aside_kept);
  TAPE_VALUE(t, a->splits);
  TAPE_VALUE(t, a->recalled_splits);
  TAPE_VALUE(t, a->by_multipliers);
  TAPE_ARRAY(t, a->since, model->inputs);
  TAPE_ARRAY(t, a->given, 3 * model->inputs);
  TAPE_WORK(t, a->input, 3 * model->inputs);
  TAPE_VALUE(t, a->load);
  TAPE_VALUE(t, a->factor);
  TAPE_VALUE(t, a->failed);
}

void assembly_walk(assembly *a, tape *t) {
  walk_own(a, t);
  stresses_walk(a, t);
  coordinates_walk(&a->coordinates, t);
  histories_walk(&a->histories, t);
  corotation_walk(&a->corotation, t);
  corotation_walk(&a->corotation_aside, t);
  assembly_walk_matrices(a, t);
}

/* ---- creation -------------------------------------------------------------------------------- */

/* Takes the memory of motions, maps and inputs of elements. */
static torsor_status take_memory(assembly *a) {
  const torsor_model *model = a->model;
  size_t uses = 0;
  for (int i = 0; i < model->element_count; ++i) uses += (size_t)model->element[i].nodes;
  tape take = {.memory = &a->memory};
  walk_own(a, &take);
  a->seen = arena_take(&a->memory, (size_t)model->element_count, sizeof *a->seen);
  const torsor_motion **seen = arena_take(&a->memory, uses, sizeof *seen);
  a->first_gradient =
      arena_take(&a->memory, (size_t)model->element_count, sizeof *a->first_gradient);
  if (take.status || !a->seen || !seen || !a->first_gradient) return TORSOR_MEMORY;
  for (int i = 0; i < model->inputs; ++i) a->given[3 * i] = model->input[i].value;
  a->now = (torsor_now){.load = 1, .input = a->input, .complaint = &a->complaint};
  clear_complaint(a);
  a->rotation = arena_take(&a->memory, (size_t)model->nv, sizeof *a->rotation);
  a->unitless = arena_take(&a->memory, (size_t)model->nq, sizeof *a->unitless);
  if (!a->rotation || !a->unitless) return TORSOR_MEMORY;
  for (int i = 0; i < model->node_count; ++i) {
    const model_node *node = &model->node[i];
    const int turns = node->init.group == TORSOR_GROUP_R3 ? 0 : 3;
    memset(a->rotation + node->first_v + node->group->nv - turns, 1, (size_t)turns);
    const int numbers = turns ? 4 : 0;
    memset(a->unitless + node->first_q + node->group->nq - numbers, 1, (size_t)numbers);
  }
  if (model->nonholonomic) {
    a->nonholonomic = arena_take(&a->memory, (size_t)model->nl, sizeof *a->nonholonomic);
    if (!a->nonholonomic) return TORSOR_MEMORY;
  }
  int gradient = 0;
  for (int i = 0; i < model->element_count; ++i) {
    a->seen[i] = seen;
    a->first_gradient[i] = gradient;
    gradient += model->element[i].rows * model->element[i].dofs;
    const model_element *e = &model->element[i];
    a->active[i] = !e->waits;
    a->released += e->waits && e->rows;
    for (int k = 0; k < e->nodes; ++k) *seen++ = &a->motion[e->node[k]];
    for (int row = e->rows - e->nonholonomic; row < e->rows; ++row)
      a->nonholonomic[e->first_row + row] = 1;
  }
  return TORSOR_OK;
}

/* Takes memory for the blocks of elements of up to n components. */
static bool take_blocks(subdomain_work *work, size_t n, size_t square, arena *memory) {
  const size_t rows = TORSOR_ELEMENT_ROWS * n;
  element_blocks *b = &work->blocks;
  double *to = arena_take(memory, 3 * n + 3 * rows + 3 * square, sizeof *to);
  if (!to) return false;
  b->r = to;
  work->residual[0].r = to + n;
  work->residual[1].r = to + 2 * n;
  b->B = to + 3 * n;
  b->Z = b->B + rows;
  b->L = b->Z + rows;
  b->M = b->L + rows;
  b->C = b->M + square;
  b->K = b->C + square;
  return true;
}

static torsor_status share_out(assembly *a, int threads) {
  const torsor_status status = partition_create(&a->partition, a->model, threads, &a->memory);
  if (status) return status;
  a->work = arena_take(&a->memory, (size_t)a->partition.count, sizeof *a->work);
  bool good = a->work != NULL;
  for (int s = 0; good && s < a->partition.count; ++s)
    good = take_blocks(&a->work[s], 6 * (size_t)a->model->most_nodes, a->model->most_square,
                       &a->memory);
  return good ? TORSOR_OK : TORSOR_MEMORY;
}

torsor_status assembly_set_threads(assembly *a, int threads, torsor_error *error) {
  const int most = threads < 1 || a->model->one_thread ? 1
                   : threads < TEAM_MOST               ? threads
                                                       : TEAM_MOST;
  if (most == 1 && a->partition.threads == 1) return TORSOR_OK;
  const torsor_status status = share_out(a, most);
  if (status) return torsor_fail(error, status, "out of memory");
  team_destroy(a->team);
  a->team = a->partition.threads > 1 ? team_create(a->partition.threads) : NULL;
  if (a->partition.threads > 1 && !a->team)
    return torsor_fail(error, TORSOR_MEMORY, "the system has no further threads: ask for fewer");
  kkt *const matrices[] = {&a->plain, &a->stabilised, &a->mass,
                           &a->whole, &a->aside,      &a->correction};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; ++i)
    if (matrices[i]->solver) linear_solver_set_team(matrices[i]->solver, a->team);
  return TORSOR_OK;
}

int assembly_threads(const assembly *a) {
  return a->partition.threads;
}

/* Returns the cost of an element's tangents in evaluations of its residual; differences are
 * central, in three kinds of six directions for each node. */
static double tangent_cost(const model_element *e) {
  if (e->type->tangents.numeric) return 36.0 * e->nodes;
  return e->type->tangents.cost > 0 ? e->type->tangents.cost : 7;
}

/* Sets the length of the problem: the largest lever arm, or the size of the bodies themselves where
 * these are at their joints. */
static torsor_status set_length(assembly *a) {
  const torsor_model *model = a->model;
  arena scratch = {0};
  double *q = arena_take(&scratch, (size_t)(model->nq + model->nv), sizeof *q), mass;
  unsigned char *given = arena_take(&scratch, (size_t)model->nv, sizeof *given);
  const torsor_status status = q && given ? TORSOR_OK : TORSOR_MEMORY;
  if (!status) {
    assembly_initial(a, q, q + model->nq, given);
    const torsor_point p = {.q = q};
    if (assembly_turned_mass(a, &p) > 0)
      a->problem.length = fmax(model->length, assembly_turn_length(a, &p, &mass));
  }
  arena_release(&scratch);
  return status;
}

/* Returns the cost of a new iteration matrix in iterations: that of the tangents, where expensive
 * ones count more; but 3 for one body, where the iteration itself takes most of its time.  Measured
 * on tops, chains, loops and beams. */
static double factor_cost(const torsor_model *model) {
  double sum = 0, squares = 0;
  for (int i = 0; i < model->element_count; ++i) {
    const double cost = model->element[i].type->tangents.has ? tangent_cost(&model->element[i]) : 0;
    sum += cost;
    squares += cost * cost;
  }
  const double many = sum > 0 ? squares / sum : 3;
  return many - (many - 3) / fmax(model->node_count, 1);
}

torsor_status assembly_create(assembly **out, const torsor_model *model, const char *solver,
                              bool stabilised, torsor_error *error) {
  *out = NULL;
  const char *name = linear_solver_known(solver ? solver : "block");
  if (!name) {
    torsor_fail(error, TORSOR_ARGUMENT, "there is no linear solver \"%s\"", solver);
    torsor_hint(error, "choose \"block\", \"klu\" or \"umfpack\"");
    return TORSOR_ARGUMENT;
  }
  assembly *a = calloc(1, sizeof *a);
  if (!a) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  *a = (assembly){.model = model, .failed = -1, .load = 1, .factor = 1, .solver = name};
  a->stabilises = stabilised;
  torsor_status status = take_memory(a);
  if (!status) status = share_out(a, 1);
  if (!status) status = assembly_create_stresses(a);
  if (!status) status = coordinates_create(&a->coordinates, model, &a->memory);
  if (!status) status = histories_create(&a->histories, model, &a->memory);
  if (!status) status = guards_create(&a->guards, model, &a->memory);
  if (!status) status = corotation_create(&a->corotation, model, &a->memory);
  if (!status) status = corotation_create(&a->corotation_aside, model, &a->memory);
  if (!status) status = assembly_make_plain(a);
  if (status) {
    assembly_destroy(a);
    return torsor_fail(error, status, "cannot set up the linear systems: %s",
                       torsor_status_text(status));
  }
  a->problem = (torsor_problem){.self = a,
                                .nq = model->nq,
                                .nv = model->nv,
                                .nl = model->nl,
                                .length = model->length,
                                .nonholonomic = a->nonholonomic,
                                .rotation = a->rotation,
                                .unitless = a->unitless,
                                .metric = a->metric,
                                .reactive = model->reactive,
                                .plus = plus,
                                .minus = minus,
                                .tan = tangent_map,
                                .taninv = taninv,
                                .bracket = bracket,
                                .residual = residual,
                                .hidden = hidden,
                                .defect = defect,
                                .freeze_gradient = freeze_gradient,
                                .gradient_force = gradient_force,
                                .accept = accept,
                                .cut = cut,
                                .hold = a->histories.sticks ? hold : NULL,
                                .mass_scale = mass_scale,
                                .row_sizes = row_sizes,
                                .scales = find_scales,
                                .share = share_loop,
                                .factor_cost = factor_cost(model)};
  assembly_set_systems(a);
  if (set_length(a) || assembly_find_conservative(a)) {
    assembly_destroy(a);
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  *out = a;
  return TORSOR_OK;
}

void assembly_destroy(assembly *a) {
  if (!a) return;
  kkt_release(&a->plain);
  kkt_release(&a->stabilised);
  kkt_release(&a->mass);
  kkt_release(&a->whole);
  kkt_release(&a->aside);
  kkt_release(&a->correction);
  team_destroy(a->team);
  arena_release(&a->memory);
  free(a);
}

void assembly_switch(assembly *a, int element, bool acts) {
  if (a->model->element[element].rows) a->released += a->active[element] - acts;
  a->active[element] = acts;
}

bool assembly_capture(assembly *a, int element, const torsor_point *p) {
  const model_element *e = &a->model->element[element];
  if (e->type->kind != TORSOR_JOINT || !e->states) return false;
  histories_capture(&a->histories, a, element, p);
  return true;
}

bool assembly_acts(const assembly *a, int i) {
  return a->active[i];
}

int assembly_astray(assembly *a, const torsor_point *p) {
  assembly_set_motion(a, p);
  return guards_find(&a->guards, a, p);
}

int assembly_failed_element(const assembly *a) {
  return a->failed;
}

void assembly_set_watch(assembly *a, stopwatch *watch) {
  a->watch = watch;
}

void assembly_set_redundant(assembly *a, bool redundant) {
  a->problem.redundant = redundant;
}

const torsor_problem *assembly_problem(const assembly *a) {
  return &a->problem;
}

/* Adds a value to the row that begins at `first`.  An element may use a node twice, and then its
 * entries of one unknown are one entry of the row.  Returns the end of the row. */
static int gradient_add(gradient_rows *out, int first, int end, int column, double value) {
  int at = first;
  while (at < end && out->column[at] != column) ++at;
  if (at == end) {
    out->column[at] = column;
    out->value[at] = 0;
    ++end;
  }
  out->value[at] += value;
  return end;
}

torsor_status assembly_gradient(gradient_rows *out, assembly *a, const torsor_point *p) {
  const torsor_model *model = a->model;
  size_t entries = 0;
  for (int i = 0; i < model->element_count; ++i)
    entries += (size_t)(model->element[i].rows * model->element[i].dofs);
  *out = (gradient_rows){.rows = model->nl,
                         .columns = model->nv,
                         .first = malloc(((size_t)model->nl + 1) * sizeof(int)),
                         .column = malloc((entries + 1) * sizeof(int)),
                         .value = malloc((entries + 1) * sizeof(double))};
  torsor_status status = out->first && out->column && out->value ? TORSOR_OK : TORSOR_MEMORY;
  if (!status) status = assembly_freeze_gradient(a, p->t, p->q, false);
  int at = 0;
  const double *B = a->B0;
  for (int i = 0; !status && i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    int dof[e->dofs + 1];
    element_dofs(dof, model, e);
    for (int row = 0; row < e->rows; ++row) {
      out->first[e->first_row + row] = at;
      for (int j = 0; j < e->dofs; ++j)
        at = gradient_add(out, out->first[e->first_row + row], at, dof[j], *B++);
    }
  }
  if (status)
    gradient_rows_release(out);
  else
    out->first[model->nl] = at;
  return status;
}

void gradient_rows_release(gradient_rows *rows) {
  free(rows->first);
  free(rows->column);
  free(rows->value);
  *rows = (gradient_rows){0};
}
