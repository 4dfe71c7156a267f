/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_VTK_BEAMS_H
#define TORSOR_RESULTS_VTK_BEAMS_H

/** Beams and cables as surfaces: their sections swept along the pieces. */

#include <torsor/frame.h>
#include <torsor/geometry.h>

#include "results/vtk_file.h"

/** The position of a node, and the velocities of its frame. */
typedef struct vtk_pose {
  se3 frame;
  m3 R;              /* its rotation */
  v3 velocity, spin; /* inertial axes */
} vtk_pose;

typedef struct vtk_beams {
  const torsor_geometry *g;
  int *force, *moment; /* [pieces] index of the section forces among the outputs; -1: none */
  bool *axial;         /* [pieces] the first one is a tension */
  const char **name;   /* [strands] */
  bool outputs;        /* there are any */
  int points;
  vtk_cells cells;
  text beam, element; /* int of each cell */
} vtk_beams;

/** Returns the index of the first component of the output `word` of an element among the outputs of
 *  a frame; -1 when it has none. */
int vtk_find_output(const torsor_layout *layout, int element, const char *word);

torsor_status vtk_beams_create(vtk_beams *out, const torsor_geometry *g,
                               const torsor_layout *layout, torsor_error *error);
/** Make or replace the file `path`: the beams where `pose` [nodes] puts them. */
torsor_status vtk_beams_write(const vtk_beams *b, const char *path, const torsor_frame *frame,
                              const vtk_pose *pose, torsor_error *error);
void vtk_beams_release(vtk_beams *b);

/** Velocity of the point x of a node's frame. */
v3 vtk_velocity(const vtk_pose *pose, v3 x);

#endif
