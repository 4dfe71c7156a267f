/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/partition.h"

#include "base/team.h"
#include "base/vec.h"

/* Smallest size of a model for each thread, in velocities of all elements together: below it
 * threads wait for each other longer than they work.  It is that of some 100 bodies with their
 * joints. */
static const double LEAST_WORK = 1500;

/* Threads do not pay where the busiest of them has more than this fraction of all work. */
static const double MOST_OF_ALL = 0.8;

/* Largest number of subdomains per thread.  Several of them even out that processors differ in
 * speed or are used by others, too. */
enum { SHARES_OF_A_THREAD = 4 };

/* Smallest size of a subdomain, in velocities of its elements: those of some 30 links, whose
 * residual takes 3 us, so that the cost of claiming a subdomain is negligible.  MOST_TWICE is the
 * fraction of all work that may be done twice, for elements between owners. */
static const double LEAST_SHARE = 500, MOST_TWICE = 0.05;

/* The graph of nodes that elements connect, with an order of the nodes in which neighbours are
 * close. */
typedef struct graph {
  const torsor_model *model;
  int *first_use, *use; /* elements of a node: use[first_use[i]] .. use[first_use[i + 1] - 1] */
  int *order;           /* [nodes] */
  double *work;         /* [nodes] a node's fraction of the work of its elements */
  double all;
} graph;

/* Lists the elements of each node and sums up the work.  Counts are stored two entries ahead, so
 * that filling the lists leaves first_use at their starts. */
static void list_uses(graph *g) {
  const torsor_model *model = g->model;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    for (int k = 0; k < e->nodes; ++k) {
      ++g->first_use[e->node[k] + 2];
      g->work[e->node[k]] += (double)e->dofs / e->nodes;
    }
    g->all += e->dofs;
  }
  for (int i = 0; i < model->node_count; ++i) g->first_use[i + 2] += g->first_use[i + 1];
  for (int i = 0; i < model->element_count; ++i)
    for (int k = 0; k < model->element[i].nodes; ++k)
      g->use[g->first_use[model->element[i].node[k] + 1]++] = i;
}

/* Orders the nodes by a depth-first search: a branch is completed before the next one begins.
 * `stack` has room for the neighbours of all uses. */
static void order_nodes(graph *g, int *stack, unsigned char *seen) {
  const torsor_model *model = g->model;
  int found = 0;
  for (int root = 0; root < model->node_count; ++root) {
    int height = 0;
    stack[height++] = root;
    while (height) {
      const int node = stack[--height];
      if (seen[node]) continue;
      seen[node] = 1;
      g->order[found++] = node;
      for (int k = g->first_use[node + 1] - 1; k >= g->first_use[node]; --k) {
        const model_element *e = &model->element[g->use[k]];
        for (int j = e->nodes - 1; j >= 0 && !e->alone; --j)
          if (!seen[e->node[j]]) stack[height++] = e->node[j];
      }
    }
  }
}

static torsor_status create_graph(graph *g, const torsor_model *model, arena *scratch) {
  const size_t nodes = (size_t)model->node_count;
  size_t uses = 0, neighbours = 1;
  for (int i = 0; i < model->element_count; ++i) {
    const size_t n = (size_t)model->element[i].nodes;
    uses += n;
    if (!model->element[i].alone) neighbours += n * n;
  }
  *g = (graph){.model = model};
  g->first_use = arena_take(scratch, nodes + 2, sizeof *g->first_use);
  g->use = arena_take(scratch, uses, sizeof *g->use);
  g->order = arena_take(scratch, nodes, sizeof *g->order);
  g->work = arena_take(scratch, nodes, sizeof *g->work);
  int *stack = arena_take(scratch, neighbours, sizeof *stack);
  unsigned char *seen = arena_take(scratch, nodes, 1);
  if (!g->first_use || !g->use || !g->order || !g->work || !stack || !seen) return TORSOR_MEMORY;
  list_uses(g);
  order_nodes(g, stack, seen);
  return TORSOR_OK;
}

/* Cuts the order of nodes into `count` pieces of equal work. */
static void choose_owners(int *owner, const graph *g, int count) {
  double before = 0;
  for (int k = 0; k < g->model->node_count; ++k) {
    const int node = g->order[k];
    const int part = g->all > 0 ? (int)(count * (before + g->work[node] / 2) / g->all) : 0;
    owner[node] = part < count ? part : count - 1;
    before += g->work[node];
  }
}

/* Is node k of the element the first of its owner? */
static bool is_first_of_owner(const int *owner, const model_element *e, int k) {
  for (int j = 0; j < k; ++j)
    if (owner[e->node[j]] == owner[e->node[k]]) return false;
  return true;
}

/* Finds the work of each owner, and returns the sum, in which elements between owners count
 * repeatedly. */
static double add_work(double *work, const int *owner, const torsor_model *model, int count) {
  double sum = 0;
  for (int s = 0; s < count; ++s) work[s] = 0;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    for (int k = 0; k < e->nodes; ++k) {
      if (!is_first_of_owner(owner, e, k)) continue;
      work[owner[e->node[k]]] += e->dofs;
      sum += e->dofs;
    }
  }
  return sum;
}

/* Do so many threads pay: does each have enough work, and the busiest not nearly all of it? */
static bool threads_pay(const graph *g, int *owner, int threads, double *work) {
  if (g->all < LEAST_WORK * threads) return false;
  choose_owners(owner, g, threads);
  add_work(work, owner, g->model, threads);
  return vec_largest(work, threads) <= MOST_OF_ALL * g->all;
}

/* Do so many subdomains pay: are they large enough, and is little done twice? */
static bool shares_pay(const graph *g, int *owner, int count, double *work) {
  if (count > TEAM_MOST || g->all < LEAST_SHARE * count) return false;
  choose_owners(owner, g, count);
  return add_work(work, owner, g->model, count) <= (1 + MOST_TWICE) * g->all;
}

/* Finds the largest number of threads and then of subdomains that pay. */
static torsor_status choose_count(partition *out, const torsor_model *model, int threads,
                                  arena *scratch) {
  graph g;
  const torsor_status status = create_graph(&g, model, scratch);
  double *work = arena_take(scratch, TEAM_MOST, sizeof *work);
  if (status || !work) return TORSOR_MEMORY;
  out->threads = threads;
  while (out->threads > 1 && !threads_pay(&g, out->owner, out->threads, work)) --out->threads;
  out->count = out->threads > 1 ? SHARES_OF_A_THREAD * out->threads : 1;
  while (out->count > out->threads && !shares_pay(&g, out->owner, out->count, work))
    out->count -= out->threads;
  choose_owners(out->owner, &g, out->count);
  return TORSOR_OK;
}

static void list_subdomains(partition *out, const torsor_model *model) {
  for (int s = 0; s < out->count; ++s) out->of[s].nodes = out->of[s].elements = 0;
  for (int i = 0; i < model->node_count; ++i) {
    subdomain *s = &out->of[out->owner[i]];
    if (s->node) s->node[s->nodes] = i;
    ++s->nodes;
  }
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    for (int k = 0; k < e->nodes; ++k) {
      subdomain *s = &out->of[out->owner[e->node[k]]];
      if (!is_first_of_owner(out->owner, e, k)) continue;
      if (s->element) s->element[s->elements] = i;
      ++s->elements;
    }
  }
}

torsor_status partition_create(partition *out, const torsor_model *model, int threads,
                               arena *memory) {
  arena scratch = {0};
  *out = (partition){.owner = arena_take(memory, (size_t)model->node_count, sizeof *out->owner)};
  torsor_status status = out->owner ? choose_count(out, model, threads, &scratch) : TORSOR_MEMORY;
  arena_release(&scratch);
  if (status) return status;
  out->of = arena_take(memory, (size_t)out->count, sizeof *out->of);
  if (!out->of) return TORSOR_MEMORY;
  list_subdomains(out, model); /* only counts */
  for (int s = 0; s < out->count; ++s) {
    subdomain *of = &out->of[s];
    of->node = arena_take(memory, (size_t)of->nodes, sizeof *of->node);
    of->element = arena_take(memory, (size_t)of->elements, sizeof *of->element);
    if (!of->node || !of->element) return TORSOR_MEMORY;
  }
  list_subdomains(out, model);
  return TORSOR_OK;
}
