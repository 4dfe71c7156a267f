/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/block_search.h"

#include <string.h>

/* Operations per unknown beyond which a search is given up: a tree of bodies takes 200 to 500, a
 * frame in space of 10,000 beam elements 5,000, and fronts of this many are those of models whose
 * matrices no computer holds. */
static const double MOST_FLOPS = 1e6;

bool int_list_add(int_list *list, int value, arena *memory) {
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

static bool before(const block_candidate *a, const block_candidate *b) {
  return a->width != b->width ? a->width < b->width : a->leader < b->leader;
}

static bool heap_push(block_search *s, block_candidate c) {
  if (s->heap_count == s->heap_size) {
    const int size = 2 * s->heap_size + 64;
    block_candidate *heap = arena_take(s->memory, (size_t)size, sizeof *heap);
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

static block_candidate heap_pop(block_search *s) {
  const block_candidate top = s->heap[0], last = s->heap[--s->heap_count];
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
static int gather(block_search *s, int leader, int_list *out) {
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
      if (out && !int_list_add(out, part, s->memory)) return -1;
    }
  }
  return width;
}

int block_search_leader(const block_search *s, int part) {
  return s->plan->partner[part] >= 0 ? s->plan->partner[part] : part;
}

static bool is_last(const block_search *s, int leader) {
  const unsigned char *last = s->plan->last;
  return last && (last[leader] || (s->joined[leader] >= 0 && last[s->joined[leader]]));
}

static bool offer(block_search *s, int leader) {
  if (s->waits[leader] > 0 || (is_last(s, leader) && !s->ending)) return true;
  const int key = s->rank ? s->rank[leader] : gather(s, leader, NULL);
  return heap_push(s, (block_candidate){key, leader, ++s->version[leader]});
}

/* Connects the neighbours of an eliminated pivot with each other (the fill of its elimination). */
static bool connect(block_search *s, const int *part, int count) {
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
      if (s->mark[part[k]] != s->stamp && !int_list_add(list, part[k], s->memory)) return false;
  }
  return true;
}

static bool release_waiters(block_search *s, int part) {
  for (int k = s->first_waiter[part]; k < s->first_waiter[part + 1]; ++k)
    if (--s->waits[s->waiter[k]] == 0 && !offer(s, s->waiter[k])) return false;
  return true;
}

static bool eliminate(block_search *s, int leader) {
  const int begin = s->neighbours.count, rows = s->joined[leader];
  const double w = gather(s, leader, &s->neighbours);
  const double size = s->size[leader] + (rows >= 0 ? s->size[rows] : 0);
  const int count = s->neighbours.count - begin;
  if (w < 0 || !int_list_add(&s->ends, s->neighbours.count, s->memory)) return false;
  s->work[s->count] = size * (size * size * 2 / 3 + 2 * size * w + 2 * w * w);
  s->flops += s->work[s->count];
  s->leader[s->count++] = leader;
  s->gone[leader] = 1;
  if (rows >= 0) s->gone[rows] = 1;
  const int *part = count ? s->neighbours.item + begin : NULL;
  if (count && !connect(s, part, count)) return false;
  for (int i = 0; i < count; ++i)
    if (!offer(s, block_search_leader(s, part[i]))) return false;
  return release_waiters(s, leader);
}

static torsor_status take_memory(block_search *s) {
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
static bool copy_graph(block_search *s) {
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
static void list_waiters(block_search *s) {
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

static bool eliminate_offered(block_search *s, const pattern *p) {
  while (s->heap_count && s->flops <= MOST_FLOPS * p->n) {
    const block_candidate c = heap_pop(s);
    if (s->gone[c.leader] || c.version != s->version[c.leader]) continue;
    if (!eliminate(s, c.leader)) return false;
  }
  return true;
}

torsor_status block_search_run(block_search *s, bool *found, const pattern *p) {
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
      if (block_search_leader(s, a) == a && !s->gone[a] && (!turn || is_last(s, a)) && !offer(s, a))
        return TORSOR_MEMORY;
    if (!eliminate_offered(s, p)) return TORSOR_MEMORY;
    if (!s->plan->last) break;
  }
  *found = s->flops <= MOST_FLOPS * p->n;
  return TORSOR_OK;
}

int block_search_size(const block_search *s, int k) {
  const int rows = s->joined[s->leader[k]];
  return s->size[s->leader[k]] + (rows >= 0 ? s->size[rows] : 0);
}

const int *block_search_neighbours(int *count, const block_search *s, int k) {
  const int begin = k ? s->ends.item[k - 1] : 0;
  *count = s->ends.item[k] - begin;
  return *count ? s->neighbours.item + begin : NULL;
}
