/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/block_rank.h"

#include <cholmod.h>

/* A graph of leaders in CHOLMOD's form, of which one half is stored. */
typedef struct quotient {
  cholmod_common c;
  cholmod_sparse *graph;
  int count, edges;
  int *leader; /* [count] */
  int *number; /* [parts] of each leader */
  int *mark;   /* [parts] the last vertex that a part was listed for, counted from 1 */
  int *order;  /* [count] */
} quotient;

static bool create(quotient *q, const block_search *s, size_t edges, arena *memory) {
  const size_t parts = (size_t)s->parts;
  *q = (quotient){.leader = arena_take(memory, parts, sizeof(int)),
                  .number = arena_take(memory, parts, sizeof(int)),
                  .mark = arena_take(memory, parts, sizeof(int)),
                  .order = arena_take(memory, 3 * parts, sizeof(int))};
  cholmod_start(&q->c);
  q->c.print = 0;
  if (!q->leader || !q->number || !q->mark || !q->order) return false;
  q->graph = cholmod_allocate_sparse(parts, parts, edges, 0, 1, -1, CHOLMOD_PATTERN, &q->c);
  return q->graph;
}

static void add_leader(quotient *q, int part) {
  q->leader[q->count] = part;
  q->number[part] = q->count++;
}

/* Connects vertex k with the leader, if that comes after it and is not connected yet. */
static void connect(quotient *q, int k, int leader) {
  const int other = q->number[leader];
  if (other <= k || q->mark[leader] == k + 1) return;
  q->mark[leader] = k + 1;
  ((int *)q->graph->i)[q->edges++] = other;
}

static void end_vertex(quotient *q, int k) {
  ((int *)q->graph->p)[k + 1] = q->edges;
}

/* Gives each vertex its place after the first `before` ones, if CHOLMOD found an order. */
static torsor_status finish(int *rank, quotient *q, bool found, int before) {
  for (int k = 0; found && k < q->count; ++k) rank[q->leader[q->order[k]]] = before + k;
  cholmod_free_sparse(&q->graph, &q->c);
  cholmod_finish(&q->c);
  return found ? TORSOR_OK : TORSOR_MEMORY;
}

static void list_pivots(quotient *q, const block_search *s) {
  const int *partner = s->plan->partner;
  int *rows = q->order; /* of each node: work */
  for (int a = 0; a < s->parts; ++a) rows[a] = -1;
  for (int a = 0; a < s->parts; ++a)
    if (partner[a] >= 0) rows[partner[a]] = a;
  for (int a = 0; a < s->parts; ++a)
    if (partner[a] < 0) add_leader(q, a);
  for (int k = 0; k < q->count; ++k) {
    const int member[2] = {q->leader[k], rows[q->leader[k]]};
    for (int m = 0; m < 2; ++m)
      for (int i = 0; member[m] >= 0 && i < s->graph[member[m]].count; ++i)
        connect(q, k, block_search_leader(s, s->graph[member[m]].item[i]));
    end_vertex(q, k);
  }
}

torsor_status block_rank_by_degree(int **rank, const block_search *s, arena *memory) {
  quotient q;
  size_t edges = 0;
  for (int a = 0; a < s->parts; ++a) edges += (size_t)s->graph[a].count;
  *rank = arena_take(memory, (size_t)s->parts, sizeof **rank);
  const bool enough = create(&q, s, edges, memory) && *rank;
  if (enough) {
    list_pivots(&q, s);
    q.graph->nrow = q.graph->ncol = (size_t)q.count;
  }
  return finish(*rank, &q, enough && cholmod_amd(q.graph, NULL, 0, q.order, &q.c), 0);
}

static void list_rows(quotient *q, const block_search *s) {
  const int nodes = s->plan->model->node_count;
  for (int a = nodes; a < s->parts; ++a) add_leader(q, a);
  for (int k = 0; k < q->count; ++k) {
    const int_list *list = &s->graph[nodes + k];
    for (int i = 0; i < list->count; ++i) {
      const int node = list->item[i];
      for (int j = 0; node < nodes && j < s->graph[node].count; ++j)
        if (s->graph[node].item[j] >= nodes) connect(q, k, s->graph[node].item[j]);
    }
    end_vertex(q, k);
  }
}

torsor_status block_rank_rows(int **rank, const block_search *s, arena *memory) {
  const int nodes = s->plan->model->node_count, parts = s->parts;
  quotient q;
  size_t edges = 0;
  for (int a = 0; a < nodes; ++a) edges += (size_t)s->graph[a].count * (size_t)s->graph[a].count;
  *rank = arena_take(memory, (size_t)parts, sizeof **rank);
  const bool enough = create(&q, s, edges, memory) && *rank;
  if (enough) {
    list_rows(&q, s);
    q.graph->nrow = q.graph->ncol = (size_t)q.count;
    for (int a = 0; a < nodes; ++a) (*rank)[a] = a;
  }
  const bool found = enough && cholmod_nested_dissection(q.graph, NULL, 0, q.order, q.order + parts,
                                                         q.order + 2 * parts, &q.c) >= 0;
  return finish(*rank, &q, found, nodes);
}
