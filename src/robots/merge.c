/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "liegroup/moments.h"
#include "robots/robot.h"

/* Longest name of an element, and of a marker. */
enum { NAME = 63 };

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct word {
  const char *name;
  long number; /* place in the file, which makes the order of equal ones */
  const char **out;
} word;

static int compare_words(const void *a, const void *b) {
  const word *left = a, *right = b;
  const int order = strcmp(left->name, right->name);
  return order ? order : (left->number > right->number) - (left->number < right->number);
}

/* A name of letters, digits and _, beginning with a letter, that leaves room for endings. */
static void clean(char out[NAME + 1], const char *name) {
  enum { ROOM = NAME - 14 };
  int n = 0;
  if (!((name[0] >= 'A' && name[0] <= 'Z') || (name[0] >= 'a' && name[0] <= 'z'))) out[n++] = 'l';
  for (int i = 0; name[i] && n < ROOM; ++i) {
    const char c = name[i];
    const bool good = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    out[n++] = good ? c : '_';
  }
  out[n] = '\0';
  if (strcmp(out, "ground") == 0) strcpy(out, "ground_");
}

static torsor_status name_one(const char **out, robot *r, const char *name, const char *ending) {
  char cleaned[NAME + 1], full[NAME + 32];
  clean(cleaned, name);
  snprintf(full, sizeof full, "%s%s", cleaned, ending);
  *out = arena_string(&r->memory, full);
  return *out ? TORSOR_OK : robot_no_memory(r);
}

static long count_words(const robot *r) {
  long count = 0;
  for (const robot_link *l = r->link; l; l = l->next) ++count;
  for (const robot_joint *j = r->joint; j; j = j->next) ++count;
  return count;
}

/* Names of links and joints are unique together in a scene: equal ones get numbers. */
static torsor_status name_all(robot *r) {
  const long most = count_words(r);
  word *words = calloc((size_t)most + 1, sizeof *words);
  if (!words) return robot_no_memory(r);
  torsor_status status = TORSOR_OK;
  long count = 0;
  for (robot_link *l = r->link; l && !status; l = l->next) {
    status = name_one(&l->in_scene, r, l->name, "");
    words[count] = (word){l->in_scene, count, &l->in_scene};
    ++count;
  }
  for (robot_joint *j = r->joint; j && !status; j = j->next) {
    status = name_one(&j->in_scene, r, j->name, "");
    words[count] = (word){j->in_scene, count, &j->in_scene};
    ++count;
  }
  if (!status) qsort(words, (size_t)count, sizeof *words, compare_words);
  long copies = 0;
  for (long i = 1; i < count && !status; ++i) {
    char ending[24];
    copies = strcmp(words[i].name, words[i - 1].name) == 0 ? copies + 1 : 0;
    if (!copies) continue;
    snprintf(ending, sizeof ending, "_n%ld", copies + 1);
    status = name_one(words[i].out, r, words[i].name, ending);
  }
  free(words);
  return status;
}

/* Names of inputs; equal ones, as of actuators without a name, get numbers. */
static torsor_status name_actuators(robot *r) {
  torsor_status status = TORSOR_OK;
  for (robot_actuator *a = r->actuator; a && !status; a = a->next) {
    int copies = 1;
    for (const robot_actuator *b = r->actuator; b != a; b = b->next)
      copies += strcmp(b->name, a->name) == 0;
    char ending[24] = "";
    if (copies > 1) snprintf(ending, sizeof ending, "_n%d", copies);
    status = name_one(&a->in_scene, r, a->name, ending);
  }
  return status;
}

static torsor_status say_names(robot *r) {
  torsor_status status = TORSOR_OK;
  for (const robot_link *l = r->link; l && !status; l = l->next)
    if (!l->unnamed && strcmp(l->name, l->in_scene) != 0)
      status = robot_say(r, l->line, "link \"%.80s\" is called %s", l->name, l->in_scene);
  for (const robot_joint *j = r->joint; j && !status; j = j->next)
    if (!j->unnamed && strcmp(j->name, j->in_scene) != 0)
      status = robot_say(r, j->line, "joint \"%.80s\" is called %s", j->name, j->in_scene);
  return status;
}

/* ---- tree ------------------------------------------------------------------------------------ */

typedef struct order {
  robot_link **link; /* [count] each behind that which holds it */
  int count;
} order;

static torsor_status find_depths(order *o, const robot *r) {
  for (const robot_link *l = r->link; l; l = l->next) {
    int depth = 0;
    for (const robot_link *at = l; at->up; at = at->up->parent)
      if (++depth > o->count)
        return robot_fail(r, l->up->line, NULL,
                          "joint \"%s\": the links hold each other in a circle", l->up->name);
  }
  return TORSOR_OK;
}

static int depth_of(const robot_link *link) {
  int depth = 0;
  for (; link->up; link = link->up->parent) ++depth;
  return depth;
}

typedef struct deep {
  robot_link *link;
  int depth, number;
} deep;

static int compare_depths(const void *a, const void *b) {
  const deep *left = a, *right = b;
  const int first = (left->depth > right->depth) - (left->depth < right->depth);
  return first ? first : (left->number > right->number) - (left->number < right->number);
}

/* The links, each behind that which holds it. */
static torsor_status sort_links(order *o, robot *r) {
  for (const robot_link *l = r->link; l; l = l->next) ++o->count;
  torsor_status status = find_depths(o, r);
  if (status) return status;
  deep *list = calloc((size_t)o->count + 1, sizeof *list);
  o->link = arena_take(&r->memory, (size_t)o->count, sizeof *o->link);
  if (!list || !o->link) {
    free(list);
    return robot_no_memory(r);
  }
  int n = 0;
  for (robot_link *l = r->link; l; l = l->next, ++n) list[n] = (deep){l, depth_of(l), n};
  qsort(list, (size_t)n, sizeof *list, compare_depths);
  for (int i = 0; i < n; ++i) o->link[i] = list[i].link;
  free(list);
  return TORSOR_OK;
}

static void find_bodies(const order *o, const robot *r) {
  for (int i = 0; i < o->count; ++i) {
    robot_link *l = o->link[i];
    l->body = l;
    if (!l->up) {
      if (r->fixed || strcmp(l->name, "world") == 0) l->body = NULL;
    } else if (l->up->kind == ROBOT_FIXED) {
      l->body = l->up->parent->body;
      l->in_body = se3_compose(l->up->parent->in_body, robot_frame(&l->up->pose));
    }
    if (!l->body || !(l->mass > 0)) continue;
    l->body->whole_mass += l->mass;
    l->body->heavy = l;
    ++l->body->parts;
  }
}

/* A root without mass is a part of the ground. */
static torsor_status ground_roots(const order *o, robot *r) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < o->count && !status; ++i) {
    robot_link *root = o->link[i];
    if (root->up || !root->body) continue;
    if (root->whole_mass > 0) {
      status = robot_say(r, root->line,
                         "nothing holds the root \"%s\", so that it moves freely: "
                         "--fixed makes it a part of the ground",
                         root->name);
      continue;
    }
    for (int k = 0; k < o->count; ++k)
      if (o->link[k]->body == root) o->link[k]->body = NULL;
    status = robot_say(r, root->line, "the root \"%s\" has no mass: it is a part of the ground",
                       root->name);
  }
  return status;
}

/* The body that holds the body `b` by a joint. */
static robot_link *holder(const robot_link *b) {
  return b->up ? b->up->parent->body : NULL;
}

/* Bodies without mass on which nothing hangs are left out, from the ends inwards. */
static torsor_status leave_out(const order *o, robot *r) {
  torsor_status status = TORSOR_OK;
  for (int i = o->count - 1; i >= 0 && !status; --i) {
    robot_link *b = o->link[i];
    if (b->body != b || b->whole_mass > 0) continue;
    bool bears = false;
    for (int k = i + 1; k < o->count && !bears; ++k) {
      const robot_link *other = o->link[k];
      bears = other->body == other && !other->left_out && other->up && holder(other) == b;
    }
    if (bears)
      return robot_fail(r, b->line, "give it a mass, or leave out one of the joints",
                        "link \"%s\" moves and has no mass, and others hang on it", b->name);
    b->left_out = true;
    status = robot_say(r, b->line,
                       "link \"%s\" has no mass and nothing hangs on it: it is left out "
                       "with joint \"%s\"",
                       b->name, b->up ? b->up->name : "");
  }
  for (int i = 0; i < o->count; ++i)
    if (o->link[i]->body && o->link[i]->body->left_out) o->link[i]->left_out = true;
  return status;
}

/* ---- masses ---------------------------------------------------------------------------------- */

static m3 inertia_of(const robot_link *l) {
  m3 J = m3_diagonal(v3_load(l->moments));
  J.m[0][1] = J.m[1][0] = l->products[0];
  J.m[0][2] = J.m[2][0] = l->products[1];
  J.m[1][2] = J.m[2][1] = l->products[2];
  return J;
}

static void find_centers(const order *o) {
  for (int i = 0; i < o->count; ++i) {
    const robot_link *l = o->link[i];
    if (!l->body || !(l->mass > 0)) continue;
    const v3 c = se3_point(l->in_body, l->inertial.x);
    l->body->center = v3_axpy(l->mass / l->body->whole_mass, c, l->body->center);
  }
}

static void find_inertias(const order *o) {
  for (int i = 0; i < o->count; ++i) {
    const robot_link *l = o->link[i];
    if (!l->body || !(l->mass > 0)) continue;
    const m3 R = so3_matrix(so3_compose(l->in_body.R, l->inertial.R));
    const v3 d = v3_sub(se3_point(l->in_body, l->inertial.x), l->body->center);
    const m3 own = m3_mul(R, m3_mul(inertia_of(l), m3_transpose(R)));
    const m3 arm = m3_sub(m3_scale(m3_identity(), v3_dot(d, d)), m3_outer(d, d));
    l->body->inertia = m3_add(l->body->inertia, m3_add(own, m3_scale(arm, l->mass)));
  }
}

/* Entries that are rounding alone are 0. */
static void clean_inertias(const order *o) {
  for (int i = 0; i < o->count; ++i) {
    m3 *J = &o->link[i]->inertia;
    const double floor = 16 * DBL_EPSILON * m3_largest(*J);
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l)
        if (fabs(J->m[k][l]) <= floor) J->m[k][l] = 0;
  }
}

static torsor_status check_inertias(const order *o, const robot *r) {
  for (int i = 0; i < o->count; ++i) {
    const robot_link *b = o->link[i];
    if (b->body != b || b->left_out) continue;
    const v3 J = moments_principal(b->inertia);
    if (J.z > 0 && moments_of_body(J)) continue;
    return robot_fail(r, b->heavy->line,
                      "mend it in the file: each principal moment is positive and "
                      "none exceeds the sum of the other two",
                      "link \"%s\": its inertia is that of no body: principal moments %g, %g, %g",
                      b->heavy->name, J.x, J.y, J.z);
  }
  return TORSOR_OK;
}

torsor_status robot_merge(robot *r) {
  order o = {0};
  torsor_status status = name_all(r);
  if (!status) status = name_actuators(r);
  if (!status) status = say_names(r);
  if (!status) status = sort_links(&o, r);
  if (status) return status;
  find_bodies(&o, r);
  status = ground_roots(&o, r);
  if (!status) status = leave_out(&o, r);
  if (status) return status;
  find_centers(&o);
  find_inertias(&o);
  clean_inertias(&o);
  r->link_order = o.link;
  r->links = o.count;
  return check_inertias(&o, r);
}
