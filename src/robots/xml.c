/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "robots/xml.h"

#include <errno.h>
#include <expat.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FILE_BYTES = 64 << 20, DEPTH = 100, CHUNK = 1 << 16 };
static const long ELEMENTS = 1000000;

typedef struct reading {
  xml_tree *tree;
  xml_node *at; /* the element that is open */
  XML_Parser parser;
  torsor_error *error;
  torsor_status status;
  int depth;
  long elements;
} reading;

torsor_status xml_fail(torsor_error *error, const char *file, long line, const char *format, ...) {
  if (!error) return TORSOR_SCENE;
  char message[sizeof error->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  torsor_fail(error, TORSOR_SCENE, "%s", message);
  snprintf(error->file, sizeof error->file, "%s", file);
  error->line = (int)line;
  error->column = line ? 1 : 0;
  return TORSOR_SCENE;
}

const char *xml_value(const xml_node *node, const char *name) {
  for (const xml_attribute *a = node ? node->attribute : NULL; a; a = a->next)
    if (strcmp(a->name, name) == 0) return a->value;
  return NULL;
}

const xml_node *xml_find(const xml_node *node, const char *name) {
  while (node && strcmp(node->name, name) != 0) node = node->next;
  return node;
}

const xml_node *xml_child(const xml_node *node, const char *name) {
  return node ? xml_find(node->child, name) : NULL;
}

/* ---- what expat calls ------------------------------------------------------------------------ */

static void stop(reading *r, const char *words) {
  if (r->status) return;
  r->status =
      xml_fail(r->error, r->tree->file, (long)XML_GetCurrentLineNumber(r->parser), "%s", words);
  XML_StopParser(r->parser, XML_FALSE);
}

static void stop_memory(reading *r) {
  if (r->status) return;
  r->status = torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  XML_StopParser(r->parser, XML_FALSE);
}

static bool keep_attributes(reading *r, xml_node *node, const XML_Char **attributes) {
  xml_attribute **end = &node->attribute;
  for (int i = 0; attributes[i]; i += 2) {
    xml_attribute *a = arena_take(&r->tree->memory, 1, sizeof *a);
    if (!a) return false;
    a->name = arena_string(&r->tree->memory, attributes[i]);
    a->value = arena_string(&r->tree->memory, attributes[i + 1]);
    if (!a->name || !a->value) return false;
    *end = a;
    end = &a->next;
  }
  return true;
}

static void XMLCALL begin(void *data, const XML_Char *name, const XML_Char **attributes) {
  reading *r = data;
  if (r->status) return;
  if (++r->depth > DEPTH) {
    stop(r, "the file is nested more than 100 deep");
    return;
  }
  if (++r->elements > ELEMENTS) {
    stop(r, "the file has more than a million elements");
    return;
  }
  xml_node *node = arena_take(&r->tree->memory, 1, sizeof *node);
  char *copy = node ? arena_string(&r->tree->memory, name) : NULL;
  if (!copy || !keep_attributes(r, node, attributes)) {
    stop_memory(r);
    return;
  }
  node->name = copy;
  node->line = (long)XML_GetCurrentLineNumber(r->parser);
  node->up = r->at;
  if (!r->at)
    r->tree->root = node;
  else if (r->at->last)
    r->at->last->next = node;
  else
    r->at->child = node;
  if (r->at) r->at->last = node;
  r->at = node;
}

static void XMLCALL end(void *data, const XML_Char *name) {
  reading *r = data;
  (void)name;
  if (r->status || !r->at) return;
  r->at = r->at->up;
  --r->depth;
}

static void XMLCALL entity(void *data, const XML_Char *name, int is_parameter,
                           const XML_Char *value, int length, const XML_Char *base,
                           const XML_Char *system, const XML_Char *public,
                           const XML_Char *notation) {
  (void)name;
  (void)is_parameter;
  (void)value;
  (void)length;
  (void)base;
  (void)system;
  (void)public;
  (void)notation;
  stop(data, "the file declares an entity: robot descriptions have none, and none is expanded");
}

static void XMLCALL document_type(void *data, const XML_Char *name, const XML_Char *system,
                                  const XML_Char *public, int has_subset) {
  (void)name;
  (void)has_subset;
  if (system || public)
    stop(data, "the file names another one that defines its type: none is read");
}

/* ---- reading --------------------------------------------------------------------------------- */

static torsor_status fail_file(torsor_error *error, const char *file, int number) {
  torsor_fail(error, TORSOR_FILE, "cannot be read: %s", strerror(number));
  if (error) snprintf(error->file, sizeof error->file, "%s", file);
  return TORSOR_FILE;
}

/* Feeds the file to the parser, piece by piece. */
static torsor_status feed(reading *r, FILE *in) {
  size_t total = 0;
  for (bool last = false; !last;) {
    void *room = XML_GetBuffer(r->parser, CHUNK);
    if (!room) return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
    const size_t got = fread(room, 1, CHUNK, in);
    if (ferror(in)) return fail_file(r->error, r->tree->file, errno);
    total += got;
    last = got < CHUNK;
    if (total > FILE_BYTES) return xml_fail(r->error, r->tree->file, 0, "the file is over 64 MB");
    if (XML_ParseBuffer(r->parser, (int)got, last) == XML_STATUS_OK) continue;
    if (r->status) return r->status;
    const enum XML_Error code = XML_GetErrorCode(r->parser);
    if (code == XML_ERROR_NO_MEMORY) return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
    return xml_fail(r->error, r->tree->file, (long)XML_GetCurrentLineNumber(r->parser),
                    "this is no XML: %s", XML_ErrorString(code));
  }
  return TORSOR_OK;
}

torsor_status xml_read(xml_tree *out, const char *file, torsor_error *error) {
  *out = (xml_tree){.file = file};
  FILE *in = fopen(file, "rb");
  if (!in) return fail_file(error, file, errno);
  reading r = {.tree = out, .error = error, .parser = XML_ParserCreate(NULL)};
  torsor_status status = TORSOR_OK;
  if (r.parser) {
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, begin, end);
    XML_SetEntityDeclHandler(r.parser, entity);
    XML_SetStartDoctypeDeclHandler(r.parser, document_type);
    status = feed(&r, in);
    XML_ParserFree(r.parser);
  } else {
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  fclose(in);
  return status;
}

void xml_release(xml_tree *tree) {
  arena_release(&tree->memory);
}
