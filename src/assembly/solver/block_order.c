/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/block_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assembly/solver/block_merge.h"
#include "assembly/solver/block_rank.h"
#include "assembly/solver/block_search.h"

/* Unknowns below which a solution takes less time than threads wait for each other, and no order
 * takes long. */
static const int LEAST_GROUPED = 3000;

/* An order with a cut may cost at most MOST_MORE times the operations of the order without one. A
 * cut is tried where the groups of the order without one would end after more than WORTH_A_CUT of
 * all work, and groups are used where they end before WORTH_GROUPS of it. */
static const double MOST_MORE = 1.35, WORTH_A_CUT = 0.65, WORTH_GROUPS = 0.8;

/* Operations per unknown beyond which orders of other kinds are tried, one of which has to take
 * less than WORTH_ANOTHER of the operations; pivots are merged then, too. */
static const double DEAR = 1000, WORTH_ANOTHER = 0.9;

/* Widest front that serves as the separator of a cut. */
enum { WIDEST_CUT = 24 };

/* ---- groups --------------------------------------------------------------------------------- */

/* A search with its elimination tree, and the way that this is split into groups. */
typedef struct trial {
  block_plan plan; /* the search's plan, other than for the first trial */
  block_search s;
  block_tree tree;
  int *position; /* [parts] index of a leader's pivot in the order of elimination */
  block_split split;
} trial;

static torsor_status find_tree(trial *t, arena *scratch) {
  if (t->position) return TORSOR_OK;
  const block_search *s = &t->s;
  t->position = arena_take(scratch, (size_t)s->parts, sizeof *t->position);
  t->tree = (block_tree){.count = s->count,
                         .parent = arena_take(scratch, (size_t)s->count, sizeof *t->tree.parent),
                         .work = s->work};
  if (!t->position || !t->tree.parent) return TORSOR_MEMORY;
  for (int k = 0; k < s->count; ++k) t->position[s->leader[k]] = k;
  for (int k = 0; k < s->count; ++k) {
    int count, first = s->count;
    const int *part = block_search_neighbours(&count, s, k);
    for (int i = 0; i < count; ++i) {
      const int other = t->position[block_search_leader(s, part[i])];
      if (other < first) first = other;
    }
    t->tree.parent[k] = first;
  }
  return TORSOR_OK;
}

/* Returns the number of operations by which the groups' pivots update the top of the tree, which
 * are made when all groups have ended. */
static double work_left(const trial *t) {
  const block_search *s = &t->s;
  double left = 0;
  for (int k = 0; k < s->count; ++k) {
    int count, size = s->size[s->leader[k]], width = 0;
    const int *part = block_search_neighbours(&count, s, k);
    if (t->split.group[k] == t->split.groups) continue;
    if (s->joined[s->leader[k]] >= 0) size += s->size[s->joined[s->leader[k]]];
    for (int i = 0; i < count; ++i)
      if (t->split.group[t->position[block_search_leader(s, part[i])]] == t->split.groups)
        width += s->size[part[i]];
    left += 2.0 * size * width * width;
  }
  return left;
}

static torsor_status find_split(trial *t, arena *scratch) {
  torsor_status status = find_tree(t, scratch);
  if (!status) status = block_split_find(&t->split, &t->tree, scratch);
  if (!status && t->split.groups) t->split.longest += work_left(t) / t->s.flops;
  return status;
}

/* Finds a separator: the neighbours of a pivot below which there is the given fraction of the
 * tree's work; NULL where they are wider than WIDEST_CUT. */
static torsor_status find_cut(const unsigned char **out, const trial *t, double part,
                              arena *scratch) {
  const block_search *s = &t->s;
  unsigned char *last = arena_take(scratch, (size_t)s->parts, 1);
  const int place = block_split_place(&t->tree, part, scratch);
  int count, width = 0;
  *out = NULL;
  if (!last) return TORSOR_MEMORY;
  if (place < 0) return TORSOR_OK;
  const int *changed = block_search_neighbours(&count, s, place);
  for (int i = 0; i < count; ++i) {
    last[changed[i]] = 1;
    width += s->size[changed[i]];
  }
  if (count && width <= WIDEST_CUT) *out = last;
  return TORSOR_OK;
}

/* Finds the order with one level of nested dissection (George 1973): the separator found in the
 * first order's tree is eliminated last. *found = false where there is no such order. */
static torsor_status try_cut(trial *out, bool *found, const trial *first, double part,
                             const pattern *p, arena *scratch) {
  const unsigned char *last;
  *found = false;
  torsor_status status = find_cut(&last, first, part, scratch);
  if (status || !last) return status;
  status = block_plan_cut(&out->plan, first->s.plan, last, scratch);
  if (status || !out->plan.usable) return status;
  out->s = (block_search){
      .memory = scratch, .plan = &out->plan, .parts = out->plan.parts, .graph = first->s.graph};
  status = block_search_run(&out->s, found, p);
  return status || !*found ? status : find_split(out, scratch);
}

/* Returns the fraction of work below the cut with which both sides of it end at the same time. The
 * estimate takes it that the work below costs as much as before the cut, and each fraction above as
 * much as it does when half of the tree is above. */
static double balanced_part(const trial *first, const trial *half) {
  const double above = 2 * half->s.flops - first->s.flops;
  return above / (first->s.flops + above);
}

/* Returns the work along the critical path, where groups are eliminated in parallel. */
static double end_of(const trial *t) {
  return t->split.longest * t->s.flops;
}

/* Chooses the best of three orders: one without a cut, one cut in the middle of the work, and one
 * cut where both halves end at the same time. */
static torsor_status choose(trial **out, trial tried[3], const pattern *p, arena *scratch) {
  trial *first = &tried[0];
  double part = 0.5;
  *out = first;
  torsor_status status = find_split(first, scratch);
  for (int k = 1; !status && k < 3 && first->split.longest > WORTH_A_CUT; ++k) {
    bool found;
    status = try_cut(&tried[k], &found, first, part, p, scratch);
    if (status || !found) return status;
    if (tried[k].s.flops <= MOST_MORE * first->s.flops && end_of(&tried[k]) < end_of(*out))
      *out = &tried[k];
    part = balanced_part(first, &tried[k]);
    if (fabs(part - 0.5) < 0.02) return status;
  }
  return status;
}

/* ---- large models --------------------------------------------------------------------------- */

static torsor_status search_ranked(trial *out, bool *found, const int *rank, const trial *first,
                                   const block_plan *plan, const pattern *p, arena *scratch) {
  out->s = (block_search){
      .memory = scratch, .plan = plan, .parts = plan->parts, .graph = first->s.graph, .rank = rank};
  out->split = (block_split){.longest = 1};
  const torsor_status status = block_search_run(&out->s, found, p);
  return status || !*found || p->n < LEAST_GROUPED ? status : find_split(out, scratch);
}

static torsor_status try_degree(trial *out, bool *found, const trial *first, const pattern *p,
                                arena *scratch) {
  int *rank;
  const torsor_status status = block_rank_by_degree(&rank, &first->s, scratch);
  return status ? status : search_ranked(out, found, rank, first, first->s.plan, p, scratch);
}

/* Where a model has loops, their rows wait for all of each loop's nodes.  They need not if all
 * nodes' blocks are regular by themselves, as those of bodies with masses are in dynamics. */
static torsor_status try_apart(trial *out, bool *found, const trial *first, const pattern *p,
                               arena *scratch) {
  const block_plan *plan = first->s.plan;
  int *rank;
  torsor_status status = block_plan_apart(&out->plan, plan->model, plan->stabilised, scratch);
  if (status || !out->plan.usable) return status;
  out->s = (block_search){.plan = &out->plan, .parts = out->plan.parts, .graph = first->s.graph};
  status = block_rank_rows(&rank, &out->s, scratch);
  return status ? status : search_ranked(out, found, rank, first, &out->plan, p, scratch);
}

static bool has_loops(const block_plan *plan) {
  return !plan->usable || plan->first_wait[plan->parts] > 0;
}

/* Chooses the order with fewest operations of those that can be had, if the best so far, which
 * *found says that there is, takes many. */
static torsor_status choose_large(trial **best, bool *found, trial tried[2], const trial *first,
                                  const pattern *p, arena *scratch) {
  const block_plan *plan = first->s.plan;
  double least = *found ? WORTH_ANOTHER * (*best)->s.flops : HUGE_VAL;
  if (least <= DEAR * p->n || p->n < LEAST_GROUPED) return TORSOR_OK;
  for (int k = 0; k < 2; ++k) {
    bool ends = false;
    torsor_status status = TORSOR_OK;
    if (k == 0 && plan->usable && !has_loops(plan))
      status = try_degree(&tried[k], &ends, first, p, scratch);
    if (k == 1 && has_loops(plan) && !plan->strict && !plan->coupled)
      status = try_apart(&tried[k], &ends, first, p, scratch);
    if (status) return status;
    if (!ends || tried[k].s.flops >= least) continue;
    least = tried[k].s.flops;
    *best = &tried[k];
    *found = true;
  }
  return TORSOR_OK;
}

/* ---- the order ------------------------------------------------------------------------------ */

/* The pivots of a search as they will be stored: each may be several that are merged. */
typedef struct grouping {
  const trial *t;
  int groups;
  int *head;  /* [pivots of the search] which each is merged into */
  int *first; /* [pivots of the search] of a head: the first one that is merged into it ... */
  int *next;  /* ... and the one after each, in the order of elimination; -1 ends a list */
  bool merges;
} grouping;

static torsor_status find_grouping(grouping *g, trial *t, bool merges, arena *scratch) {
  const int count = t->s.count;
  torsor_status status = TORSOR_OK;
  *g = (grouping){.t = t,
                  .groups = t->split.longest <= WORTH_GROUPS ? t->split.groups : 0,
                  .head = arena_take(scratch, (size_t)count, sizeof *g->head),
                  .first = arena_take(scratch, (size_t)count, sizeof *g->first),
                  .next = arena_take(scratch, (size_t)count, sizeof *g->next),
                  .merges = merges};
  if (!g->head || !g->first || !g->next) return TORSOR_MEMORY;
  for (int k = 0; k < count; ++k) g->head[k] = k;
  if (merges) status = find_tree(t, scratch);
  if (merges && !status)
    status = block_merge_find(g->head, &t->s, &t->tree, g->groups ? t->split.group : NULL, scratch);
  for (int k = 0; k < count; ++k) g->first[k] = -1;
  for (int k = count - 1; k >= 0; --k) {
    g->next[k] = g->first[g->head[k]];
    g->first[g->head[k]] = k;
  }
  return status;
}

/* Lists the heads by groups, and within each group in the order of elimination, in sequence
 * [pivots]; counts the pivots. */
static void sort_by_group(int *sequence, block_order *out, const grouping *g) {
  const trial *t = g->t;
  int at = 0;
  out->groups = g->groups;
  for (int group = 0; group <= g->groups; ++group) {
    out->first_pivot[group] = at;
    for (int k = 0; k < t->s.count; ++k)
      if (g->head[k] == k && (!g->groups || t->split.group[k] == group)) sequence[at++] = k;
  }
  out->count = at;
}

/* Numbers the unknowns in the order of elimination: fills unknown, place and pivot_of. `first`
 * [parts] receives the first index of each part. */
static void number_places(block_order *out, int *first, const int *sequence, const grouping *g,
                          const pattern *p) {
  const block_search *s = &g->t->s;
  int place = 0;
  for (int k = 0; k < out->count; ++k) {
    out->pivot[k].first = place;
    for (int part = g->first[sequence[k]]; part >= 0; part = g->next[part]) {
      const int leader = s->leader[part], member[2] = {leader, s->joined[leader]};
      for (int m = 0; m < 2; ++m) {
        if (member[m] < 0) continue;
        first[member[m]] = place;
        for (int i = 0; i < s->size[member[m]]; ++i) out->pivot_of[place++] = k;
      }
    }
    out->pivot[k].size = place - out->pivot[k].first;
  }
  for (int i = 0; i < p->n; ++i) {
    const int part = s->plan->of[i];
    out->place[i] = first[part]++;
    out->unknown[out->place[i]] = i;
  }
  for (int a = 0; a < s->parts; ++a) first[a] -= s->size[a];
}

static int compare_neighbours(const void *a, const void *b) {
  return ((const block_neighbour *)a)->first - ((const block_neighbour *)b)->first;
}

/* Joins neighbours that follow each other in one pivot; returns how many are left. */
static int join_neighbours(block_neighbour *list, int count, const int *pivot_of) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    block_neighbour *last = kept ? &list[kept - 1] : NULL;
    if (last && last->first + last->size == list[i].first &&
        pivot_of[last->first] == pivot_of[list[i].first])
      last->size += list[i].size;
    else
      list[kept++] = list[i];
  }
  return kept;
}

static void list_pivots(block_order *out, const int *first, const int *sequence,
                        const grouping *g) {
  const block_search *s = &g->t->s;
  int next = 0;
  for (int k = 0; k < out->count; ++k) {
    block_pivot *pivot = &out->pivot[k];
    const int *part = block_search_neighbours(&pivot->neighbours, s, sequence[k]);
    pivot->first_neighbour = next;
    block_neighbour *list = out->neighbour + pivot->first_neighbour;
    for (int i = 0; i < pivot->neighbours; ++i)
      list[i] = (block_neighbour){.first = first[part[i]], .size = s->size[part[i]]};
    qsort(list, (size_t)pivot->neighbours, sizeof *list, compare_neighbours);
    if (g->merges) pivot->neighbours = join_neighbours(list, pivot->neighbours, out->pivot_of);
    next += pivot->neighbours;
    for (int i = 0; i < pivot->neighbours; ++i) {
      list[i].offset = pivot->width;
      pivot->width += list[i].size;
    }
  }
}

static torsor_status write_order(block_order *out, trial *t, const pattern *p, arena *memory,
                                 arena *scratch) {
  const block_search *s = &t->s;
  const size_t n = (size_t)p->n, count = (size_t)s->count;
  grouping g;
  const torsor_status status =
      find_grouping(&g, t, p->n >= LEAST_GROUPED && s->flops > DEAR * p->n, scratch);
  if (status) return status;
  int *first = arena_take(scratch, (size_t)s->parts, sizeof *first);
  int *sequence = arena_take(scratch, count, sizeof *sequence);
  out->flops = s->flops;
  out->apart = s->plan->apart;
  out->pivot = arena_take(memory, count, sizeof *out->pivot);
  out->neighbour = arena_take(memory, (size_t)s->neighbours.count, sizeof *out->neighbour);
  out->unknown = arena_take(memory, n, sizeof *out->unknown);
  out->place = arena_take(memory, n, sizeof *out->place);
  out->pivot_of = arena_take(memory, n, sizeof *out->pivot_of);
  if (!first || !sequence || !out->pivot || !out->neighbour || !out->unknown || !out->place ||
      !out->pivot_of)
    return TORSOR_MEMORY;
  sort_by_group(sequence, out, &g);
  number_places(out, first, sequence, &g, p);
  list_pivots(out, first, sequence, &g);
  return TORSOR_OK;
}

/* Lists each part's neighbours by the matrix pattern, made symmetric; mark [parts] is workspace. */
static bool list_neighbours(int_list *graph, int *mark, const pattern *p, const block_plan *plan,
                            arena *memory) {
  const int *of = plan->of;
  for (int a = 0; a < plan->parts; ++a) mark[a] = -1;
  for (int j = 0; j < p->n; ++j) {
    const int a = of[j];
    int last = a;
    for (int k = p->Ap[j]; k < p->Ap[j + 1]; ++k) {
      const int b = of[p->Ai[k]];
      if (b == last) continue;
      last = b;
      if (b == a || mark[b] == a) continue;
      mark[b] = a;
      if (!int_list_add(&graph[a], b, memory) || !int_list_add(&graph[b], a, memory)) return false;
    }
  }
  for (int a = 0; a < plan->parts; ++a) mark[a] = -1;
  for (int a = 0; a < plan->parts; ++a) {
    int_list *list = &graph[a];
    int kept = 0;
    for (int k = 0; k < list->count; ++k) {
      if (mark[list->item[k]] == a) continue;
      mark[list->item[k]] = a;
      list->item[kept++] = list->item[k];
    }
    list->count = kept;
  }
  return true;
}

torsor_status block_order_find(block_order *out, bool *found, const pattern *p,
                               const block_plan *plan, arena *memory) {
  *out = (block_order){0};
  *found = false;
  arena scratch = {0};
  const size_t parts = (size_t)plan->parts;
  int_list *graph = arena_take(&scratch, parts, sizeof *graph);
  int *mark = arena_take(&scratch, parts, sizeof *mark);
  trial tried[5] = {{.s = {.memory = &scratch, .plan = plan, .parts = plan->parts, .graph = graph},
                     .split = {.longest = 1}}};
  trial *best = &tried[0];
  torsor_status status =
      graph && mark && list_neighbours(graph, mark, p, plan, &scratch) ? TORSOR_OK : TORSOR_MEMORY;
  if (!status && plan->usable) status = block_search_run(&tried[0].s, found, p);
  if (!status && *found && p->n >= LEAST_GROUPED) status = choose(&best, tried, p, &scratch);
  if (!status) status = choose_large(&best, found, tried + 3, &tried[0], p, &scratch);
  if (!status && *found) status = write_order(out, best, p, memory, &scratch);
  arena_release(&scratch);
  return status;
}
