/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/block_plan.h"

#include <stdlib.h>

/* The block solver does not serve where the loops of a model wait for more than this many parts per
 * part of the model. */
enum { MOST_WAITS = 64 };

/* The spanning tree of nodes, and the work arrays of the breadth-first search that grows it. */
typedef struct tree {
  const torsor_model *model;
  block_plan *plan;
  int *rows_part; /* [elements] part that has the rows of an element */
  int *parent,
      *depth; /* [nodes] parent -1: the ground; depth 0: not reached yet, 1: next to the ground */
  int *first_use, *use; /* elements with rows between two nodes, listed by node */
  int *queue;           /* [nodes] nodes in the order in which they were reached */
  int reached;
  unsigned char *matched,
      *visited; /* [elements] 1: its rows are eliminated with a node; 1: it has been visited */
} tree;

static bool joins_two(const model_element *e) {
  return e->rows && e->nodes == 2 && e->node[0] != e->node[1];
}

static torsor_status take_memory(tree *t, arena *memory) {
  const size_t nodes = (size_t)t->model->node_count, elements = (size_t)t->model->element_count;
  t->rows_part = arena_take(memory, elements, sizeof *t->rows_part);
  t->parent = arena_take(memory, nodes, sizeof *t->parent);
  t->depth = arena_take(memory, nodes, sizeof *t->depth);
  t->first_use = arena_take(memory, nodes + 2, sizeof *t->first_use);
  t->use = arena_take(memory, 2 * elements, sizeof *t->use);
  t->queue = arena_take(memory, nodes, sizeof *t->queue);
  t->matched = arena_take(memory, elements, 1);
  t->visited = arena_take(memory, elements, 1);
  return t->rows_part && t->parent && t->depth && t->first_use && t->use && t->queue &&
                 t->matched && t->visited
             ? TORSOR_OK
             : TORSOR_MEMORY;
}

/* Lists the elements of each node.  Counts are stored two entries ahead, so that filling the lists
 * leaves first_use at their starts. */
static void list_uses(tree *t) {
  const torsor_model *model = t->model;
  for (int i = 0; i < model->element_count; ++i)
    for (int k = 0; k < 2 && joins_two(&model->element[i]); ++k)
      ++t->first_use[model->element[i].node[k] + 2];
  for (int i = 0; i < model->node_count; ++i) t->first_use[i + 2] += t->first_use[i + 1];
  for (int i = 0; i < model->element_count; ++i)
    for (int k = 0; k < 2 && joins_two(&model->element[i]); ++k)
      t->use[t->first_use[model->element[i].node[k] + 1]++] = i;
}

static void reach(tree *t, int node, int parent) {
  t->parent[node] = parent;
  t->depth[node] = parent < 0 ? 1 : t->depth[parent] + 1;
  t->queue[t->reached++] = node;
}

/* Pairs the rows of an element of the tree with the node at its lower end, which has no partner
 * yet.  Elements with more rows than the node has velocities stay without a partner. */
static void match(tree *t, int element, int node) {
  const model_element *e = &t->model->element[element];
  if (e->rows > t->model->node[node].group->nv) return;
  t->matched[element] = 1;
  t->plan->partner[t->rows_part[element]] = node;
}

static bool is_last(const tree *t, int element) {
  return t->plan->last && t->plan->last[t->rows_part[element]];
}

/* Continues the breadth-first search from the nodes in the queue that have not been visited yet. */
static void grow(tree *t, int from) {
  for (int at = from; at < t->reached; ++at) {
    const int a = t->queue[at];
    for (int k = t->first_use[a]; k < t->first_use[a + 1]; ++k) {
      const int i = t->use[k];
      const model_element *e = &t->model->element[i];
      const int b = e->node[e->node[0] == a];
      if (t->visited[i] || is_last(t, i)) continue;
      t->visited[i] = 1;
      if (t->depth[b] > 0) continue;
      reach(t, b, a);
      match(t, i, b);
    }
  }
}

/* Undoes the search from queue[from] on.  Returns the node that was reached last, which is the
 * farthest one. */
static int forget(tree *t, int from) {
  const int farthest = t->queue[t->reached - 1];
  for (int at = from; at < t->reached; ++at) {
    const int a = t->queue[at];
    t->depth[a] = 0;
    for (int k = t->first_use[a]; k < t->first_use[a + 1]; ++k) {
      const int i = t->use[k];
      t->visited[i] = t->matched[i] = 0;
      t->plan->partner[t->rows_part[i]] = -1;
    }
  }
  t->reached = from;
  return farthest;
}

/* Grows the tree of a piece beyond a cut, with the node farthest from the cut as its root: a first
 * search finds that node, a second one grows from it. */
static void grow_beyond(tree *t, int node) {
  const int from = t->reached;
  if (t->depth[node] > 0) return;
  reach(t, node, -1);
  grow(t, from);
  reach(t, forget(t, from), -1);
  grow(t, from);
}

static void grow_all(tree *t) {
  const torsor_model *model = t->model;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!e->rows || e->nodes != 1 || t->depth[e->node[0]] > 0 || is_last(t, i)) continue;
    reach(t, e->node[0], -1);
    match(t, i, e->node[0]);
  }
  grow(t, 0);
  for (int i = 0; t->plan->last && i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    for (int k = 0; e->rows && is_last(t, i) && k < e->nodes; ++k) grow_beyond(t, e->node[k]);
  }
  for (int i = 0; i < model->node_count; ++i) {
    const int from = t->reached;
    if (t->depth[i] > 0) continue;
    reach(t, i, -1);
    grow(t, from);
  }
}

/* Climbs the tree from the nodes of an element to their lowest common ancestor.  The nodes that are
 * passed are those for which the element's rows have to wait.  Returns their number and lists them
 * in `out`, unless that is NULL. */
static int climb(int *out, const tree *t, const model_element *e) {
  int at[e->nodes + 1], count = 0, places = e->nodes;
  for (int k = 0; k < places; ++k) at[k] = e->node[k];
  if (places == 1) at[places++] = -1; /* an element at one node joins it to the ground */
  for (;;) {
    int deepest = -1;
    bool together = true;
    for (int k = 0; k < places; ++k) {
      together = together && at[k] == at[0];
      if (at[k] >= 0 && (deepest < 0 || t->depth[at[k]] > t->depth[deepest])) deepest = at[k];
    }
    if (together || deepest < 0) return count;
    if (out) out[count] = deepest;
    ++count;
    for (int k = 0; k < places; ++k)
      if (at[k] == deepest) at[k] = t->parent[deepest];
  }
}

/* The nodes that the rows of an element wait for. */
static int list_before(int *out, const tree *t, const model_element *e) {
  if (!t->plan->apart) return climb(out, t, e);
  int count = 0;
  for (int k = 0; k < e->nodes; ++k) {
    bool listed = false;
    for (int i = 0; i < k; ++i) listed = listed || e->node[i] == e->node[k];
    if (listed) continue;
    if (out) out[count] = e->node[k];
    ++count;
  }
  return count;
}

static torsor_status list_waits(tree *t, arena *memory) {
  const torsor_model *model = t->model;
  block_plan *plan = t->plan;
  long long total = 0;
  for (int i = 0; i < model->element_count && plan->usable; ++i) {
    if (!model->element[i].rows || t->matched[i] || is_last(t, i)) continue;
    total += list_before(NULL, t, &model->element[i]);
    plan->usable = total <= (long long)MOST_WAITS * plan->parts;
  }
  if (!plan->usable) return TORSOR_OK;
  plan->wait = arena_take(memory, (size_t)total, sizeof *plan->wait);
  if (!plan->wait) return TORSOR_MEMORY;
  int at = 0;
  for (int i = 0; i < model->element_count; ++i) {
    if (!model->element[i].rows) continue;
    if (!t->matched[i] && !is_last(t, i)) at += list_before(plan->wait + at, t, &model->element[i]);
    plan->first_wait[t->rows_part[i] + 1] = at;
  }
  return TORSOR_OK;
}

/* Numbers the parts: first the nodes, then the elements with rows. */
static void number_parts(tree *t, bool stabilised) {
  const torsor_model *model = t->model;
  block_plan *plan = t->plan;
  int next = model->node_count;
  for (int i = 0; i < model->node_count; ++i)
    for (int k = 0; k < model->node[i].group->nv; ++k) plan->of[model->node[i].first_v + k] = i;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!e->rows) continue;
    t->rows_part[i] = next;
    for (int k = 0; k < e->rows; ++k) {
      plan->of[model->nv + e->first_row + k] = next;
      if (stabilised) plan->of[model->nv + model->nl + e->first_row + k] = next;
    }
    ++next;
  }
}

/* Joints have no mass; their stiffness is that of the turning axes of their rows alone. */
static bool couples(const model_element *e) {
  return e->nodes > 1 && !e->alone &&
         (e->type->tangents.has & (e->rows ? TORSOR_HAS_M : TORSOR_HAS_K));
}

static torsor_status create(block_plan *out, const torsor_model *model, bool stabilised, bool apart,
                            const unsigned char *last, arena *memory) {
  *out = (block_plan){.model = model,
                      .stabilised = stabilised,
                      .apart = apart,
                      .parts = model->node_count,
                      .last = last,
                      .usable = true};
  for (int i = 0; i < model->element_count; ++i) {
    out->parts += model->element[i].rows > 0;
    out->coupled = out->coupled || couples(&model->element[i]);
  }
  const size_t n = (size_t)(model->nv + (stabilised ? 2 : 1) * model->nl);
  const size_t parts = (size_t)out->parts;
  out->of = arena_take(memory, n, sizeof *out->of);
  out->partner = arena_take(memory, parts, sizeof *out->partner);
  out->first_wait = arena_take(memory, parts + 1, sizeof *out->first_wait);
  arena scratch = {0};
  tree t = {.model = model, .plan = out};
  torsor_status status =
      out->of && out->partner && out->first_wait ? take_memory(&t, &scratch) : TORSOR_MEMORY;
  if (!status) {
    for (size_t i = 0; i < parts; ++i) out->partner[i] = -1;
    number_parts(&t, stabilised);
    list_uses(&t);
    if (!apart) grow_all(&t);
    status = list_waits(&t, memory);
  }
  arena_release(&scratch);
  return status;
}

torsor_status block_plan_create(block_plan *out, const torsor_model *model, bool stabilised,
                                arena *memory) {
  return create(out, model, stabilised, false, NULL, memory);
}

torsor_status block_plan_apart(block_plan *out, const torsor_model *model, bool stabilised,
                               arena *memory) {
  return create(out, model, stabilised, true, NULL, memory);
}

torsor_status block_plan_cut(block_plan *out, const block_plan *plan, const unsigned char *last,
                             arena *memory) {
  return create(out, plan->model, plan->stabilised, plan->apart, last, memory);
}
