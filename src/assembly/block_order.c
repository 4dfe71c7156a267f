/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/block_order.h"

#include <stdlib.h>
#include <string.h>

/* Operations per unknown: a tree of bodies takes 200 to 500.  Fronts of more than 30 unknowns or so are
 * those of meshes, where orders for single columns have less fill. */
static const double MOST_FLOPS = 3000;

typedef struct int_list {
  int *item, count, size;
} int_list;

static bool list_add(int_list *list, int value) {
  if (list->count == list->size) {
    const int size = 2 * list->size + 8;
    int *item = realloc(list->item, (size_t)size * sizeof *item);
    if (!item) return false;
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
  const block_plan *plan;
  int parts;
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
  double flops;
} search;

static bool before(const candidate *a, const candidate *b) {
  return a->width != b->width ? a->width < b->width : a->leader < b->leader;
}

static bool heap_push(search *s, candidate c) {
  if (s->heap_count == s->heap_size) {
    const int size = 2 * s->heap_size + 64;
    candidate *heap = realloc(s->heap, (size_t)size * sizeof *heap);
    if (!heap) return false;
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
      if (out && !list_add(out, part)) return -1;
    }
  }
  return width;
}

/* The leader of a part's pivot. */
static int leader_of(const search *s, int part) {
  return s->plan->partner[part] >= 0 ? s->plan->partner[part] : part;
}

static bool offer(search *s, int leader) {
  if (s->waits[leader] > 0) return true;
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
      if (s->mark[part[k]] != s->stamp && !list_add(list, part[k])) return false;
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
  if (w < 0 || !list_add(&s->ends, s->neighbours.count)) return false;
  s->leader[s->count++] = leader;
  s->flops += size * (size * size * 2 / 3 + 2 * size * w + 2 * w * w);
  s->gone[leader] = 1;
  if (rows >= 0) s->gone[rows] = 1;
  const int *part = count ? s->neighbours.item + begin : NULL;
  if (count && !connect(s, part, count)) return false;
  for (int i = 0; i < count; ++i)
    if (!offer(s, leader_of(s, part[i]))) return false;
  return release_waiters(s, leader);
}

static torsor_status take_memory(search *s, arena *memory) {
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
  return s->next && s->size && s->joined && s->version && s->mark && s->waits && s->first_waiter &&
                 s->waiter && s->gone && s->leader
             ? TORSOR_OK
             : TORSOR_MEMORY;
}

/* Neighbours by the pattern, in both directions. */
static bool list_neighbours(search *s, const pattern *p) {
  const int *of = s->plan->of;
  for (int j = 0; j < p->n; ++j) {
    int last = -1;
    for (int k = p->Ap[j]; k < p->Ap[j + 1]; ++k) {
      const int a = of[j], b = of[p->Ai[k]];
      if (b == a || b == last) continue;
      last = b;
      if (!list_add(&s->next[a], b) || !list_add(&s->next[b], a)) return false;
    }
  }
  for (int a = 0; a < s->parts; ++a) {
    int_list *list = &s->next[a];
    int kept = 0;
    ++s->stamp;
    for (int k = 0; k < list->count; ++k) {
      if (s->mark[list->item[k]] == s->stamp) continue;
      s->mark[list->item[k]] = s->stamp;
      list->item[kept++] = list->item[k];
    }
    list->count = kept;
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

static torsor_status run(search *s, bool *found, const pattern *p, arena *memory) {
  if (take_memory(s, memory)) return TORSOR_MEMORY;
  for (int a = 0; a < s->parts; ++a) s->joined[a] = -1;
  for (int a = 0; a < s->parts; ++a)
    if (s->plan->partner[a] >= 0) s->joined[s->plan->partner[a]] = a;
  for (int i = 0; i < p->n; ++i) ++s->size[s->plan->of[i]];
  if (!list_neighbours(s, p)) return TORSOR_MEMORY;
  list_waiters(s);
  for (int a = 0; a < s->parts; ++a)
    if (leader_of(s, a) == a && !offer(s, a)) return TORSOR_MEMORY;
  while (s->heap_count && s->flops <= MOST_FLOPS * p->n) {
    const candidate c = heap_pop(s);
    if (s->gone[c.leader] || c.version != s->version[c.leader]) continue;
    if (!eliminate(s, c.leader)) return TORSOR_MEMORY;
  }
  *found = s->flops <= MOST_FLOPS * p->n;
  return TORSOR_OK;
}

/* unknown, place and pivot_of; `first` [parts] receives the place of each part. */
static void number_places(block_order *out, int *first, const search *s, const pattern *p) {
  int place = 0;
  for (int k = 0; k < s->count; ++k) {
    const int member[2] = {s->leader[k], s->joined[s->leader[k]]};
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

static void list_pivots(block_order *out, const int *first, const search *s) {
  for (int k = 0; k < s->count; ++k) {
    block_pivot *pivot = &out->pivot[k];
    pivot->first_neighbour = k ? s->ends.item[k - 1] : 0;
    pivot->neighbours = s->ends.item[k] - pivot->first_neighbour;
    block_neighbour *list = out->neighbour + pivot->first_neighbour;
    for (int i = 0; i < pivot->neighbours; ++i) {
      const int part = s->neighbours.item[pivot->first_neighbour + i];
      int at = i;
      for (; at > 0 && list[at - 1].first > first[part]; --at) list[at] = list[at - 1];
      list[at] = (block_neighbour){.first = first[part], .size = s->size[part]};
    }
    for (int i = 0; i < pivot->neighbours; ++i) {
      list[i].offset = pivot->width;
      pivot->width += list[i].size;
    }
  }
}

static torsor_status write_order(block_order *out, const search *s, const pattern *p, arena *memory,
                                 arena *scratch) {
  const size_t n = (size_t)p->n;
  int *first = arena_take(scratch, (size_t)s->parts, sizeof *first);
  out->count = s->count;
  out->flops = s->flops;
  out->pivot = arena_take(memory, (size_t)s->count, sizeof *out->pivot);
  out->neighbour = arena_take(memory, (size_t)s->neighbours.count, sizeof *out->neighbour);
  out->unknown = arena_take(memory, n, sizeof *out->unknown);
  out->place = arena_take(memory, n, sizeof *out->place);
  out->pivot_of = arena_take(memory, n, sizeof *out->pivot_of);
  if (!first || !out->pivot || !out->neighbour || !out->unknown || !out->place || !out->pivot_of)
    return TORSOR_MEMORY;
  number_places(out, first, s, p);
  list_pivots(out, first, s);
  return TORSOR_OK;
}

torsor_status block_order_find(block_order *out, bool *found, const pattern *p,
                               const block_plan *plan, arena *memory) {
  *out = (block_order){0};
  *found = false;
  if (!plan->usable) return TORSOR_OK;
  arena scratch = {0};
  search s = {.plan = plan, .parts = plan->parts};
  torsor_status status = run(&s, found, p, &scratch);
  if (!status && *found) status = write_order(out, &s, p, memory, &scratch);
  for (int a = 0; s.next && a < s.parts; ++a) free(s.next[a].item);
  free(s.heap);
  free(s.neighbours.item);
  free(s.ends.item);
  arena_release(&scratch);
  return status;
}
