/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/reduce_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/fe_matrices.h"
#include "scene/lines.h"
#include "scene/reader.h"
#include "scene/reduce_solids.h"
#include "scene/source.h"

enum { PATH = sizeof((reduce_job){0}.matrix_file[0]) };

typedef struct job_reading {
  reduce_job *job;
  reader r;
  expression_scope scope;
  double length, mass; /* units: m, kg */
} job_reading;

static torsor_status out_of_memory(const job_reading *in) {
  return torsor_fail(in->r.error, TORSOR_MEMORY, "out of memory");
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A file named at `key` of `node`, relative to that of the job. */
static torsor_status read_path(char out[PATH], const job_reading *in, const json_node *node,
                               const char *key) {
  const json_node name = json_member(node, key);
  const char *word = NULL;
  torsor_status status =
      name.item ? reader_text(&word, &in->r, &name)
                : reader_fail(&in->r, node, "it is the name of a file", "needs \"%s\"", key);
  if (!status && !lines_beside(out, PATH, in->r.file, word))
    status = reader_fail(&in->r, &name, NULL, "the name of the file is too long");
  return status;
}

static torsor_status read_unit(job_reading *in, const json_node *root) {
  static const char *const keys[] = {"length", "mass"};
  const json_node unit = json_member(root, "unit");
  const json_node length = json_member(&unit, "length"), mass = json_member(&unit, "mass");
  in->length = in->mass = 1;
  if (!unit.item) return TORSOR_OK;
  torsor_status status = reader_object(&in->r, &unit, "the units of the model", keys, 2);
  if (!status && length.item)
    status = reader_positive(&in->length, &in->r, &length, "in m: 1e-3 for millimetres");
  if (!status && mass.item)
    status = reader_positive(&in->mass, &in->r, &mass, "in kg: 1e3 for tonnes");
  return status;
}

/* ---- mesh and matrices ----------------------------------------------------------------------- */

static torsor_status read_mesh(job_reading *in, const json_node *root) {
  char path[PATH];
  reduce_job *job = in->job;
  torsor_status status = read_path(path, in, root, "mesh");
  if (!status) status = mesh_read_inp(&job->m, path, in->r.error);
  if (status) return status;
  const size_t n = (size_t)job->m.nodes;
  v3 *place = arena_take(&job->memory, n, sizeof *place);
  long *id = arena_take(&job->memory, n, sizeof *id);
  if (!place || !id) return out_of_memory(in);
  for (int i = 0; i < job->m.nodes; ++i) {
    place[i] = v3_scale(job->m.node[i].x, in->length);
    id[i] = job->m.node[i].id;
  }
  job->input.place = place;
  job->input.id = id;
  job->input.nodes = job->m.nodes;
  return TORSOR_OK;
}

/* Matrices in kg, m, s: forces of translations have mass/time^2, rotations add lengths. */
static void scale_matrix(fe_matrix *A, const fe_model *f, double length, double mass) {
  for (long k = 0; k < A->entries; ++k) {
    const int turns = (f->direction[A->row[k]] > 2) + (f->direction[A->column[k]] > 2);
    A->value[k] *= mass * (turns ? pow(length, turns) : 1);
  }
}

static torsor_status read_calculix(job_reading *in, const json_node *from) {
  static const char *const ends[] = {"dof", "sti", "mas"};
  reduce_job *job = in->job;
  char base[PATH];
  const torsor_status status = read_path(base, in, from, "calculix");
  if (status) return status;
  for (int k = 0; k < 3; ++k)
    snprintf(job->matrix_file[k], PATH, "%.*s.%s", PATH - 5, base, ends[k]);
  return fe_read_calculix(&job->model, &job->m, base, in->r.error);
}

static torsor_status read_dmig(job_reading *in, const json_node *from) {
  reduce_job *job = in->job;
  const json_node K = json_member(from, "stiffness"), M = json_member(from, "mass");
  const char *names[] = {"KAAX", "MAAX"};
  torsor_status status = read_path(job->matrix_file[0], in, from, "dmig");
  if (!status && K.item) status = reader_text(&names[0], &in->r, &K);
  if (!status && M.item) status = reader_text(&names[1], &in->r, &M);
  return status ? status
                : fe_read_dmig(&job->model, &job->m, job->matrix_file[0], names[0], names[1],
                               in->r.error);
}

static torsor_status read_market(job_reading *in, const json_node *from) {
  reduce_job *job = in->job;
  const json_node table = json_member(from, "dofs");
  torsor_status status = read_path(job->matrix_file[0], in, from, "stiffness");
  if (!status) status = read_path(job->matrix_file[1], in, from, "mass");
  if (!status && table.item) status = read_path(job->matrix_file[2], in, from, "dofs");
  return status ? status
                : fe_read_market(&job->model, &job->m, job->matrix_file[0], job->matrix_file[1],
                                 table.item ? job->matrix_file[2] : NULL, in->r.error);
}

static torsor_status read_matrices(job_reading *in, const json_node *root) {
  static const char *const keys[] = {"calculix", "dmig", "stiffness", "mass", "dofs"};
  reduce_job *job = in->job;
  const json_node from = json_member(root, "matrices");
  if (!from.item)
    return reader_fail(&in->r, root, "e.g. {\"calculix\": \"part\"} for part.sti, .mas, .dof",
                       "needs \"matrices\"");
  torsor_status status = reader_object(&in->r, &from, "the matrices", keys, 5);
  if (status) return status;
  if (json_member(&from, "calculix").item)
    status = read_calculix(in, &from);
  else if (json_member(&from, "dmig").item)
    status = read_dmig(in, &from);
  else
    status = read_market(in, &from);
  scale_matrix(&job->model.K, &job->model, in->length, in->mass);
  scale_matrix(&job->model.M, &job->model, in->length, in->mass);
  job->input.model = &job->model;
  return status;
}

/* ---- interfaces ------------------------------------------------------------------------------ */

/* Nodes by the name of a set, or by their numbers. */
static torsor_status read_nodes(const int **out, int *count, job_reading *in,
                                const json_node *node) {
  const mesh *m = &in->job->m;
  const json_node set = json_member(node, "set"), list = json_member(node, "nodes");
  if (!set.item == !list.item)
    return reader_fail(&in->r, node, "\"set\": \"NAME\" of the mesh, or \"nodes\": [1, 2, 3]",
                       "needs either \"set\" or \"nodes\"");
  if (set.item) {
    char names[200], hint[300];
    const char *word = NULL;
    const torsor_status status = reader_text(&word, &in->r, &set);
    if (status) return status;
    const mesh_set *found = mesh_find_node_set(m, word);
    snprintf(hint, sizeof hint, "sets of nodes there: %s",
             m->node_sets ? mesh_list_sets(names, sizeof names, m->node_set, m->node_sets)
                          : "none");
    if (!found) return reader_fail(&in->r, &set, hint, "the mesh has no set of nodes \"%s\"", word);
    *out = m->member + found->first;
    *count = found->count;
    return TORSOR_OK;
  }
  torsor_status status = reader_array(&in->r, &list, "a list of numbers of nodes");
  if (status) return status;
  *count = cJSON_GetArraySize(list.item);
  int *nodes = arena_take(&in->job->memory, (size_t)*count + 1, sizeof *nodes);
  if (!nodes) return out_of_memory(in);
  int i = 0;
  for (const cJSON *item = list.item->child; item && !status; item = item->next, ++i) {
    const json_node one = json_item(&list, item, i);
    int id = 0;
    status = reader_integer(&id, &in->r, &one, 1);
    if (!status && (nodes[i] = mesh_find_node(m, id)) < 0)
      status = reader_fail(&in->r, &one, NULL, "the mesh has no node %d", id);
  }
  *out = nodes;
  return status;
}

static v3 mean_place(const reduce_job *job, const int *node, int count) {
  v3 sum = v3_zero();
  for (int i = 0; i < count; ++i) sum = v3_add(sum, job->input.place[node[i]]);
  return count ? v3_scale(sum, 1.0 / count) : sum;
}

static torsor_status read_interface(reduce_interface *out, job_reading *in, const json_node *node) {
  static const char *const keys[] = {"name", "set", "nodes", "position", "coupling"};
  static const char *const couplings[] = {"rigid", "averaging"};
  const json_node name = json_member(node, "name"), position = json_member(node, "position");
  const json_node coupling = json_member(node, "coupling");
  int kind = 0;
  torsor_status status = reader_object(&in->r, node, "an interface", keys, 5);
  if (!status && !name.item)
    status = reader_fail(&in->r, node, "\"name\": \"base\"", "an interface needs a name");
  if (!status) status = reader_text(&out->name, &in->r, &name);
  if (!status) status = read_nodes(&out->node, &out->nodes, in, node);
  if (status) return status;
  out->position = mean_place(in->job, out->node, out->nodes);
  if (position.item) {
    status = reader_vector(&out->position, &in->r, &position);
    out->position = v3_scale(out->position, in->length);
  }
  if (!status && coupling.item) status = reader_word(&kind, &in->r, &coupling, couplings, 2);
  out->averaging = kind == 1;
  return status;
}

static torsor_status read_interfaces(job_reading *in, const json_node *root) {
  const json_node list = json_member(root, "interfaces");
  if (!list.item)
    return reader_fail(&in->r, root, "a list of {\"name\", \"set\"}", "needs \"interfaces\"");
  torsor_status status = reader_array(&in->r, &list, "a list of interfaces");
  const int count = status ? 0 : cJSON_GetArraySize(list.item);
  if (!status && !count)
    status = reader_fail(&in->r, &list, "one at least, of three nodes that are not on a line",
                         "there are no interfaces");
  reduce_interface *to = arena_take(&in->job->memory, (size_t)count + 1, sizeof *to);
  if (!to) return out_of_memory(in);
  int i = 0;
  for (const cJSON *item = status ? NULL : list.item->child; item && !status;
       item = item->next, ++i) {
    const json_node one = json_item(&list, item, i);
    status = read_interface(&to[i], in, &one);
  }
  in->job->input.interface = to;
  in->job->input.interfaces = count;
  return status;
}

/* ---- modes and loads ------------------------------------------------------------------------- */

static torsor_status read_modes(job_reading *in, const json_node *root) {
  static const char *const keys[] = {"count", "below_hz", "kind"};
  static const char *const kinds[] = {"fixed", "free"};
  reduce_input *out = &in->job->input;
  const json_node modes = json_member(root, "modes");
  if (!modes.item) return TORSOR_OK;
  if (!cJSON_IsObject(modes.item)) return reader_integer(&out->modes, &in->r, &modes, 0);
  const json_node count = json_member(&modes, "count"), below = json_member(&modes, "below_hz");
  const json_node kind = json_member(&modes, "kind");
  int word = 0;
  torsor_status status = reader_object(&in->r, &modes, "the modes", keys, 3);
  if (!status && !count.item == !below.item)
    status = reader_fail(&in->r, &modes, "{\"count\": 20}, or {\"below_hz\": 2000}",
                         "needs either \"count\" or \"below_hz\"");
  if (!status && count.item) status = reader_integer(&out->modes, &in->r, &count, 0);
  if (!status && below.item)
    status = reader_positive(&out->below_hz, &in->r, &below, "a frequency in Hz");
  if (!status && kind.item) status = reader_word(&word, &in->r, &kind, kinds, 2);
  out->free_modes = word == 1;
  return status;
}

static torsor_status read_load(reduce_load *out, job_reading *in, const json_node *node) {
  static const char *const keys[] = {"set", "nodes", "direction"};
  const json_node direction = json_member(node, "direction");
  torsor_status status = reader_object(&in->r, node, "a load", keys, 3);
  if (!status) status = read_nodes(&out->node, &out->nodes, in, node);
  if (!status && !direction.item)
    status = reader_fail(&in->r, node, "\"direction\": [0, 0, 1]", "a load needs a direction");
  if (!status) status = reader_vector(&out->direction, &in->r, &direction);
  if (!status && !(v3_norm(out->direction) > 0))
    status = reader_fail(&in->r, &direction, NULL, "must not be zero");
  return status;
}

static torsor_status read_loads(job_reading *in, const json_node *root) {
  const json_node list = json_member(root, "loads");
  if (!list.item) return TORSOR_OK;
  torsor_status status = reader_array(&in->r, &list, "a list of loads");
  const int count = status ? 0 : cJSON_GetArraySize(list.item);
  reduce_load *to = arena_take(&in->job->memory, (size_t)count + 1, sizeof *to);
  if (!to) return out_of_memory(in);
  int i = 0;
  for (const cJSON *item = status ? NULL : list.item->child; item && !status;
       item = item->next, ++i) {
    const json_node one = json_item(&list, item, i);
    status = read_load(&to[i], in, &one);
  }
  in->job->input.load = to;
  in->job->input.loads = count;
  return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static torsor_status read_root(job_reading *in) {
  static const char *const keys[] = {"torsor_reduce", "title",    "matrices",  "mesh",
                                     "interfaces",    "modes",    "loads",     "unit",
                                     "material",      "stresses", "stiffening"};
  reduce_job *job = in->job;
  const json_node root = json_root(job->root);
  const json_node version = json_member(&root, "torsor_reduce"),
                  title = json_member(&root, "title");
  torsor_status status =
      reader_object(&in->r, &root, "a reduction", keys, sizeof keys / sizeof *keys);
  if (!status && !(cJSON_IsNumber(version.item) && version.item->valuedouble == 1))
    status = reader_fail(&in->r, version.item ? &version : &root, "\"torsor_reduce\": 1",
                         "is not a file of `torsor reduce`");
  if (!status && title.item) {
    const char *word = NULL;
    status = reader_text(&word, &in->r, &title);
    if (!status) snprintf(job->title, sizeof job->title, "%s", word);
  }
  if (!status) status = read_unit(in, &root);
  if (!status) status = read_modes(in, &root);
  if (!status) status = read_mesh(in, &root);
  if (!status) status = read_interfaces(in, &root);
  if (!status) status = read_loads(in, &root);
  if (!status) status = reduce_solids_read(job, &in->r, &root, in->length, in->mass);
  return status ? status : read_matrices(in, &root);
}

torsor_status reduce_job_read(reduce_job *out, const char *file, torsor_error *error) {
  size_t length = 0;
  *out = (reduce_job){0};
  torsor_status status = source_read(&out->text, &length, file, error);
  if (!status) status = source_parse(&out->root, out->text, length, file, error);
  if (status) return status;
  job_reading in = {.job = out};
  in.r = (reader){.file = file, .text = out->text, .scope = &in.scope, .error = error};
  return read_root(&in);
}

void reduce_job_release(reduce_job *job) {
  mesh_release(&job->m);
  fe_release(&job->model);
  cJSON_Delete(job->root);
  arena_release(&job->memory);
  free(job->text);
  *job = (reduce_job){0};
}

void reduce_job_locate(const reduce_job *job, const char *file, torsor_error *error) {
  int index = 0;
  const reader r = {.file = file, .text = job->text, .error = error};
  const json_path root = {NULL, NULL, 0}, list = {&root, "interfaces", 0};
  if (error && !strncmp(error->parameter, "stresses", 8)) {
    const json_path points = {&root, "stresses", 0};
    reader_place(&r, &points, false);
    return;
  }
  if (!error || sscanf(error->parameter, "interfaces[%d]", &index) != 1) {
    if (error) snprintf(error->file, sizeof error->file, "%s", file);
    return;
  }
  const json_path item = {&list, NULL, index};
  reader_place(&r, &item, false);
}

/* ---- the body file --------------------------------------------------------------------------- */

static void write_number(text *out, double x) {
  if (x == 0)
    text_append(out, "0");
  else
    text_printf(out, "%.17g", x);
}

/* Rows [rows x n], one on each line. */
static void write_rows(text *out, const char *key, const double *A, int rows, int n) {
  text_printf(out, ",\n\"%s\": [", key);
  for (int i = 0; i < rows; ++i) {
    text_append(out, i ? ",\n[" : "\n[");
    for (int j = 0; j < n; ++j) {
      if (j) text_append(out, ", ");
      write_number(out, A[(size_t)i * (size_t)n + (size_t)j]);
    }
    text_append(out, "]");
  }
  text_append(out, "]");
}

void reduce_job_write(text *out, const reduce_job *job, const reduce_result *r) {
  text_append(out, "{\"torsor_body\": 1");
  text_append(out, ",\n\"interfaces\": [");
  for (int i = 0; i < job->input.interfaces; ++i) {
    const v3 x = job->input.interface[i].position;
    text_append(out, i ? ", [" : "[");
    write_number(out, x.x);
    text_append(out, ", ");
    write_number(out, x.y);
    text_append(out, ", ");
    write_number(out, x.z);
    text_append(out, "]");
  }
  text_append(out, "]");
  write_rows(out, "stiffness", r->K, r->n, r->n);
  write_rows(out, "mass", r->M, r->n, r->n);
  write_rows(out, "gyroscopic", r->C, 3 * r->n, r->n);
  write_rows(out, "centrifugal", r->D, 6 * r->n, r->n);
  if (r->F) write_rows(out, "stiffening", r->F, 9 * r->n, r->n);
  for (int i = 0; i < job->input.points; ++i) {
    text_append(out, i ? ", " : ",\n\"stress_points\": [");
    text_json_string(out, job->point_name[i]);
  }
  if (job->input.points) {
    text_append(out, "]");
    write_rows(out, "stress", r->S, 6 * job->input.points, r->n);
  }
  text_append(out, "}\n");
}
