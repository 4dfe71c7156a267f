/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/sections.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elements/section.h"
#include "scene/functions_private.h"

/* Decimal numbers with six digits are off by 5e-7 of themselves. */
static const double WRITTEN = 1e-6;

/* ---- numbers ------------------------------------------------------------------------------- */

torsor_status numbers_read(torsor_numbers *out, function_list *list, const reader *r,
                           const json_node *node) {
  function *f = NULL;
  *out = (torsor_numbers){0};
  torsor_status status = reader_array(r, node, "a list of numbers");
  if (!status) status = function_add(&f, list, r);
  if (status) return status;
  const int count = cJSON_GetArraySize(node->item);
  f->x = calloc((size_t)count + 1, sizeof *f->x);
  if (!f->x) return function_out_of_memory(r);
  *out = (torsor_numbers){f->x, count};
  return reader_numbers(f->x, count, r, node);
}

static torsor_status read_positive(double *out, const reader *r, const json_node *node) {
  const torsor_status status = reader_number(out, r, node);
  if (status || *out > 0) return status;
  return reader_fail(r, node, NULL, "must be greater than 0, but is %g", *out);
}

/* ---- matrices ------------------------------------------------------------------------------ */

/* Six numbers of the diagonal, or six rows. */
static torsor_status read_matrix(m6 *out, const reader *r, const json_node *node) {
  torsor_status status = reader_array(r, node, "six numbers or a 6x6 matrix");
  if (status) return status;
  if (cJSON_GetArraySize(node->item) != 6)
    return reader_fail(r, node, "extension, two shears, twist, two bendings",
                       "needs 6 numbers or 6 rows, but has %d", cJSON_GetArraySize(node->item));
  *out = m6_zero();
  if (!cJSON_IsArray(node->item->child)) {
    double diagonal[6];
    status = reader_numbers(diagonal, 6, r, node);
    for (int i = 0; i < 6; ++i) out->m[i][i] = diagonal[i];
    return status;
  }
  const cJSON *item = node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node row = json_item(node, item, i);
    status = reader_numbers(out->m[i], 6, r, &row);
  }
  return status;
}

/* Symmetric, made exactly so. */
static torsor_status check_symmetric(m6 *A, const reader *r, const json_node *node) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j) {
      const double a = A->m[i][j], b = A->m[j][i];
      if (fabs(a - b) > WRITTEN * sqrt(fabs(A->m[i][i] * A->m[j][j])))
        return reader_fail(r, node, NULL,
                           "is not symmetric: entry [%d][%d] is %g, entry [%d][%d] is %g", i, j, a,
                           j, i, b);
      A->m[i][j] = A->m[j][i] = a / 2 + b / 2;
    }
  return TORSOR_OK;
}

/* The first row whose pivot is not above `least` of its diagonal in a Cholesky factorisation; -1:
 * none. */
static int find_bad_pivot(m6 A, double least) {
  for (int i = 0; i < 6; ++i) {
    const double own = A.m[i][i];
    for (int k = 0; k < i; ++k) A.m[i][i] -= A.m[i][k] * A.m[i][k];
    if (!(A.m[i][i] >= least * own) || !(own >= 0) || (least > 0 && !(own > 0))) return i;
    A.m[i][i] = A.m[i][i] > 0 ? sqrt(A.m[i][i]) : 0;
    for (int j = i + 1; j < 6; ++j) {
      for (int k = 0; k < i; ++k) A.m[j][i] -= A.m[j][k] * A.m[i][k];
      A.m[j][i] = A.m[i][i] > 0 ? A.m[j][i] / A.m[i][i] : 0;
    }
  }
  return -1;
}

static torsor_status read_stiffness(m6 *out, const reader *r, const json_node *node) {
  static const char *const what[6] = {"extension", "shear along y",   "shear along z",
                                      "twist",     "bending about y", "bending about z"};
  torsor_status status = read_matrix(out, r, node);
  if (!status) status = check_symmetric(out, r, node);
  if (status) return status;
  const int bad = find_bad_pivot(*out, 64 * DBL_EPSILON);
  if (bad < 0) return TORSOR_OK;
  return reader_fail(r, node, "the stiffness of a section is positive definite",
                     "has no stiffness against some motion with %s", what[bad]);
}

/* [[m I, -m c~], [m c~, J]]: the inertia of a rigid slice. */
static torsor_status check_slice(const m6 *M, const reader *r, const json_node *node) {
  const double mass = M->m[0][0];
  const m3 moment = m6_block(*M, 1, 0);
  double off = fmax(fabs(M->m[1][1] - mass), fabs(M->m[2][2] - mass));
  off = fmax(off, fmax(fabs(M->m[0][1]), fmax(fabs(M->m[0][2]), fabs(M->m[1][2]))));
  const m3 own = m3_skew(m3_vee(moment));
  double across = 0;
  for (int i = 0; i < 9; ++i)
    across = fmax(across, fabs(own.m[i / 3][i % 3] - moment.m[i / 3][i % 3]));
  const double size = mass > 0 ? mass * sqrt(fmax(0, m3_trace(m6_block(*M, 1, 1)) / mass)) : 0;
  if (!(mass > 0)) return reader_fail(r, node, "kg/m", "has no mass");
  if (off <= WRITTEN * mass && across <= WRITTEN * size) return TORSOR_OK;
  return reader_fail(r, node, "[[m I, -m c~], [m c~, J]] with c the centre of mass",
                     "is not the inertia of a slice of a body");
}

static torsor_status read_inertia(m6 *out, const reader *r, const json_node *node) {
  torsor_status status = read_matrix(out, r, node);
  if (!status) status = check_symmetric(out, r, node);
  if (!status) status = check_slice(out, r, node);
  if (status || find_bad_pivot(*out, -64 * DBL_EPSILON) < 0) return status;
  return reader_fail(r, node, NULL, "has a negative moment of inertia");
}

/* ---- sections ------------------------------------------------------------------------------ */

/* Section with matrices. */
static torsor_status read_general(torsor_section *out, function_list *list, const reader *r,
                                  const json_node *node) {
  static const char *const keys[] = {"stiffness", "inertia", "points"};
  const json_node stiffness = json_member(node, "stiffness"),
                  inertia = json_member(node, "inertia");
  torsor_status status = reader_object(r, node, "a section without shape", keys, 3);
  out->shape = TORSOR_SHAPE_NONE;
  if (!status) status = read_stiffness(&out->stiffness, r, &stiffness);
  if (!status) status = read_inertia(&out->inertia, r, &inertia);
  return status ? status : section_points_read(out, list, r, node);
}

static torsor_status read_material(torsor_section *out, const reader *r, const json_node *node) {
  const json_node E = json_member(node, "E"), G = json_member(node, "G");
  const json_node nu = json_member(node, "nu"), density = json_member(node, "density");
  double ratio = 0;
  torsor_status status = read_positive(&out->E, r, &E);
  if (!status) status = read_positive(&out->density, r, &density);
  if (status) return status;
  if (!G.item == !nu.item)
    return reader_fail(r, node, "\"nu\" is Poisson's ratio, \"G\" the shear modulus",
                       "a section needs one of \"nu\" and \"G\"");
  if (G.item) return read_positive(&out->G, r, &G);
  status = reader_number(&ratio, r, &nu);
  if (!status && !(ratio > -1 && ratio <= 0.5))
    status = reader_fail(r, &nu, NULL, "must be above -1 and at most 0.5, but is %g", ratio);
  out->G = out->E / (2 * (1 + ratio));
  return status;
}

static torsor_status read_overrides(torsor_section *out, const reader *r, const json_node *node) {
  const json_node shear = json_member(node, "shear_coefficients");
  const json_node torsion = json_member(node, "torsion_constant");
  out->shear[0] = out->shear[1] = out->torsion = nan("");
  torsor_status status = torsion.item ? read_positive(&out->torsion, r, &torsion) : TORSOR_OK;
  if (status || !shear.item) return status;
  status = reader_numbers(out->shear, 2, r, &shear);
  if (status || (out->shear[0] > 0 && out->shear[1] > 0)) return status;
  return reader_fail(r, &shear, "for forces along y and along z", "must be greater than 0");
}

static torsor_status read_shape(torsor_section *out, function_list *list, const reader *r,
                                const json_node *node) {
  enum { COMMON = 8, KEYS = COMMON + TORSOR_SECTION_SIZES };
  const char *keys[KEYS] = {
      "shape", "E", "G", "nu", "density", "shear_coefficients", "torsion_constant", "points"};
  const char *words[TORSOR_SHAPES];
  int count = COMMON, chosen = 0;
  for (int i = 1; i < TORSOR_SHAPES; ++i) words[i - 1] = section_shapes[i].name;
  const json_node shape = json_member(node, "shape");
  torsor_status status = reader_word(&chosen, r, &shape, words, TORSOR_SHAPES - 1);
  if (status) return status;
  out->shape = (torsor_shape)(chosen + 1);
  const section_shape *of = &section_shapes[out->shape];
  for (int i = 0; of->size[i]; ++i) keys[count++] = of->size[i];
  status = reader_object(r, node, "a section of this shape", keys, count);
  for (int i = 0; of->size[i] && !status; ++i) {
    const json_node size = json_member(node, of->size[i]);
    status = read_positive(&out->size[i], r, &size);
  }
  if (!status) status = read_material(out, r, node);
  if (!status) status = read_overrides(out, r, node);
  if (status) return status;
  const char *wrong = section_fill(out);
  if (wrong) return reader_fail(r, node, NULL, "%s", wrong);
  return section_points_read(out, list, r, node);
}

static bool is_table(const json_node *node) {
  return cJSON_IsObject(node->item) && json_member(node, "table").item;
}

static torsor_status read_object(torsor_section *out, function_list *list, const reader *r,
                                 const json_node *node) {
  const json_node shape = json_member(node, "shape");
  char shown[96];
  *out = (torsor_section){0};
  if (is_table(node))
    return reader_fail(r, node, "a beam's \"section\" may be one", "a table is no single section");
  if (!cJSON_IsObject(node->item))
    return reader_fail(
        r, node, "the name of one of \"sections\", or an object with \"shape\" or \"stiffness\"",
        node->item ? "must be a section, but is %s" : "is %s: a section is needed",
        reader_show(node->item, shown));
  return shape.item ? read_shape(out, list, r, node) : read_general(out, list, r, node);
}

static torsor_status fail_name(const reader *r, const json_node *sections, const json_node *node) {
  enum { NAMES = 256 };
  const char *names[NAMES], *word = node->item->valuestring;
  const cJSON *item;
  char shown[96];
  int count = 0;
  cJSON_ArrayForEach(item, sections->item) {
    if (count < NAMES && item->string) names[count++] = item->string;
  }
  const char *near = torsor_near_name(word, names, count);
  reader_fail(r, node, NULL, "there is no section %s", reader_show_text(word, shown));
  if (near)
    torsor_hint(r->error, "did you mean \"%s\"?", near);
  else
    torsor_hint(r->error, "sections stand under \"sections\" of the scene");
  return TORSOR_SCENE;
}

torsor_status section_read(torsor_section *out, function_list *list, const reader *r,
                           const json_node *sections, const json_node *node) {
  if (!cJSON_IsString(node->item)) return read_object(out, list, r, node);
  if (reader_postpones(r)) return TORSOR_SCENE;
  const json_node named = json_member(sections, node->item->valuestring);
  if (!sections->item || !named.item) return fail_name(r, sections, node);
  return read_object(out, list, r, &named);
}

/* ---- tables -------------------------------------------------------------------------------- */

/* [place, section] */
static torsor_status read_row(double *at, torsor_section *out, function_list *list, const reader *r,
                              const json_node *sections, const json_node *row) {
  torsor_status status = reader_array(r, row, "[place, section]");
  if (status) return status;
  if (cJSON_GetArraySize(row->item) != 2)
    return reader_fail(r, row, "for example [0.5, \"middle\"]", "needs a place and a section");
  const json_node place = json_item(row, row->item->child, 0);
  const json_node section = json_item(row, row->item->child->next, 1);
  status = reader_number(at, r, &place);
  if (!status && !(*at >= 0 && *at <= 1))
    status = reader_fail(r, &place, NULL, "must be a part of the length, 0 to 1, but is %g", *at);
  return status ? status : section_read(out, list, r, sections, &section);
}

static torsor_status read_rows(double *at, torsor_section *out, function_list *list,
                               const reader *r, const json_node *sections, const json_node *table) {
  const cJSON *item = table->item->child;
  torsor_status status = TORSOR_OK;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node row = json_item(table, item, i);
    status = read_row(&at[i], &out[i], list, r, sections, &row);
    if (!status && i && at[i] < at[i - 1])
      return reader_fail(r, &row, "two rows of one place are a step",
                         "places must not descend, but %g follows %g", at[i], at[i - 1]);
  }
  return status;
}

static torsor_status read_table(torsor_section_table *out, function_list *list, const reader *r,
                                const json_node *sections, const json_node *node) {
  static const char *const keys[] = {"table"};
  const json_node table = json_member(node, "table");
  torsor_status status = reader_object(r, node, "a table of sections", keys, 1);
  if (!status) status = reader_array(r, &table, "rows of [place, section]");
  if (status) return status;
  const int count = cJSON_GetArraySize(table.item);
  function *f = NULL;
  if (!count) return reader_fail(r, &table, NULL, "has no rows");
  if ((status = function_add(&f, list, r))) return status;
  f->x = calloc((size_t)count, sizeof *f->x);
  f->section = calloc((size_t)count, sizeof *f->section);
  if (!f->x || !f->section) return function_out_of_memory(r);
  *out = (torsor_section_table){f->x, f->section, count};
  return read_rows(f->x, f->section, list, r, sections, &table);
}

torsor_status section_table_read(torsor_section_table *out, function_list *list, const reader *r,
                                 const json_node *sections, const json_node *node) {
  const json_node named = cJSON_IsString(node->item) && sections->item
                              ? json_member(sections, node->item->valuestring)
                              : (json_node){0};
  if (is_table(node)) return read_table(out, list, r, sections, node);
  if (named.item && is_table(&named)) return read_table(out, list, r, sections, &named);
  function *f = NULL;
  const torsor_status status = function_add(&f, list, r);
  if (status) return status;
  f->x = calloc(1, sizeof *f->x);
  f->section = calloc(1, sizeof *f->section);
  if (!f->x || !f->section) return function_out_of_memory(r);
  *out = (torsor_section_table){f->x, f->section, 1};
  return section_read(f->section, list, r, sections, node);
}

torsor_status sections_check(function_list *list, const reader *r, const json_node *sections) {
  char shown[96];
  if (!sections->item) return TORSOR_OK;
  if (!cJSON_IsObject(sections->item))
    return reader_fail(r, sections, "{\"name\": {\"shape\": \"circle\", ..}, ..}",
                       "must be an object, but is %s", reader_show(sections->item, shown));
  torsor_status status = TORSOR_OK;
  for (const cJSON *item = sections->item->child; item && !status; item = item->next) {
    torsor_section_table table;
    const json_node node = json_member(sections, item->string);
    if (!reader_is_comment(item->string) && cJSON_IsString(node.item))
      return read_object(&(torsor_section){0}, list, r, &node); /* none is another's name */
    if (!reader_is_comment(item->string))
      status = section_table_read(&table, list, r, sections, &node);
  }
  return status;
}
