/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/kkt.h"

#include <string.h>

void element_dofs(int *dof, const torsor_model *model, const model_element *element) {
  for (int k = 0; k < element->nodes; ++k) {
    const model_node *node = &model->node[element->node[k]];
    for (int i = 0; i < node->group->nv; ++i) *dof++ = node->first_v + i;
  }
}

/* Returns the part (block row and column) of an element's multipliers.  Parts are the nodes, then
 * the multipliers y of all elements (level 0), then the multipliers s (level 1). */
static int multipliers_of(const torsor_model *model, int element, int level) {
  return model->node_count + level * model->element_count + element;
}

/* Lists the first unknown of each part, first [parts + 1], and returns the number of parts. */
static int list_parts(int *first, const torsor_model *model, int levels) {
  int parts = model->node_count;
  for (int i = 0; i < parts; ++i) first[i] = model->node[i].first_v;
  for (int level = 0; level < levels; ++level)
    for (int i = 0; i < model->element_count; ++i)
      first[parts++] = model->nv + level * model->nl + model->element[i].first_row;
  first[parts] = model->nv + levels * model->nl;
  return parts;
}

/* Has the element no blocks between two nodes, as it is decoupled or has none? */
static bool is_decoupled(const kkt *k, const model_element *e) {
  return e->alone || (k->decoupled && is_decoupled_joint(e));
}

/* Counts the blocks (velocity, velocity) of an element. */
static int count_squares(const kkt *k, const model_element *e) {
  if (!e->type->tangents.has || k->bare) return 0;
  return is_decoupled(k, e) ? e->nodes : e->nodes * e->nodes;
}

/* Does the element have blocks (velocity, multiplier) of a reaction that its force depends on? */
static bool has_reaction(const kkt *k, const model_element *e) {
  return e->reaction_rows && !k->bare;
}

/* Lists the blocks of one element, in the order in which kkt_element reads them. */
static void list_element(block_list *list, const torsor_model *model, int element, const kkt *k) {
  const model_element *e = &model->element[element];
  const int y = multipliers_of(model, element, 0), s = multipliers_of(model, element, 1);
  for (int i = 0; i < e->nodes && count_squares(k, e); ++i)
    for (int j = is_decoupled(k, e) ? i : 0; j < (is_decoupled(k, e) ? i + 1 : e->nodes); ++j)
      block_list_add(list, e->node[i], e->node[j]);
  for (int i = 0; i < e->nodes && has_reaction(k, e); ++i)
    block_list_add(list, e->node[i], multipliers_of(model, e->reaction_of, 0));
  if (!e->rows) return;
  for (int i = 0; i < e->nodes; ++i) block_list_add(list, e->node[i], y);
  for (int i = 0; i < e->nodes; ++i) block_list_add(list, y, e->node[i]);
  block_list_add_diagonal(list, y, y);
  if (!k->stabilised) return;
  for (int i = 0; i < e->nodes; ++i) block_list_add(list, s, e->node[i]);
  block_list_add_diagonal(list, y, s);
  block_list_add_diagonal(list, s, s);
  if (k->dependent) block_list_add_diagonal(list, s, y);
}

static int count_blocks(const model_element *e, const kkt *k) {
  const int square = count_squares(k, e);
  const int reaction = has_reaction(k, e) ? e->nodes : 0;
  const int rows = k->stabilised ? 3 * e->nodes + 3 + k->dependent : 2 * e->nodes + 1;
  return square + reaction + (e->rows ? rows : 0);
}

element_places kkt_element(const kkt *k, const model_element *e, int element) {
  const pattern_place *at = k->element[element];
  element_places p = {.S = at};
  p.L = p.S + count_squares(k, e);
  p.Bt = p.L + (has_reaction(k, e) ? e->nodes : 0);
  p.B = p.Bt + e->nodes;
  p.E = p.B + e->nodes;
  p.V = p.E + 1;
  p.phi_s = p.V + e->nodes;
  p.rate_s = p.phi_s + 1;
  p.rate_y = p.rate_s + 1;
  return p;
}

/* Data for listing the blocks of the product W B0^T. */
typedef struct product_list {
  const torsor_model *model;
  const pattern *u;   /* pattern without the product; its columns of u are used */
  const int *first;   /* [parts + 1] */
  const int *part_of; /* [n] part of each unknown */
} product_list;

/* Returns the entry at which the part after that of entry p begins, in a column of the pattern. */
static int next_part(const product_list *l, int p) {
  const int part = l->part_of[l->u->Ai[p]];
  return p + l->first[part + 1] - l->first[part];
}

/* Lists the blocks of the product: for the multipliers s of each element, all blocks that the
 * columns of its nodes have. */
static void list_product(block_list *list, const product_list *l) {
  for (int i = 0; i < l->model->element_count; ++i) {
    const model_element *e = &l->model->element[i];
    for (int k = 0; e->rows && k < e->nodes; ++k) {
      const int column = l->model->node[e->node[k]].first_v;
      for (int p = l->u->Ap[column]; p < l->u->Ap[column + 1]; p = next_part(l, p))
        block_list_add(list, l->part_of[l->u->Ai[p]], multipliers_of(l->model, i, 1));
    }
  }
}

/* Lists the runs of the product.  Blocks that are one below the other in both matrices form one
 * run.  `place` is that of the product's first block. */
static torsor_status list_runs(kkt *k, const product_list *l, const pattern_place *place, int count,
                               arena *memory) {
  int uses = 0, runs = 0;
  for (int i = 0; i < l->model->element_count; ++i)
    if (l->model->element[i].rows) uses += l->model->element[i].nodes;
  int *first = arena_take(memory, (size_t)uses + 1, sizeof *first);
  k->run = arena_take(memory, (size_t)count, sizeof *k->run);
  k->first_run = arena_take(memory, (size_t)l->model->element_count, sizeof *k->first_run);
  if (!first || !k->first_run || !k->run) return TORSOR_MEMORY;
  for (int i = 0; i < l->model->element_count; ++i) {
    const model_element *e = &l->model->element[i];
    k->first_run[i] = first;
    for (int j = 0; e->rows && j < e->nodes; ++j) {
      const int column = l->model->node[e->node[j]].first_v, begin = runs;
      for (int p = l->u->Ap[column], next; p < l->u->Ap[column + 1]; p = next, ++place) {
        next = next_part(l, p);
        product_run *last = runs > begin ? &k->run[runs - 1] : NULL;
        if (last && last->to + last->count == place->corner)
          last->count += next - p;
        else
          k->run[runs++] = (product_run){place->corner, next - p};
      }
      *++first = runs;
    }
  }
  return TORSOR_OK;
}

/* Work memory for making the pattern. */
typedef struct making {
  const torsor_model *model;
  int *first, parts;
  block_list list;
  pattern_place *place;
  arena scratch;
} making;

/* Builds the pattern without the product, and finds the part of each unknown. */
static torsor_status begin_product(product_list *out, pattern *u, making *m) {
  const int n = m->first[m->parts];
  int *part_of = arena_take(&m->scratch, (size_t)n, sizeof *part_of);
  pattern_place *place = arena_take(&m->scratch, (size_t)m->list.count, sizeof *place);
  if (!part_of || !place || pattern_build(u, place, m->first, m->parts, &m->list, &m->scratch))
    return TORSOR_MEMORY;
  for (int k = 0; k < m->parts; ++k)
    for (int i = m->first[k]; i < m->first[k + 1]; ++i) part_of[i] = k;
  *out = (product_list){m->model, u, m->first, part_of};
  return TORSOR_OK;
}

static torsor_status build(kkt *out, making *m, arena *memory) {
  const int own = m->list.count;
  product_list product = {0};
  pattern u = {0};
  torsor_status status = out->stabilised ? begin_product(&product, &u, m) : TORSOR_OK;
  if (status) return status;
  if (out->stabilised) list_product(&m->list, &product);
  m->place = arena_take(&m->scratch, (size_t)m->list.count, sizeof *m->place);
  if (!m->place || pattern_build(&out->p, m->place, m->first, m->parts, &m->list, memory))
    return TORSOR_MEMORY;
  if (out->stabilised)
    status = list_runs(out, &product, m->place + own, m->list.count - own, memory);
  return status;
}

/* Copies the indices of all blocks except those of the product to lasting memory. */
static torsor_status keep_places(kkt *out, const making *m, int own, arena *memory) {
  const torsor_model *model = m->model;
  pattern_place *place = arena_take(memory, (size_t)own, sizeof *place);
  out->element = arena_take(memory, (size_t)model->element_count, sizeof *out->element);
  if (!place || !out->element) return TORSOR_MEMORY;
  memcpy(place, m->place, (size_t)own * sizeof *place);
  for (int i = 0; i < model->element_count; ++i) {
    out->element[i] = place;
    place += count_blocks(&model->element[i], out);
  }
  out->node = place;
  return TORSOR_OK;
}

static torsor_status make_pattern(kkt *out, making *m, arena *memory) {
  const torsor_model *model = m->model;
  const int levels = out->stabilised ? 2 : 1;
  m->first =
      arena_take(&m->scratch, (size_t)(model->node_count + levels * model->element_count + 1),
                 sizeof *m->first);
  if (!m->first) return TORSOR_MEMORY;
  m->parts = list_parts(m->first, model, levels);
  for (int i = 0; i < model->element_count; ++i) list_element(&m->list, model, i, out);
  for (int i = 0; i < model->node_count; ++i) block_list_add(&m->list, i, i);
  const int own = m->list.count;
  const torsor_status status = m->list.failed ? TORSOR_MEMORY : build(out, m, memory);
  return status ? status : keep_places(out, m, own, memory);
}

torsor_status kkt_create(kkt *out, const torsor_model *model, unsigned has, const char *solver,
                         const kkt *like, arena *memory) {
  const bool stabilised = has & KKT_STABILISED;
  *out = (kkt){.stabilised = stabilised,
               .dependent = stabilised && has & KKT_DEPENDENT,
               .decoupled = has & KKT_DECOUPLED,
               .bare = has & KKT_BARE};
  making m = {.model = model};
  torsor_status status = make_pattern(out, &m, memory);
  block_list_release(&m.list);
  arena_release(&m.scratch);
  if (status) return status;
  out->wide = stabilised ? out->p.Ap[model->nv] : 0;
  arena scratch = {0};
  block_plan plan;
  status = block_plan_create(&plan, model, stabilised, &scratch);
  if (!status && like) plan.layout = linear_solver_layout(like->solver, &out->p, &plan);
  if (!status) status = linear_solver_create(&out->solver, solver, &out->p, &plan);
  arena_release(&scratch);
  if (!status)
    status =
        corotation_list_create(&out->corotation, model, stabilised ? 2 : 1, out->solver, memory);
  if (!status && out->decoupled)
    status = decoupling_create(&out->decoupling, model, out->solver, memory);
  tape take = {.memory = memory};
  if (!status) kkt_walk(out, &take);
  return status ? status : take.status;
}

void kkt_walk(kkt *k, tape *t) {
  TAPE_WORK(t, k->W, k->wide);
  decoupling_walk(&k->decoupling, t);
  k->Ax = linear_solver_walk(k->solver, k->Ax, t);
}

void kkt_release(kkt *k) {
  linear_solver_destroy(k->solver);
  k->solver = NULL;
}

/* to -= b x, vectors of length count. */
static void subtract(double *restrict to, const double *restrict x, double b, int count) {
  for (int i = 0; i < count; ++i) to[i] -= x[i] * b;
}

void kkt_subtract_product(kkt *k, const torsor_model *model, int element, const double *B0) {
  const model_element *e = &model->element[element];
  const int *first = k->first_run[element];
  const int *column = k->p.Ap + model->nv + model->nl + e->first_row;
  for (int row = 0; row < e->rows; ++row) {
    double *Ax = k->Ax + column[row] - column[0];
    for (int j = 0; j < e->nodes; ++j) {
      const model_node *node = &model->node[e->node[j]];
      for (int v = 0; v < node->group->nv; ++v) {
        const double b = *B0++, *W = k->W + k->p.Ap[node->first_v + v];
        for (const product_run *run = k->run + first[j]; run < k->run + first[j + 1]; ++run) {
          subtract(Ax + run->to, W, b, run->count);
          W += run->count;
        }
      }
    }
  }
}
