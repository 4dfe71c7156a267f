/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/block_order.h"

#include <math.h>
#include <string.h>

/* Operations per unknown: a tree of bodies takes 200 to 500.  Fronts of more than 30 unknowns or so
 * are those of meshes, where orders for single columns have less fill. */
static const double MOST_FLOPS = 3000;

/* Unknowns below which a solution takes less time than threads wait for each other. */
static const int LEAST_GROUPED = 3000;

/* What a cut may cost more than the order without it, what is worth one: the end that groups of
 * that order would come to, in parts of all work, and what is worth groups. */
static const double MOST_MORE = 1.35, WORTH_A_CUT = 0.65, WORTH_GROUPS = 0.8;

/* Widest front that a cut goes through. */
enum { WIDEST_CUT = 24 };

typedef struct int_list {
  int *item, count, size;
} int_list;

/* What a list leaves when it grows stays in the arena, which lasts as long as the search. */
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

/* A candidate in the heap; it is stale when its version is not the leader's. */
typedef struct candidate {
  int width, leader, version;
} candidate;

/* Leaders are the parts that name a pivot: nodes, and rows that go with no node. */
typedef struct search {
  arena *memory;
  const block_plan *plan;
  int parts;
  const int_list *graph;        /* [parts] neighbours of each by the pattern, once */
  int_list *next;               /* [parts] neighbours; some may be gone */
  int *size, *joined, *version; /* [parts] unknowns; rows that go with it or -1 */
  int *mark, stamp;             /* [parts] */
  int *waits;                   /* [parts] how many it still waits for */
  int *first_waiter, *waiter;   /* who waits for a part */
  unsigned char *gone;          /* [parts] */
  candidate *heap;
  int heap_count, heap_size;
  int *leader;               /* in the order of elimination ... */
  int_list neighbours, ends; /* ... their neighbours, and where those end */
  int count;
  double flops, *work; /* in all, and of each pivot */
  bool ending;         /* those that come last have their turn */
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

/* Append the neighbours of the leader and of what goes with it; returns their width, -1 without
 * memory. */
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

/* The leader of a part's pivot. */
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

/* The neighbours of an eliminated pivot become each other's. */
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

/* A graph of its own, from which parts go. */
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

/* Counted two places ahead, so that filling leaves the begins. */
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

/* The neighbours of the pivot that was eliminated k-th: their parts. */
static const int *neighbours_of(int *count, const search *s, int k) {
  const int begin = k ? s->ends.item[k - 1] : 0;
  *count = s->ends.item[k] - begin;
  return *count ? s->neighbours.item + begin : NULL;
}

/* A search with the tree of its pivots, and how that is split. */
typedef struct trial {
  block_plan plan; /* of the search, but the first one's */
  search s;
  block_tree tree;
  int *position; /* [parts] when the pivot of a leader is eliminated */
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

/* What groups leave to be done in the top after them, when all of them have ended. */
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

/* What a pivot with such a part of the tree below it changes; NULL where that is too wide. */
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

/* The order where the tree of the first one is cut; *found = false where there is none. */
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

/* The part below the cut with which both sides of it end together: what is below costs as much as
 * before, what is above as much for each part as where half of the tree is above. */
static double balanced_part(const trial *first, const trial *half) {
  const double above = 2 * half->s.flops - first->s.flops;
  return above / (first->s.flops + above);
}

/* Work until the end, where groups are eliminated at once. */
static double end_of(const trial *t) {
  return t->split.longest * t->s.flops;
}

/* In the middle first, and then where both halves end together. */
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

/* sequence [pivots]: by groups, in the order of elimination within each. */
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

/* unknown, place and pivot_of; `first` [parts] receives the place of each part. */
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

/* Neighbours by the pattern, in both directions; mark [parts] is work. */
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
