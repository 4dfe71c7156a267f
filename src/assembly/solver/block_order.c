/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/block_order.h"

#include <math.h>
#include <string.h>

/* Operations per unknown beyond which a search is given up: a tree of bodies takes 200 to 500, a
 * frame in space of 10,000 beam elements 5,000, and fronts of this many are those of models whose
 * matrices no computer holds. */
static const double MOST_FLOPS = 1e6;

/* Unknowns below which a solution takes less time than threads wait for each other. */
static const int LEAST_GROUPED = 3000;

/* An order with a cut may cost at most MOST_MORE times the operations of the order without one. A
 * cut is tried where the groups of the order without one would end after more than WORTH_A_CUT of
 * all work, and groups are used where they end before WORTH_GROUPS of it. */
static const double MOST_MORE = 1.35, WORTH_A_CUT = 0.65, WORTH_GROUPS = 0.8;

/* Widest front that serves as the separator of a cut. */
enum { WIDEST_CUT = 24 };

typedef struct int_list {
  int *item, count, size;
} int_list;

/* Appends to a list. The memory that a list leaves behind when it grows stays in the arena, which
 * lasts as long as the search. */
static bool list_add(int_list *list, int value, arena *memory) {
  if (list->count == list->size) {
    const int size = 2 * list->size + 4;
    int *item = arena_take(memory, (size_t)size, sizeof *item);
    if (!item) return false;
    if (list->count) memcpy(item, list->item, (size_t)list->count * sizeof *item);
    list->item = item;
    list->size = size;
  }
  list->item[list->count++] = value;
  return true;
}

/* A candidate for the next pivot in the heap; it is stale when its version is not the leader's any
 * more. */
typedef struct candidate {
  int width, leader, version;
} candidate;

/* The search for an elimination order: the minimum-degree heuristic (Tinney's scheme 2; Rose 1972;
 * George and Liu 1989) on the quotient graph of parts, which are blocks of unknowns, with the width
 * of a front as the degree. Each pivot has a leader, the part that names it: a node, or constraint
 * rows that go with no node. */
typedef struct search {
  arena *memory;
  const block_plan *plan;
  int parts;
  const int_list *graph; /* [parts] each part's neighbours by the matrix pattern */
  int_list *next;        /* [parts] neighbours in the graph with fill; some may be eliminated */
  int *size, *joined,
      *version;     /* [parts] unknowns; rows eliminated together with it, or -1; version */
  int *mark, stamp; /* [parts] */
  int *waits;       /* [parts] number of parts that have to be eliminated before it */
  int *first_waiter, *waiter; /* the parts that wait for a part */
  unsigned char *gone;        /* [parts] */
  candidate *heap;
  int heap_count, heap_size;
  int *leader;               /* the leaders in the order of elimination, */
  int_list neighbours, ends; /* their neighbours, and the end of each list */
  int count;
  double flops, *work; /* number of operations in all, and for each pivot */
  bool ending;         /* it is the turn of the separator's parts, which come last */
} search;

static bool before(const candidate *a, const candidate *b) {
  return a->width != b->width ? a->width < b->width : a->leader < b->leader;
}

static bool heap_push(search *s, candidate c) {
  if (s->heap_count == s->heap_size) {
    const int size = 2 * s->heap_size + 64;
    candidate *heap = arena_take(s->memory, (size_t)size, sizeof *heap);
    if (!heap) return false;
    if (s->heap_count) memcpy(heap, s->heap, (size_t)s->heap_count * sizeof *heap);
    s->heap = heap;
    s->heap_size = size;
  }
  int at = s->heap_count++;
  for (; at > 0 && before(&c, &s->heap[(at - 1) / 2]); at = (at - 1) / 2)
    s->heap[at] = s->heap[(at - 1) / 2];
  s->heap[at] = c;
  return true;
}

static candidate heap_pop(search *s) {
  const candidate top = s->heap[0], last = s->heap[--s->heap_count];
  int at = 0;
  for (int child; (child = 2 * at + 1) < s->heap_count; at = child) {
    if (child + 1 < s->heap_count && before(&s->heap[child + 1], &s->heap[child])) ++child;
    if (!before(&s->heap[child], &last)) break;
    s->heap[at] = s->heap[child];
  }
  s->heap[at] = last;
  return top;
}

/* Appends the neighbours of the leader and of the rows that are eliminated with it to a list;
 * returns their width, or -1 where memory runs out. */
static int gather(search *s, int leader, int_list *out) {
  const int member[2] = {leader, s->joined[leader]};
  int width = 0;
  ++s->stamp;
  for (int k = 0; k < 2; ++k)
    if (member[k] >= 0) s->mark[member[k]] = s->stamp;
  for (int k = 0; k < 2; ++k) {
    const int_list *list = member[k] >= 0 ? &s->next[member[k]] : NULL;
    for (int i = 0; list && i < list->count; ++i) {
      const int part = list->item[i];
      if (s->gone[part] || s->mark[part] == s->stamp) continue;
      s->mark[part] = s->stamp;
      width += s->size[part];
      if (out && !list_add(out, part, s->memory)) return -1;
    }
  }
  return width;
}

/* Returns the leader of the pivot that a part belongs to. */
static int leader_of(const search *s, int part) {
  return s->plan->partner[part] >= 0 ? s->plan->partner[part] : part;
}

static bool is_last(const search *s, int leader) {
  const unsigned char *last = s->plan->last;
  return last && (last[leader] || (s->joined[leader] >= 0 && last[s->joined[leader]]));
}

static bool offer(search *s, int leader) {
  if (s->waits[leader] > 0 || (is_last(s, leader) && !s->ending)) return true;
  return heap_push(s, (candidate){gather(s, leader, NULL), leader, ++s->version[leader]});
}

/* Connects the neighbours of an eliminated pivot with each other (the fill of its elimination). */
static bool connect(search *s, const int *part, int count) {
  for (int i = 0; i < count; ++i) {
    int_list *list = &s->next[part[i]];
    int kept = 0;
    ++s->stamp;
    s->mark[part[i]] = s->stamp;
    for (int k = 0; k < list->count; ++k) {
      if (s->gone[list->item[k]]) continue;
      s->mark[list->item[k]] = s->stamp;
      list->item[kept++] = list->item[k];
    }
    list->count = kept;
    for (int k = 0; k < count; ++k)
      if (s->mark[part[k]] != s->stamp && !list_add(list, part[k], s->memory)) return false;
  }
  return true;
}

static bool release_waiters(search *s, int part) {
  for (int k = s->first_waiter[part]; k < s->first_waiter[part + 1]; ++k)
    if (--s->waits[s->waiter[k]] == 0 && !offer(s, s->waiter[k])) return false;
  return true;
}

static bool eliminate(search *s, int leader) {
  const int begin = s->neighbours.count, rows = s->joined[leader];
  const double w = gather(s, leader, &s->neighbours);
  const double size = s->size[leader] + (rows >= 0 ? s->size[rows] : 0);
  const int count = s->neighbours.count - begin;
  if (w < 0 || !list_add(&s->ends, s->neighbours.count, s->memory)) return false;
  s->work[s->count] = size * (size * size * 2 / 3 + 2 * size * w + 2 * w * w);
  s->flops += s->work[s->count];
  s->leader[s->count++] = leader;
  s->gone[leader] = 1;
  if (rows >= 0) s->gone[rows] = 1;
  const int *part = count ? s->neighbours.item + begin : NULL;
  if (count && !connect(s, part, count)) return false;
  for (int i = 0; i < count; ++i)
    if (!offer(s, leader_of(s, part[i]))) return false;
  return release_waiters(s, leader);
}

static torsor_status take_memory(search *s) {
  arena *memory = s->memory;
  const size_t parts = (size_t)s->parts;
  s->next = arena_take(memory, parts, sizeof *s->next);
  s->size = arena_take(memory, parts, sizeof *s->size);
  s->joined = arena_take(memory, parts, sizeof *s->joined);
  s->version = arena_take(memory, parts, sizeof *s->version);
  s->mark = arena_take(memory, parts, sizeof *s->mark);
  s->waits = arena_take(memory, parts, sizeof *s->waits);
  s->first_waiter = arena_take(memory, parts + 2, sizeof *s->first_waiter);
  s->waiter = arena_take(memory, (size_t)s->plan->first_wait[parts], sizeof *s->waiter);
  s->gone = arena_take(memory, parts, 1);
  s->leader = arena_take(memory, parts, sizeof *s->leader);
  s->work = arena_take(memory, parts, sizeof *s->work);
  return s->next && s->size && s->joined && s->version && s->mark && s->waits && s->first_waiter &&
                 s->waiter && s->gone && s->leader && s->work
             ? TORSOR_OK
             : TORSOR_MEMORY;
}

/* Copies the graph, because the search removes parts from it. */
static bool copy_graph(search *s) {
  size_t count = 0;
  for (int a = 0; a < s->parts; ++a) count += (size_t)s->graph[a].count;
  int *item = arena_take(s->memory, count, sizeof *item);
  if (!item) return false;
  for (int a = 0; a < s->parts; ++a) {
    const int_list *from = &s->graph[a];
    s->next[a] = (int_list){item, from->count, from->count};
    if (from->count) memcpy(item, from->item, (size_t)from->count * sizeof *item);
    item += from->count;
  }
  return true;
}

/* Lists, for each part, the parts that wait for it. They are counted two indices ahead, so that
 * filling the lists leaves the first indices in place. */
static void list_waiters(search *s) {
  const block_plan *plan = s->plan;
  for (int a = 0; a < s->parts; ++a) {
    s->waits[a] = plan->first_wait[a + 1] - plan->first_wait[a];
    for (int k = plan->first_wait[a]; k < plan->first_wait[a + 1]; ++k)
      ++s->first_waiter[plan->wait[k] + 2];
  }
  for (int a = 0; a < s->parts; ++a) s->first_waiter[a + 2] += s->first_waiter[a + 1];
  for (int a = 0; a < s->parts; ++a)
    for (int k = plan->first_wait[a]; k < plan->first_wait[a + 1]; ++k)
      s->waiter[s->first_waiter[plan->wait[k] + 1]++] = a;
}

static bool eliminate_offered(search *s, const pattern *p) {
  while (s->heap_count && s->flops <= MOST_FLOPS * p->n) {
    const candidate c = heap_pop(s);
    if (s->gone[c.leader] || c.version != s->version[c.leader]) continue;
    if (!eliminate(s, c.leader)) return false;
  }
  return true;
}

static torsor_status run(search *s, bool *found, const pattern *p) {
  if (take_memory(s)) return TORSOR_MEMORY;
  for (int a = 0; a < s->parts; ++a) s->joined[a] = -1;
  for (int a = 0; a < s->parts; ++a)
    if (s->plan->partner[a] >= 0) s->joined[s->plan->partner[a]] = a;
  for (int i = 0; i < p->n; ++i) ++s->size[s->plan->of[i]];
  if (!copy_graph(s)) return TORSOR_MEMORY;
  list_waiters(s);
  for (int turn = 0; turn < 2; ++turn) {
    s->ending = turn > 0;
    for (int a = 0; a < s->parts; ++a)
      if (leader_of(s, a) == a && !s->gone[a] && (!turn || is_last(s, a)) && !offer(s, a))
        return TORSOR_MEMORY;
    if (!eliminate_offered(s, p)) return TORSOR_MEMORY;
    if (!s->plan->last) break;
  }
  *found = s->flops <= MOST_FLOPS * p->n;
  return TORSOR_OK;
}

/* ---- groups --------------------------------------------------------------------------------- */

/* Returns the parts that are neighbours of the k-th eliminated pivot. */
static const int *neighbours_of(int *count, const search *s, int k) {
  const int begin = k ? s->ends.item[k - 1] : 0;
  *count = s->ends.item[k] - begin;
  return *count ? s->neighbours.item + begin : NULL;
}

/* A search with its elimination tree, and the way that this is split into groups. */
typedef struct trial {
  block_plan plan; /* the search's plan, other than for the first trial */
  search s;
  block_tree tree;
  int *position; /* [parts] index of a leader's pivot in the order of elimination */
  block_split split;
} trial;

static torsor_status find_tree(trial *t, arena *scratch) {
  const search *s = &t->s;
  t->position = arena_take(scratch, (size_t)s->parts, sizeof *t->position);
  t->tree = (block_tree){.count = s->count,
                         .parent = arena_take(scratch, (size_t)s->count, sizeof *t->tree.parent),
                         .work = s->work};
  if (!t->position || !t->tree.parent) return TORSOR_MEMORY;
  for (int k = 0; k < s->count; ++k) t->position[s->leader[k]] = k;
  for (int k = 0; k < s->count; ++k) {
    int count, first = s->count;
    const int *part = neighbours_of(&count, s, k);
    for (int i = 0; i < count; ++i) {
      const int other = t->position[leader_of(s, part[i])];
      if (other < first) first = other;
    }
    t->tree.parent[k] = first;
  }
  return TORSOR_OK;
}

/* Returns the number of operations by which the groups' pivots update the top of the tree, which
 * are made when all groups have ended. */
static double work_left(const trial *t) {
  const search *s = &t->s;
  double left = 0;
  for (int k = 0; k < s->count; ++k) {
    int count, size = s->size[s->leader[k]], width = 0;
    const int *part = neighbours_of(&count, s, k);
    if (t->split.group[k] == t->split.groups) continue;
    if (s->joined[s->leader[k]] >= 0) size += s->size[s->joined[s->leader[k]]];
    for (int i = 0; i < count; ++i)
      if (t->split.group[t->position[leader_of(s, part[i])]] == t->split.groups)
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
  const search *s = &t->s;
  unsigned char *last = arena_take(scratch, (size_t)s->parts, 1);
  const int place = block_split_place(&t->tree, part, scratch);
  int count, width = 0;
  *out = NULL;
  if (!last) return TORSOR_MEMORY;
  if (place < 0) return TORSOR_OK;
  const int *changed = neighbours_of(&count, s, place);
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
  out->s = (search){
      .memory = scratch, .plan = &out->plan, .parts = out->plan.parts, .graph = first->s.graph};
  status = run(&out->s, found, p);
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
static torsor_status choose(const trial **out, trial tried[3], const pattern *p, arena *scratch) {
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

/* ---- the order ------------------------------------------------------------------------------ */

/* Sorts the pivots by groups, and within each group in the order of elimination, into sequence
 * [pivots]. */
static void sort_by_group(int *sequence, block_order *out, const trial *t) {
  const int groups = t->split.longest <= WORTH_GROUPS ? t->split.groups : 0;
  int at = 0;
  out->groups = groups;
  for (int g = 0; g <= groups; ++g) {
    out->first_pivot[g] = at;
    for (int k = 0; k < t->s.count; ++k)
      if (!groups || t->split.group[k] == g) sequence[at++] = k;
  }
}

/* Numbers the unknowns in the order of elimination: fills unknown, place and pivot_of. `first`
 * [parts] receives the first index of each part. */
static void number_places(block_order *out, int *first, const int *sequence, const search *s,
                          const pattern *p) {
  int place = 0;
  for (int k = 0; k < s->count; ++k) {
    const int leader = s->leader[sequence[k]], member[2] = {leader, s->joined[leader]};
    out->pivot[k].first = place;
    for (int m = 0; m < 2; ++m) {
      if (member[m] < 0) continue;
      first[member[m]] = place;
      for (int i = 0; i < s->size[member[m]]; ++i) out->pivot_of[place++] = k;
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

static void list_pivots(block_order *out, const int *first, const int *sequence, const search *s) {
  int next = 0;
  for (int k = 0; k < s->count; ++k) {
    block_pivot *pivot = &out->pivot[k];
    const int *part = neighbours_of(&pivot->neighbours, s, sequence[k]);
    pivot->first_neighbour = next;
    next += pivot->neighbours;
    block_neighbour *list = out->neighbour + pivot->first_neighbour;
    for (int i = 0; i < pivot->neighbours; ++i) {
      int at = i;
      for (; at > 0 && list[at - 1].first > first[part[i]]; --at) list[at] = list[at - 1];
      list[at] = (block_neighbour){.first = first[part[i]], .size = s->size[part[i]]};
    }
    for (int i = 0; i < pivot->neighbours; ++i) {
      list[i].offset = pivot->width;
      pivot->width += list[i].size;
    }
  }
}

static torsor_status write_order(block_order *out, const trial *t, const pattern *p, arena *memory,
                                 arena *scratch) {
  const search *s = &t->s;
  const size_t n = (size_t)p->n, count = (size_t)s->count;
  int *first = arena_take(scratch, (size_t)s->parts, sizeof *first);
  int *sequence = arena_take(scratch, count, sizeof *sequence);
  out->count = s->count;
  out->flops = s->flops;
  out->pivot = arena_take(memory, count, sizeof *out->pivot);
  out->neighbour = arena_take(memory, (size_t)s->neighbours.count, sizeof *out->neighbour);
  out->unknown = arena_take(memory, n, sizeof *out->unknown);
  out->place = arena_take(memory, n, sizeof *out->place);
  out->pivot_of = arena_take(memory, n, sizeof *out->pivot_of);
  if (!first || !sequence || !out->pivot || !out->neighbour || !out->unknown || !out->place ||
      !out->pivot_of)
    return TORSOR_MEMORY;
  sort_by_group(sequence, out, t);
  number_places(out, first, sequence, s, p);
  list_pivots(out, first, sequence, s);
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
      if (!list_add(&graph[a], b, memory) || !list_add(&graph[b], a, memory)) return false;
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
  if (!plan->usable) return TORSOR_OK;
  arena scratch = {0};
  const size_t parts = (size_t)plan->parts;
  int_list *graph = arena_take(&scratch, parts, sizeof *graph);
  int *mark = arena_take(&scratch, parts, sizeof *mark);
  trial tried[3] = {{.s = {.memory = &scratch, .plan = plan, .parts = plan->parts, .graph = graph},
                     .split = {.longest = 1}}};
  const trial *best = &tried[0];
  torsor_status status = TORSOR_MEMORY;
  if (graph && mark && list_neighbours(graph, mark, p, plan, &scratch))
    status = run(&tried[0].s, found, p);
  if (!status && *found && p->n >= LEAST_GROUPED) status = choose(&best, tried, p, &scratch);
  if (!status && *found) status = write_order(out, best, p, memory, &scratch);
  arena_release(&scratch);
  return status;
}
