/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/accelerator.h"

#include <math.h>
#include <string.h>

#include "assembly/solver/block_kernels.h"

/* ---- structure ---------------------------------------------------------------------------- */

/* Accelerations enter the element's forces by a constant inertia of its one node, or not at all. */
static bool is_rigid(const model_element *e) {
  const torsor_type_tangents *t = &e->type->tangents;
  const bool inert = t->has & TORSOR_HAS_M;
  return !inert || (e->nodes == 1 && t->has & TORSOR_CONSTANT_M && !t->numeric);
}

static int find_sides(accelerator_rows *rows, accelerator_side *side, const model_element *e) {
  int sides = 0;
  for (int k = 0; k < e->nodes; ++k) {
    int at = 0;
    while (at < sides && side[at].node != e->node[k]) ++at;
    if (at == sides) side[sides++].node = e->node[k];
    rows->side[k] = at;
  }
  return sides;
}

/* Lists elements with rows and their nodes.  *length: numbers of G. */
static torsor_status list_rows(accelerator *s, const torsor_model *model, int *length,
                               arena *memory) {
  size_t uses = 0;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!e->rows) continue;
    ++s->blocks;
    uses += (size_t)e->nodes;
  }
  s->rows = arena_take(memory, (size_t)s->blocks, sizeof *s->rows);
  s->side = arena_take(memory, uses, sizeof *s->side);
  int *which = arena_take(memory, uses, sizeof *which);
  if (!s->rows || !s->side || !which) return TORSOR_MEMORY;
  accelerator_rows *rows = s->rows;
  int side = 0;
  *length = 0;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!e->rows) continue;
    *rows = (accelerator_rows){.element = i, .rows = e->rows, .first_side = side, .side = which};
    which += e->nodes;
    rows->sides = find_sides(rows, s->side + side, e);
    for (int k = 0; k < rows->sides; ++k, ++side) {
      s->side[side].at = *length;
      *length += 6 * e->rows;
    }
    ++rows;
  }
  return TORSOR_OK;
}

/* The sides at each node, [first[node] .. first[node+1]-1] of `block` and `side`. */
typedef struct meeting {
  int *first, *block, *side;
} meeting;

static torsor_status list_meetings(meeting *out, const accelerator *s, int nodes, arena *memory) {
  int sides = 0;
  for (int i = 0; i < s->blocks; ++i) sides += s->rows[i].sides;
  *out = (meeting){arena_take(memory, (size_t)nodes + 2, sizeof *out->first),
                   arena_take(memory, (size_t)sides, sizeof *out->block),
                   arena_take(memory, (size_t)sides, sizeof *out->side)};
  if (!out->first || !out->block || !out->side) return TORSOR_MEMORY;
  for (int i = 0; i < sides; ++i) ++out->first[s->side[i].node + 2];
  for (int i = 0; i < nodes; ++i) out->first[i + 2] += out->first[i + 1];
  for (int i = 0; i < s->blocks; ++i)
    for (int k = 0; k < s->rows[i].sides; ++k) {
      const int side = s->rows[i].first_side + k, at = out->first[s->side[side].node + 1]++;
      out->block[at] = i;
      out->side[at] = side;
    }
  return TORSOR_OK;
}

static int count_at(const meeting *m, int node) {
  return m->first[node + 1] - m->first[node];
}

/* Operations of all products, of which hubs have many. */
static double count_products(accelerator *s, const meeting *m, int nodes) {
  double pairs = 0, operations = 0;
  for (int i = 0; i < nodes; ++i) {
    double rows = 0;
    for (int k = m->first[i]; k < m->first[i + 1]; ++k) rows += s->rows[m->block[k]].rows;
    operations += 3 * rows * rows;
    pairs += 0.5 * count_at(m, i) * (count_at(m, i) + 1.0);
  }
  s->products = pairs < 1e8 ? (int)pairs : 0;
  return operations;
}

static torsor_status order_blocks(accelerator *s, const meeting *m, int nodes, double most,
                                  arena *memory) {
  arena scratch = {0};
  const size_t count = (size_t)s->blocks;
  int *rows = arena_take(&scratch, count, sizeof *rows);
  int *first = arena_take(&scratch, count + 2, sizeof *first);
  int *neighbour = arena_take(&scratch, 2 * (size_t)s->products, sizeof *neighbour);
  torsor_status status = rows && first && neighbour ? TORSOR_OK : TORSOR_MEMORY;
  for (int i = 0; i < s->blocks && !status; ++i) rows[i] = s->rows[i].rows;
  for (int i = 0; i < nodes && !status; ++i)
    for (int k = m->first[i]; k < m->first[i + 1]; ++k)
      first[m->block[k] + 2] += count_at(m, i) - 1;
  for (int i = 0; i < s->blocks && !status; ++i) first[i + 2] += first[i + 1];
  for (int i = 0; i < nodes && !status; ++i)
    for (int k = m->first[i]; k < m->first[i + 1]; ++k)
      for (int l = m->first[i]; l < m->first[i + 1]; ++l)
        if (l != k) neighbour[first[m->block[k] + 1]++] = m->block[l];
  const small_graph graph = {s->blocks, rows, first, neighbour};
  if (!status) status = small_blocks_create(&s->S, &s->usable, &graph, most, memory);
  arena_release(&scratch);
  return status;
}

/* The first product that a block has replaces what is there. */
static void place_product(accelerator *s, bool *taken, const meeting *m, int k, int l,
                          accelerator_product *p) {
  int lower;
  const int to = small_blocks_place(&s->S, m->block[k], m->block[l], &lower);
  const int under = lower == m->block[k] ? k : l, over = under == k ? l : k;
  *p = (accelerator_product){.to = to,
                             .left = s->side[m->side[under]].at,
                             .right = s->side[m->side[over]].at,
                             .rows = s->rows[m->block[under]].rows,
                             .columns = s->rows[m->block[over]].rows,
                             .lower = k == l,
                             .first = !taken[to]};
  taken[to] = true;
}

static torsor_status place_products(accelerator *s, const meeting *m, int nodes, arena *memory,
                                    arena *scratch) {
  bool *taken =
      arena_take(scratch, (size_t)s->S.values, sizeof *taken); /* a product begins there */
  s->product = arena_take(memory, (size_t)s->products, sizeof *s->product);
  if (!s->product || !taken) return TORSOR_MEMORY;
  accelerator_product *p = s->product;
  for (int i = 0; i < nodes; ++i)
    for (int k = m->first[i]; k < m->first[i + 1]; ++k)
      for (int l = m->first[i]; l <= k; ++l) place_product(s, taken, m, k, l, p++);
  for (int i = 0; i < s->blocks; ++i) s->rows[i].first = s->S.column[s->S.position[i]].first;
  small_blocks_list_fill(&s->S, taken);
  return TORSOR_OK;
}

static torsor_status take_memory(accelerator *s, int nodes, arena *memory) {
  s->mass = arena_take(memory, (size_t)nodes, sizeof *s->mass);
  s->value = arena_take(memory, (size_t)s->S.values, sizeof *s->value);
  s->diagonal = arena_take(memory, (size_t)s->S.length, sizeof *s->diagonal);
  s->x = arena_take(memory, (size_t)s->S.length, sizeof *s->x);
  s->G = arena_take(memory, (size_t)s->length, sizeof *s->G);
  s->y = arena_take(memory, (size_t)nodes, sizeof *s->y);
  return s->mass && s->value && s->diagonal && s->x && s->G && s->y ? TORSOR_OK : TORSOR_MEMORY;
}

static torsor_status create(accelerator *out, const torsor_model *model, double most,
                            arena *memory) {
  arena scratch = {0};
  meeting m;
  const int nodes = model->node_count;
  out->most = most;
  torsor_status status = list_rows(out, model, &out->length, memory);
  if (!status) status = list_meetings(&m, out, nodes, &scratch);
  const double left = status ? 0 : most - count_products(out, &m, nodes);
  if (!status && left >= 0) status = order_blocks(out, &m, nodes, left, memory);
  if (!status && out->usable) status = place_products(out, &m, nodes, memory, &scratch);
  if (!status && out->usable) status = take_memory(out, nodes, memory);
  arena_release(&scratch);
  return status;
}

torsor_status accelerator_create(accelerator *out, const torsor_model *model, double most,
                                 arena *memory) {
  *out = (accelerator){.m = 1};
  if (model->reactive) return TORSOR_OK;
  for (int i = 0; i < model->element_count; ++i)
    if (!is_rigid(&model->element[i])) return TORSOR_OK;
  out->M = arena_take(memory, (size_t)model->node_count, sizeof *out->M);
  return out->M ? create(out, model, most, memory) : TORSOR_MEMORY;
}

torsor_status corrector_create(accelerator *out, const torsor_model *model, double most,
                               const accelerator *like, arena *memory) {
  *out = (accelerator){.m = 1};
  if (like->blocks && !like->usable && most <= like->most) return TORSOR_OK;
  if (!like->usable) return create(out, model, most, memory);
  out->usable = true;
  out->blocks = like->blocks;
  out->products = like->products;
  out->length = like->length;
  out->rows = like->rows;
  out->side = like->side;
  out->product = like->product;
  out->S = like->S;
  return take_memory(out, model->node_count, memory);
}

/* ---- masses ------------------------------------------------------------------------------- */

/* Components of inertia below this part of what was there before elimination count as none. */
static const double NO_MASS = 1e-13;

/* L of M = L L^T, of the components `first` to 5 or `end`. */
static bool factor_mass(double L[36], const double M[36], int first, int end) {
  for (int j = first; j < end; ++j) {
    double d = M[7 * j];
    for (int k = first; k < j; ++k) d -= L[6 * j + k] * L[6 * j + k];
    if (!(d > NO_MASS * M[7 * j]) || !isfinite(d)) return false;
    L[7 * j] = sqrt(d);
    for (int i = j + 1; i < end; ++i) {
      double sum = M[6 * i + j];
      for (int k = first; k < j; ++k) sum -= L[6 * i + k] * L[6 * j + k];
      L[6 * i + j] = sum / L[7 * j];
    }
  }
  return true;
}

/* H = L^-1. */
static void invert_lower(double H[36], const double L[36], int first, int end) {
  for (int j = first; j < end; ++j)
    for (int i = j; i < end; ++i) {
      double sum = i == j ? 1 : 0;
      for (int k = j; k < i; ++k) sum -= L[6 * i + k] * H[6 * k + j];
      H[6 * i + j] = sum / L[7 * i];
    }
}

bool accelerator_weigh(accelerator *s, const torsor_model *model) {
  s->weighed = false;
  for (int n = 0; n < model->node_count; ++n) {
    const torsor_group group = model->node[n].init.group;
    const int first = group == TORSOR_GROUP_SO3 ? 3 : 0, end = group == TORSOR_GROUP_R3 ? 3 : 6;
    accelerator_mass *mass = &s->mass[n];
    double L[36] = {0};
    memset(mass->h, 0, sizeof mass->h);
    if (!factor_mass(L, s->M[n], first, end)) return false;
    invert_lower(mass->h, L, first, end);
    mass->diagonal = true;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < i; ++j)
        if (fabs(mass->h[6 * i + j]) > 0) mass->diagonal = false;
  }
  s->weighed = true;
  return true;
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Below this part of its first value a pivot is left to solvers that exchange rows, and to those
 * who see to dependent rows: half of the digits are lost then. */
static const double LEAST_PIVOT = 1e-8;

/* G = B H^T of one side, row by row; rows of B are `next` apart. */
BLOCK_SIZED void put_side(double *restrict G, const double *restrict B, int next,
                          const accelerator_mass *mass, int rows) {
  pair h[3];
  for (int c = 0; c < 3; ++c) h[c] = (pair){mass->h[14 * c], mass->h[14 * c + 7]};
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < 3; ++c)
      pair_store(G + 6 * i + 2 * c, h[c] * pair_load(B + i * next + 2 * c));
  for (int i = 0; !mass->diagonal && i < rows; ++i)
    for (int c = 1; c < 6; ++c)
      for (int l = 0; l < c; ++l) G[6 * i + c] += mass->h[6 * c + l] * B[i * next + l];
}

/* The columns of a node that the element has twice are added up. */
static void put_twice(accelerator *s, const accelerator_rows *rows, const double *B, int nodes) {
  const accelerator_side *side = s->side + rows->first_side;
  const int numbers = 6 * rows->rows;
  double part[6 * SMALL_BLOCK];
  for (int k = 0; k < rows->sides; ++k)
    memset(s->G + side[k].at, 0, (size_t)numbers * sizeof *s->G);
  for (int k = 0; k < nodes; ++k) {
    const accelerator_side *at = &side[rows->side[k]];
    put_side(part, B + 6 * k, 6 * nodes, &s->mass[at->node], rows->rows);
    for (int i = 0; i < numbers; ++i) s->G[at->at + i] += part[i];
  }
}

void accelerator_put(accelerator *s, const accelerator_rows *rows, const double *B, int nodes) {
  const accelerator_side *side = s->side + rows->first_side;
  const int n = rows->rows;
  if (rows->sides < nodes) {
    put_twice(s, rows, B, nodes);
    return;
  }
  for (int k = 0; k < nodes; ++k) {
    const accelerator_mass *mass = &s->mass[side[k].node];
    double *G = s->G + side[k].at;
    if (n == 3)
      put_side(G, B + 6 * k, 6 * nodes, mass, 3);
    else if (n == 5)
      put_side(G, B + 6 * k, 6 * nodes, mass, 5);
    else
      put_side(G, B + 6 * k, 6 * nodes, mass, n);
  }
}

/* Sum of the products of six numbers. */
BLOCK_SIZED double dot(const pair a[3], const double *restrict b) {
  const pair sum = a[0] * pair_load(b) + a[1] * pair_load(b + 2) + a[2] * pair_load(b + 4);
  return sum[0] + sum[1];
}

/* C = A B^T or, not `first`, C += A B^T, of a diagonal block from the diagonal down. */
BLOCK_SIZED void multiply(double *restrict C, const double *restrict A, int rows,
                          const double *restrict B, int columns, bool lower, bool first) {
  const int pad = small_blocks_pad(rows);
  for (int j = 0; j < columns; ++j) {
    const pair b[3] = {pair_load(B + 6 * j), pair_load(B + 6 * j + 2), pair_load(B + 6 * j + 4)};
    double *restrict Cj = C + j * pad;
    for (int i = lower ? j : 0; i < rows; ++i) {
      const double product = dot(b, A + 6 * i);
      Cj[i] = first ? product : Cj[i] + product;
    }
  }
}

/* Blocks of n rows. */
BLOCK_SIZED void multiply_sized(double *C, const double *A, const double *B,
                                const accelerator_product *p, int n) {
  if (!p->lower)
    multiply(C, A, n, B, n, false, p->first);
  else if (p->first)
    multiply(C, A, n, B, n, true, true);
  else
    multiply(C, A, n, B, n, true, false);
}

static void add_product(accelerator *s, const accelerator_product *p) {
  double *C = s->value + p->to;
  const double *A = s->G + p->left, *B = s->G + p->right;
  if (p->rows == 3 && p->columns == 3)
    multiply_sized(C, A, B, p, 3);
  else if (p->rows == 5 && p->columns == 5)
    multiply_sized(C, A, B, p, 5);
  else
    multiply(C, A, p->rows, B, p->columns, p->lower, p->first);
}

torsor_status accelerator_factor(accelerator *s) {
  small_blocks_clear_fill(&s->S, s->value);
  for (const accelerator_product *p = s->product; p < s->product + s->products; ++p)
    add_product(s, p);
  for (int i = 0; i < s->S.count; ++i) {
    const small_column *c = &s->S.column[i];
    const int next = small_blocks_pad(c->rows) + 1;
    for (int k = 0; k < c->rows; ++k) s->diagonal[c->first + k] = s->value[c->diagonal + k * next];
  }
  return small_blocks_factor(&s->S, s->value, s->diagonal, LEAST_PIVOT);
}

/* y = H w. */
static void times_half(double *restrict y, const accelerator_mass *mass, const double *restrict w) {
  for (int i = 0; i < 6; ++i) y[i] = mass->h[7 * i] * w[i];
  for (int i = 1; !mass->diagonal && i < 6; ++i)
    for (int k = 0; k < i; ++k) y[i] += mass->h[6 * i + k] * w[k];
}

/* u = -H^T y. */
static void minus_half_transposed(double *restrict u, const accelerator_mass *mass,
                                  const double *restrict y) {
  for (int i = 0; i < 6; ++i) u[i] = -mass->h[7 * i] * y[i];
  for (int i = 0; !mass->diagonal && i < 5; ++i)
    for (int k = i + 1; k < 6; ++k) u[i] -= mass->h[6 * k + i] * y[k];
}

/* x -= G y of a side. */
BLOCK_SIZED void reduce(double *restrict x, const double *restrict G, const double *restrict y,
                        int rows) {
  const pair by[3] = {pair_load(y), pair_load(y + 2), pair_load(y + 4)};
  for (int i = 0; i < rows; ++i) x[i] -= dot(by, G + 6 * i);
}

/* y += G^T x. */
BLOCK_SIZED void expand(double *restrict y, const double *restrict G, const double *restrict x,
                        int rows) {
  pair sum[3] = {pair_load(y), pair_load(y + 2), pair_load(y + 4)};
  for (int i = 0; i < rows; ++i) {
    const pair factor = pair_both(x[i]);
    for (int c = 0; c < 3; ++c) sum[c] += factor * pair_load(G + 6 * i + 2 * c);
  }
  for (int c = 0; c < 3; ++c) pair_store(y + 2 * c, sum[c]);
}

/* All sides of an element, with constant sizes where these are frequent. */
BLOCK_SIZED void visit(accelerator *s, const accelerator_rows *rows, bool back, int n) {
  double *x = s->x + rows->first;
  for (int k = rows->first_side; k < rows->first_side + rows->sides; ++k) {
    const accelerator_side *side = &s->side[k];
    if (back)
      expand(s->y[side->node], s->G + side->at, x, n);
    else
      reduce(x, s->G + side->at, s->y[side->node], n);
  }
}

static void visit_all(accelerator *s, bool back) {
  for (const accelerator_rows *rows = s->rows; rows < s->rows + s->blocks; ++rows) {
    if (rows->rows == 3)
      visit(s, rows, back, 3);
    else if (rows->rows == 5)
      visit(s, rows, back, 5);
    else
      visit(s, rows, back, rows->rows);
  }
}

void accelerator_solve(accelerator *s, const torsor_model *model, double (*w)[6]) {
  for (int n = 0; n < model->node_count; ++n) times_half(s->y[n], &s->mass[n], w[n]);
  visit_all(s, false);
  small_blocks_solve(&s->S, s->value, s->x);
  visit_all(s, true);
  for (int n = 0; n < model->node_count; ++n) minus_half_transposed(w[n], &s->mass[n], s->y[n]);
}

/* ---- corrections -------------------------------------------------------------------------- */

void corrector_weigh(accelerator *s, const model_node *node, int number, const double weight[6]) {
  const torsor_group group = node->init.group;
  const int first = group == TORSOR_GROUP_SO3 ? 3 : 0, end = group == TORSOR_GROUP_R3 ? 3 : 6;
  accelerator_mass *mass = &s->mass[number];
  memset(mass->h, 0, sizeof mass->h);
  mass->diagonal = true;
  for (int i = first; i < end; ++i) mass->h[7 * i] = 1 / sqrt(weight[i]);
}

void corrector_solve(accelerator *s, int nodes, torsor_correction wanted) {
  if (wanted == TORSOR_CORRECTION_STILL)
    memset(s->y, 0, (size_t)nodes * sizeof *s->y);
  else
    visit_all(s, false);
  small_blocks_solve(&s->S, s->value, s->x);
  if (wanted != TORSOR_CORRECTION_FIT) visit_all(s, true);
}
