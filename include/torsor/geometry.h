/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_GEOMETRY_H
#define TORSOR_GEOMETRY_H

/** Geometry of a model for drawing: solids on its bodies, pieces of beams between nodes, joints and
 *  forces between markers.  Everything is in the frames of the nodes and thus does not depend on
 *  time; the frames of the nodes at a time are in torsor_frame (frame.h) and in state.nc.  Lengths
 *  in m. */

#include <torsor/model.h>

TORSOR_BEGIN_DECLS

/** The frame of a node, or of the ground, and what it belongs to. */
typedef struct torsor_geometry_node {
  int element;   /* the body that made it */
  bool point;    /* without orientation */
  bool abstract; /* has no position, e.g. modal coordinates: not drawn */
  se3 start;     /* initial frame, before it is moved to fit the joints */
} torsor_geometry_node;

typedef struct torsor_geometry_solid {
  int node;           /* TORSOR_GROUND: inertial axes */
  int element;        /* the body; -1 = the ground */
  torsor_solid solid; /* in the frame of the node */
} torsor_geometry_solid;

/** A piece of a beam or cable between two nodes: see torsor_drawing. */
typedef struct torsor_geometry_piece {
  int element; /* whose outputs are its section forces */
  int node[2];
  torsor_outline outline[2]; /* at both nodes */
  bool framed;               /* else straight between its nodes, of round section */
} torsor_geometry_piece;

/** Pieces in a row: each one begins at the node where the one before ends. */
typedef struct torsor_geometry_strand {
  const char *name; /* of the beam or cable */
  int first_piece, pieces;
} torsor_geometry_strand;

/** A thin line between two nodes, such as between the interfaces of a superelement. */
typedef struct torsor_geometry_line {
  int element;
  int node[2];
} torsor_geometry_line;

/** A marker: the frame at which a joint or force acts on a body. */
typedef struct torsor_geometry_marker {
  const char *key; /* "a", "b", "at" */
  int node;        /* TORSOR_GROUND: inertial axes */
  se3 frame;       /* in the frame of the node */
  double radius;   /* of a rope's sheave or drum about z, m; else 0 */
  int sense;       /* see torsor_station */
} torsor_geometry_marker;

/** A joint or a force. */
typedef struct torsor_geometry_link {
  int element;
  torsor_symbol symbol;
  int first_marker, markers;
  int on; /* the joint whose coordinate it acts on; -1 = none */
  int axes;
  v3 axis[2]; /* [axes] unit vectors, each one in the frame of the marker of the same number */
} torsor_geometry_link;

typedef struct torsor_geometry {
  double scale; /* m: about the size of all of it at the start, never 0 */
  v3 up;        /* against gravity; z without gravity */
  int nodes, solids, strands, pieces, lines, links, markers;
  torsor_geometry_node *node;
  /** Bodies without a "shape" have one from their inertia: solid.guessed. */
  torsor_geometry_solid *solid;
  torsor_geometry_strand *strand; /* they cover all pieces, in order */
  torsor_geometry_piece *piece;
  torsor_geometry_line *line;
  torsor_geometry_link *link;
  torsor_geometry_marker *marker;
} torsor_geometry;

/** Geometry of a model, which must outlive it. */
TORSOR_API torsor_status torsor_geometry_create(torsor_geometry *out, const torsor_model *model,
                                                torsor_error *error);
TORSOR_API void torsor_geometry_destroy(torsor_geometry *geometry);

/** Names used in files: "box", "sphere", ..; "ball", "hinge", .., "none". */
TORSOR_API const char *torsor_solid_name(torsor_solid_kind kind);
TORSOR_API const char *torsor_symbol_name(torsor_symbol symbol);

/** Most points of a loop of an outline. */
#define TORSOR_OUTLINE_POINTS 32

/** Points (y, z), m, of an outline in the axes of the section, counterclockwise about x: returns
 *  their number.  Loop 0 is the outer one; loop 1 is the hole of a tube or box; 0 points where
 *  there is none. */
TORSOR_API int torsor_outline_points(double yz[TORSOR_OUTLINE_POINTS][2],
                                     const torsor_outline *outline, int loop);

/** Frame in a piece: a part s, 0 to 1, of the way from the frame `a` to the frame `b` of its nodes.
 *  Of pieces that are not framed x points to b, and y is across it, the same for the same
 *  direction. */
TORSOR_API se3 torsor_piece_frame(const torsor_geometry_piece *piece, se3 a, se3 b, double s);

TORSOR_END_DECLS

#endif
