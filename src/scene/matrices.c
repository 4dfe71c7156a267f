/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "scene/functions_private.h"
#include "scene/market.h"
#include "scene/physical.h"

/* ---- matrices -------------------------------------------------------------------------------- */

torsor_status matrix_read(torsor_matrix *out, function_list *list, const reader *r,
                          const json_node *node) {
  function *f = NULL;
  if (cJSON_IsString(node->item) && reader_postpones(r)) return TORSOR_SCENE;
  torsor_status status = reader_array(r, node, "the name of a Matrix Market file, or rows");
  if (!status) status = function_add(&f, list, r);
  if (status) return status;
  const cJSON *item = node->item->child;
  const int rows = cJSON_GetArraySize(node->item), columns = item ? cJSON_GetArraySize(item) : 0;
  if (!rows || !columns || rows > MATRIX_ROWS || columns > MATRIX_ROWS)
    return reader_fail(r, node, NULL, "needs 1 to %d rows of 1 to %d numbers", MATRIX_ROWS,
                       MATRIX_ROWS);
  f->y = calloc((size_t)rows * (size_t)columns, sizeof *f->y);
  if (!f->y) return function_out_of_memory(r);
  *out = (torsor_matrix){f->y, rows, columns};
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node row = json_item(node, item, i);
    status = reader_numbers(f->y + i * columns, columns, r, &row);
  }
  return status;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static torsor_status read_frame(se3 *out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"position", "orientation"};
  *out = se3_identity();
  if (cJSON_IsArray(node->item)) return reader_vector(&out->x, r, node);
  const json_node position = json_member(node, "position");
  const json_node orientation = json_member(node, "orientation");
  torsor_status status = reader_object(r, node, "a frame", keys, 2);
  if (!status && position.item) status = reader_vector(&out->x, r, &position);
  if (!status && orientation.item) status = physical_orientation(&out->R, r, &orientation);
  return status;
}

torsor_status frames_read(torsor_frames *out, function_list *list, const reader *r,
                          const json_node *node) {
  function *f = NULL;
  torsor_status status = reader_array(r, node, "a list of places or frames");
  if (!status) status = function_add(&f, list, r);
  if (status) return status;
  const int count = cJSON_GetArraySize(node->item);
  f->frame = calloc((size_t)count + 1, sizeof *f->frame);
  if (!f->frame) return function_out_of_memory(r);
  *out = (torsor_frames){f->frame, count};
  const cJSON *item = node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node frame = json_item(node, item, i);
    status = read_frame(&f->frame[i], r, &frame);
  }
  return status;
}
