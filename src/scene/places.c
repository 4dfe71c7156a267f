/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "scene/element_name.h"
#include "scene/joint_start.h"
#include "scene/physical.h"
#include "scene/repeat.h"

/* Where something stands in the scene, for messages, and what its names mean. */
typedef struct origin {
  json_node node;
  const char *index; /* name of the index of a repeated object, else NULL */
  double i;
  const scene_space *space;
} origin;

/* A joint that places its body b. */
typedef struct placing {
  struct placing *next;
  origin at;
  const char *name, *a;
  se3 frame_a, frame_b; /* of the markers, in their bodies */
  joint_start start;
} placing;

typedef enum progress { NEW, WAITING, DONE } progress;

typedef struct place {
  struct place *next, *asker; /* asker: the place that waits for this one */
  origin at;
  const char *name;
  const char *in; /* a body or a marker, NULL: inertial axes */
  const placing *by;
  bool composite, assembly; /* of many frames; the frame of an assembly, no body */
  bool moves, spins, spin_in_body;
  progress progress;
  se3 own, frame;
  v3 velocity, spin; /* inertial axes once it is done */
} place;

typedef struct named_marker {
  struct named_marker *next;
  const char *name, *body;
  se3 frame;
} named_marker;

struct scene_places {
  arena memory;
  place *first;
  named_marker *marker;
  placing *joint;
  place **place;          /* [count] sorted by name */
  named_marker **of_name; /* [markers] sorted by name */
  size_t count, markers;
};

/* The object that is being read, and where it goes. */
typedef struct collecting {
  scene_places *places;
  const torsor_registry *registry;
  const repeat *all;
  const json_node *element;
  origin at;
} collecting;

static bool is_ground(const char *name) {
  return strcmp(name, "ground") == 0;
}

/* The assembly in which something stands; NULL: none. */
static const scene_space *assembly_of(const origin *at) {
  return at->space && at->space->model ? at->space : NULL;
}

static torsor_status out_of_memory(const reader *r) {
  return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

static torsor_status keep_text(const char **out, const collecting *c, const char *text) {
  *out = arena_string(&c->places->memory, text);
  return *out ? TORSOR_OK : out_of_memory(&c->all->r);
}

static torsor_status read_frame(se3 *out, const reader *r, const json_node *object) {
  const json_node position = json_member(object, "position");
  const json_node orientation = json_member(object, "orientation");
  torsor_status status = TORSOR_OK;
  *out = se3_identity();
  if (position.item) status = reader_vector(&out->x, r, &position);
  if (!status && orientation.item) status = physical_orientation(&out->R, r, &orientation);
  return status;
}

/* ---- named markers --------------------------------------------------------------------------- */

static torsor_status read_marker(const collecting *c, const char *body, const json_node *node) {
  static const char *const keys[] = {"position", "orientation"};
  const reader *r = &c->all->r;
  const char *key = node->path.key;
  char full[ELEMENT_NAME + EXPRESSION_NAME + 2];
  char shown[96];
  if (!expression_is_name(key))
    return reader_fail_key(r, node, "letters, digits and _, beginning with a letter or _",
                           "%s cannot be the name of a marker", reader_show_text(key, shown));
  torsor_status status = reader_object(r, node, "a marker of a body", keys, 2);
  named_marker *marker = arena_take(&c->places->memory, 1, sizeof *marker);
  if (!marker) return out_of_memory(r);
  snprintf(full, sizeof full, "%s.%s", body, key);
  if (!status) status = read_frame(&marker->frame, r, node);
  if (!status) status = keep_text(&marker->name, c, full);
  if (!status) status = keep_text(&marker->body, c, body);
  if (status) return status;
  marker->next = c->places->marker;
  c->places->marker = marker;
  ++c->places->markers;
  return TORSOR_OK;
}

static torsor_status read_markers(const collecting *c, const char *body, const json_node *element) {
  const json_node markers = json_member(element, "markers");
  const reader *r = &c->all->r;
  if (!markers.item) return TORSOR_OK;
  if (!cJSON_IsObject(markers.item))
    return reader_object(r, &markers, "the markers of a body", NULL, 0);
  torsor_status status = TORSOR_OK;
  for (const cJSON *item = markers.item->child; item && !status; item = item->next) {
    if (reader_is_comment(item->string)) continue;
    const json_node node = {item, {&markers.path, item->string, 0}};
    status = read_marker(c, body, &node);
  }
  return status;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static torsor_status read_motion(place *p, const reader *r, const json_node *element) {
  const json_node velocity = json_member(element, "velocity");
  const json_node spin = json_member(element, "angular_velocity");
  torsor_angular_velocity turning = {0};
  torsor_status status = TORSOR_OK;
  p->moves = velocity.item != NULL;
  p->spins = spin.item != NULL;
  if (velocity.item) status = reader_vector(&p->velocity, r, &velocity);
  if (!status && spin.item) status = physical_angular_velocity(&turning, r, &spin);
  p->spin = turning.value;
  p->spin_in_body = !turning.in_inertial;
  return status;
}

static torsor_status refuse_composite(const place *p, const collecting *c, const char *key) {
  const json_node node = json_member(c->element, key);
  if (!p->composite || !node.item) return TORSOR_OK;
  return reader_fail_key(&c->all->r, &node, "it is for bodies with one frame",
                         "\"%s\" is of many frames, which \"%s\" does not place", p->name, key);
}

/* Refuses keys that a body of many frames in an assembly that is moved cannot have. */
static torsor_status check_moved(const place *p, const collecting *c) {
  static const char *const keys[] = {"end", "curve", "curve_end"};
  const scene_space *space = assembly_of(&c->at);
  for (int i = 0; p->composite && space && space->moved && i < 3; ++i) {
    const json_node node = json_member(c->element, keys[i]);
    if (node.item)
      return reader_fail_key(&c->all->r, &node, "use \"length\" and \"orientation\"",
                             "\"%s\" stands in an assembly that is moved, and its \"%s\" is not",
                             p->name, keys[i]);
  }
  return TORSOR_OK;
}

static torsor_status read_body(const collecting *c, const char *name) {
  const json_node *element = c->element, in = json_member(element, "in");
  const json_node type = json_member(element, "type");
  const reader *r = &c->all->r;
  const char *text = NULL;
  char buffer[ELEMENT_ROOM];
  place *p = arena_take(&c->places->memory, 1, sizeof *p);
  if (!p) return out_of_memory(r);
  *p = (place){.at = c->at, .own = se3_identity(), .frame = se3_identity()};
  const torsor_element_type *known =
      cJSON_IsString(type.item) ? torsor_registry_find(c->registry, type.item->valuestring) : NULL;
  p->composite = known && known->composite.expand;
  torsor_status status = keep_text(&p->name, c, name);
  if (!status) status = refuse_composite(p, c, "in");
  if (!status) status = refuse_composite(p, c, "markers");
  if (!status && in.item) status = reader_pattern(&text, buffer, sizeof buffer, r, &in);
  if (!status && in.item && !is_ground(text)) status = keep_text(&p->in, c, text);
  if (!status) status = check_moved(p, c);
  const scene_space *space = assembly_of(&c->at);
  const bool follows = !p->composite || (space && space->moved);
  if (!status && follows) status = read_frame(&p->own, r, element);
  if (!status && follows) status = read_motion(p, r, element);
  if (!status) status = read_markers(c, name, element);
  if (status) return status;
  p->next = c->places->first;
  c->places->first = p;
  ++c->places->count;
  return TORSOR_OK;
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* A marker of a joint that places a body; its frame is in the body called *body. */
static torsor_status read_side(const char **body, se3 *frame, const collecting *c,
                               const char *key) {
  const json_node node = json_member(c->element, key);
  const bool object = cJSON_IsObject(node.item);
  const json_node name = object ? json_member(&node, "body") : node;
  const json_node orientation = json_member(&node, "orientation");
  const reader *r = &c->all->r;
  const char *text = NULL;
  char buffer[ELEMENT_ROOM];
  *frame = se3_identity();
  if (object && cJSON_IsString(orientation.item))
    return reader_fail(r, &orientation, "give it, or place the body by \"orientation\"",
                       "a marker of a joint with \"start\" has an orientation of its own");
  torsor_status status = object ? read_frame(frame, r, &node) : TORSOR_OK;
  if (!status) status = reader_pattern(&text, buffer, sizeof buffer, r, &name);
  return status ? status : keep_text(body, c, text);
}

static int compare_places(const void *a, const void *b) {
  return strcmp((*(place *const *)a)->name, (*(place *const *)b)->name);
}

static int compare_markers(const void *a, const void *b) {
  return strcmp((*(named_marker *const *)a)->name, (*(named_marker *const *)b)->name);
}

static place *find_place(const scene_places *places, const char *name) {
  place sought = {.name = name}, *key = &sought;
  place **found =
      bsearch(&key, places->place, places->count, sizeof *places->place, compare_places);
  return found ? *found : NULL;
}

static bool knows(const void *self, const char *name) {
  return find_place(self, name) != NULL;
}

static const named_marker *find_marker(const scene_places *places, const char *name) {
  named_marker sought = {.name = name}, *key = &sought;
  named_marker **found =
      bsearch(&key, places->of_name, places->markers, sizeof *places->of_name, compare_markers);
  return found ? *found : NULL;
}

bool places_marker(se3 *frame, char body[MODEL_NAME_ROOM], const scene_places *places,
                   const scene_space *space, const char *name) {
  char room[MODEL_NAME_ROOM];
  if (!places) return false;
  const char *full = space_name(space_names(space), name, room, knows, places);
  const named_marker *found = strchr(full, '.') ? find_marker(places, full) : NULL;
  if (!found) return false;
  *frame = found->frame;
  const bool ground = is_ground(found->body);
  snprintf(body, MODEL_NAME_ROOM, "%s%s", ground ? "" : (const char[]){MODEL_WHOLE, 0},
           found->body);
  return true;
}

/* The name, in the whole scene, of the body in which `name`, a body or one of its markers, stands;
 * its frame goes into *frame. */
static const char *body_of(se3 *frame, char room[MODEL_NAME_ROOM], const scene_places *places,
                           const scene_space *space, const char *name) {
  const char *full = space_name(space ? space_names(space) : NULL, name, room, knows, places);
  const named_marker *found = strchr(full, '.') ? find_marker(places, full) : NULL;
  *frame = found ? found->frame : se3_identity();
  return found ? found->body : full;
}

static torsor_status fail_unknown(const scene_places *places, const reader *r,
                                  const json_node *node, const char *name) {
  enum { MOST = 256 };
  const char *names[2 * MOST];
  int count = 0;
  for (size_t i = 0; i < places->count && count < MOST; ++i)
    names[count++] = places->place[i]->name;
  for (size_t i = 0; i < places->markers && count < 2 * MOST; ++i)
    names[count++] = places->of_name[i]->name;
  const char *near = torsor_near_name(name, names, count);
  char shown[96];
  reader_fail(r, node, NULL, "there is no body or marker %s", reader_show_text(name, shown));
  if (near) torsor_hint(r->error, "did you mean \"%s\"?", near);
  return TORSOR_SCENE;
}

/* The body that the joint places, which says no place of its own. */
static torsor_status find_placed(place **out, const collecting *c, placing *joint,
                                 const char *name) {
  static const char *const keys[] = {"in", "position", "orientation", "velocity",
                                     "angular_velocity"};
  const scene_places *places = c->places;
  const json_node b = json_member(c->element, "b"), start = json_member(c->element, "start");
  const reader *r = &c->all->r;
  se3 frame;
  char room[MODEL_NAME_ROOM];
  const char *body = body_of(&frame, room, places, c->at.space, name);
  place *p = find_place(places, body);
  if (is_ground(body))
    return reader_fail(r, &b, "let \"a\" be the ground", "the ground is placed by no joint");
  if (!p) return fail_unknown(places, r, &b, name);
  if (p->composite)
    return reader_fail(r, &b, "give the beam its \"position\"",
                       "\"%s\" is of many frames, which \"start\" does not place", body);
  if (p->assembly)
    return reader_fail(r, &b, "name a body of it", "\"%s\" is an assembly, which no joint places",
                       body);
  if (p->by)
    return reader_fail_key(r, &start, "leave it out in one of them",
                           "\"%s\" is placed by joint \"%s\" already", body, p->by->name);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
    if (cJSON_GetObjectItemCaseSensitive(p->at.node.item, keys[i]))
      return reader_fail_key(r, &start, "leave it out there, or leave out \"start\" here",
                             "\"%s\" has \"%s\", and \"start\" of joint \"%s\" places it, too",
                             body, keys[i], joint->name);
  joint->frame_b = se3_compose(frame, joint->frame_b);
  p->by = joint;
  *out = p;
  return TORSOR_OK;
}

static torsor_status read_joint(const collecting *c, const char *name) {
  const json_node type = json_member(c->element, "type");
  const reader *r = &c->all->r;
  const char *word = NULL, *b = NULL;
  placing *joint = arena_take(&c->places->memory, 1, sizeof *joint);
  place *placed = NULL;
  if (!joint) return out_of_memory(r);
  *joint = (placing){.at = c->at};
  torsor_status status = reader_text(&word, r, &type);
  if (!status) status = keep_text(&joint->name, c, name);
  if (!status) status = joint_start_read(&joint->start, r, word, c->element);
  if (!status) status = read_side(&joint->a, &joint->frame_a, c, "a");
  if (!status) status = read_side(&b, &joint->frame_b, c, "b");
  if (!status) status = find_placed(&placed, c, joint, b);
  joint->next = c->places->joint;
  c->places->joint = joint;
  return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Reads the objects of a list, each as often as it is repeated: bodies, or joints with "start". */
static torsor_status read_list(collecting *c, const scene_space *space, const json_node *list,
                               const reader *outside, bool joints) {
  const reader r = space_reader(space, outside);
  torsor_status status = TORSOR_OK;
  const cJSON *item = cJSON_IsArray(list->item) ? list->item->child : NULL;
  for (int number = 0; item && !status; ++number, item = item->next) {
    const json_node element = json_item(list, item, number);
    repeat all;
    if (!cJSON_IsObject(item)) return TORSOR_OK; /* the reader of elements refuses it */
    if (joints && !json_member(&element, "start").item) continue;
    status = repeat_begin(&all, &r, &element);
    c->all = &all;
    c->element = &element;
    for (int i = 0; i < all.count && !status; ++i) {
      char buffer[ELEMENT_ROOM], full[MODEL_NAME_ROOM];
      const char *name = NULL;
      all.i = i;
      c->at = (origin){element, all.repeated ? all.index : NULL, all.i, space};
      status = element_name_read(&name, buffer, &all.r, &element);
      if (!status) name = space_full_name(space, name, full);
      if (!status) status = joints ? read_joint(c, name) : read_body(c, name);
      status = repeat_annotate(&all, status);
    }
    repeat_end(&all);
  }
  return space_annotate(space, &r, status);
}

/* Reads "bodies" or "joints" of the scene and of all assemblies. */
static torsor_status read_lists(collecting *c, const scene_spaces *spaces, const reader *r,
                                bool joints) {
  torsor_status status = TORSOR_OK;
  for (const scene_space *space = spaces->first; space && !status; space = space->next) {
    json_node *list = arena_take(&c->places->memory, 1, sizeof *list);
    if (!list) return out_of_memory(r);
    *list = space_list(space, &spaces->root, joints ? "joints" : "bodies");
    status = read_list(c, space, list, r, joints);
  }
  return status;
}

/* Frames of assemblies are places like those of bodies. */
static torsor_status add_assemblies(scene_places *places, const scene_spaces *spaces,
                                    const reader *r) {
  for (const scene_space *space = spaces->first; space; space = space->next) {
    if (!space->model) continue;
    place *p = arena_take(&places->memory, 1, sizeof *p);
    if (!p) return out_of_memory(r);
    *p = (place){.next = places->first,
                 .at = {.node = space->place, .space = space->outer},
                 .name = space->name,
                 .in = space->in,
                 .assembly = true,
                 .own = space->frame};
    places->first = p;
    ++places->count;
  }
  return TORSOR_OK;
}

static torsor_status sort(scene_places *places, const reader *r) {
  places->place = arena_take(&places->memory, places->count, sizeof *places->place);
  places->of_name = arena_take(&places->memory, places->markers, sizeof *places->of_name);
  if (!places->place || !places->of_name) return out_of_memory(r);
  size_t n = 0;
  for (place *p = places->first; p; p = p->next) places->place[n++] = p;
  qsort(places->place, n, sizeof *places->place, compare_places);
  n = 0;
  for (named_marker *m = places->marker; m; m = m->next) places->of_name[n++] = m;
  qsort(places->of_name, n, sizeof *places->of_name, compare_markers);
  return TORSOR_OK;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static torsor_status fail_at(const origin *at, const reader *r, const char *key, const char *hint,
                             const char *name, const char *words) {
  const json_node node = json_member(&at->node, key);
  const torsor_status status = reader_fail(r, &node, hint, "\"%s\" %s", name, words);
  const repeat all = {.repeated = at->index != NULL, .r = *r, .index = at->index, .i = at->i};
  return repeat_annotate(&all, status);
}

/* The place of the assembly in which `p` stands; NULL: of none. */
static place *around(const scene_places *places, const origin *at) {
  const scene_space *space = assembly_of(at);
  return space ? find_place(places, space->name) : NULL;
}

/* The place from which `p` is placed, and the frame there; NULL: the ground. */
static torsor_status find_base(place **out, se3 *frame, const scene_places *places, const place *p,
                               const reader *r) {
  const char *name = p->by ? p->by->a : p->in;
  const origin *at = p->by ? &p->by->at : &p->at;
  char room[MODEL_NAME_ROOM];
  *out = NULL;
  *frame = se3_identity();
  if (!name || is_ground(name)) {
    *out = around(places, at);
    return TORSOR_OK;
  }
  const char *body = body_of(frame, room, places, at->space, name);
  if (is_ground(body)) return TORSOR_OK;
  *out = find_place(places, body);
  const json_node node = json_member(&at->node, p->by ? "a" : "in");
  if (!*out) return fail_unknown(places, r, &node, name);
  if ((*out)->composite)
    return fail_at(at, r, p->by ? "a" : "in", "place the body by \"position\"", (*out)->name,
                   "is of many frames, from which nothing is placed");
  return TORSOR_OK;
}

/* Velocities of what the joint places: known where a rate is given here or on the way to here. */
static void follow(place *p, const place *base, se3 marker) {
  const joint_start *start = &p->by->start;
  const bool carried = base && (base->moves || base->spins);
  const v3 x = se3_point(marker, start->frame.x);
  p->moves = p->spins = start->moves || carried;
  p->velocity = so3_rotate(marker.R, start->velocity);
  p->spin = so3_rotate(marker.R, start->spin);
  if (carried) {
    p->velocity =
        v3_add(p->velocity, v3_add(base->velocity, v3_cross(base->spin, v3_sub(x, base->frame.x))));
    p->spin = v3_add(p->spin, base->spin);
  }
  p->velocity = v3_add(p->velocity, v3_cross(p->spin, v3_sub(p->frame.x, x)));
}

static void compute(place *p, const place *base, se3 in_base, const place *assembly) {
  const se3 under = base ? se3_compose(base->frame, in_base) : in_base;
  if (p->by) {
    const se3 marker = se3_compose(under, p->by->frame_a);
    p->frame = se3_compose(se3_compose(marker, p->by->start.frame), se3_inverse(p->by->frame_b));
    follow(p, base, marker);
  } else {
    p->frame = se3_compose(under, p->own);
    if (assembly) p->velocity = so3_rotate(assembly->frame.R, p->velocity);
    if (p->spin_in_body)
      p->spin = so3_rotate(p->frame.R, p->spin);
    else if (assembly)
      p->spin = so3_rotate(assembly->frame.R, p->spin);
  }
  p->frame.R = so3_normalise(p->frame.R);
  p->progress = DONE;
}

/* Computes the frame of `p`, before it those on which it depends: that in which it stands, and that
 * of its assembly, in whose axes velocities are. */
static torsor_status resolve(const scene_places *places, place *p, const reader *r) {
  for (place *at = p; at;) {
    place *base = NULL, *assembly = around(places, &at->at);
    se3 frame;
    const torsor_status status = find_base(&base, &frame, places, at, r);
    if (status) return status;
    place *missing = base && base->progress != DONE           ? base
                     : assembly && assembly->progress != DONE ? assembly
                                                              : NULL;
    if (missing && missing->progress == WAITING)
      return fail_at(at->by ? &at->by->at : &at->at, r, at->by ? "a" : "in",
                     "place one of them by \"position\"", at->name,
                     "is placed by itself in the end");
    if (missing) {
      at->progress = WAITING;
      missing->asker = at;
      at = missing;
      continue;
    }
    compute(at, base, frame, assembly);
    at = at == p ? NULL : at->asker;
  }
  return TORSOR_OK;
}

/* ---- entry ----------------------------------------------------------------------------------- */

static bool any_has(const cJSON *list, const char *key) {
  const cJSON *item;
  cJSON_ArrayForEach(item, list) if (cJSON_GetObjectItemCaseSensitive(item, key)) return true;
  return false;
}

static torsor_status read_ground(collecting *c, const json_node *root, const reader *r) {
  const json_node ground = json_member(root, "ground");
  const repeat once = {.count = 1, .r = *r};
  c->all = &once;
  return cJSON_IsObject(ground.item) ? read_markers(c, "ground", &ground) : TORSOR_OK;
}

static bool is_needed(const scene_spaces *spaces) {
  const json_node *root = &spaces->root;
  const json_node ground = json_member(root, "ground");
  if (spaces->first->model || cJSON_GetObjectItemCaseSensitive(ground.item, "markers")) return true;
  return any_has(json_member(root, "bodies").item, "in") ||
         any_has(json_member(root, "bodies").item, "markers") ||
         any_has(json_member(root, "joints").item, "start");
}

torsor_status places_find(scene_places **out, const scene_spaces *spaces,
                          const torsor_registry *registry, const reader *r) {
  *out = NULL;
  if (!is_needed(spaces)) return TORSOR_OK;
  scene_places *places = calloc(1, sizeof *places);
  if (!places) return out_of_memory(r);
  *out = places;
  collecting c = {.places = places, .registry = registry};
  torsor_status status = read_ground(&c, &spaces->root, r);
  if (!status) status = add_assemblies(places, spaces, r);
  if (!status) status = read_lists(&c, spaces, r, false);
  if (!status) status = sort(places, r);
  if (!status) status = read_lists(&c, spaces, r, true);
  for (size_t i = 0; i < places->count && !status; ++i)
    if (places->place[i]->progress == NEW) status = resolve(places, places->place[i], r);
  return status;
}

bool places_ground(se3 *frame, const scene_places *places, const scene_space *space) {
  if (!places || !space || !space->model || !space->moved) return false;
  *frame = find_place(places, space->name)->frame;
  return true;
}

bool places_is_assembly(const scene_places *places, const char *name) {
  const place *p = places ? find_place(places, name) : NULL;
  return p && p->assembly;
}

void places_destroy(scene_places *places) {
  if (!places) return;
  arena_release(&places->memory);
  free(places);
}

static void *find_member(const torsor_element_type *type, const char *key, torsor_param_kind kind,
                         void *instance) {
  for (const torsor_param *p = type->params; p->key; ++p)
    if (p->kind == kind && strcmp(p->key, key) == 0) return (char *)instance + p->offset;
  return NULL;
}

void places_apply(const scene_places *places, const torsor_element_type *type, const char *name,
                  void *instance) {
  const place *p = places ? find_place(places, name) : NULL;
  const scene_space *space = p ? assembly_of(&p->at) : NULL;
  const bool moved = space && space->moved;
  if (!p || (!p->in && !p->by && !moved)) return;
  v3 *position = find_member(type, "position", TORSOR_PARAM_VECTOR, instance);
  so3 *orientation = find_member(type, "orientation", TORSOR_PARAM_ORIENTATION, instance);
  v3 *velocity = find_member(type, "velocity", TORSOR_PARAM_VECTOR, instance);
  torsor_angular_velocity *spin =
      find_member(type, "angular_velocity", TORSOR_PARAM_ANGULAR_VELOCITY, instance);
  if (position) *position = p->frame.x;
  if (orientation) *orientation = p->frame.R;
  if (!p->by && !moved) return;
  if (velocity && p->moves) *velocity = p->velocity;
  if (spin && p->spins) *spin = (torsor_angular_velocity){.value = p->spin, .in_inertial = true};
}
