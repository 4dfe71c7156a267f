/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ROBOTS_XML_H
#define TORSOR_ROBOTS_XML_H

/** XML files as trees, within limits, by libexpat. */

#include <torsor/base.h>

#include "base/arena.h"

typedef struct xml_attribute {
  struct xml_attribute *next;
  const char *name, *value;
} xml_attribute;

typedef struct xml_node {
  struct xml_node *next, *child, *last, *up;
  xml_attribute *attribute;
  const char *name;
  long line;
} xml_node;

typedef struct xml_tree {
  arena memory;
  const char *file;
  xml_node *root;
} xml_tree;

/** Read a file of up to 64 MB, nested up to 100 deep, with up to a million elements.  Entities that
 *  the file declares are refused, whatever they are for, so that nothing in it expands and no other
 *  file is read.  TORSOR_SCENE with the line of what is wrong, TORSOR_FILE, TORSOR_MEMORY.  To be
 *  released even after a failure. */
torsor_status xml_read(xml_tree *out, const char *file, torsor_error *error);
void xml_release(xml_tree *tree);

/** Value of an attribute, NULL when there is none. */
const char *xml_value(const xml_node *node, const char *name);
/** The first child of this name from `node` on, a child itself; NULL when there is none. */
const xml_node *xml_find(const xml_node *node, const char *name);
/** The first child of this name in `node`, which may be NULL. */
const xml_node *xml_child(const xml_node *node, const char *name);

/** TORSOR_SCENE, located at a line of the file. */
torsor_status xml_fail(torsor_error *error, const char *file, long line, const char *format, ...)
    TORSOR_PRINTF(4, 5);

#endif
