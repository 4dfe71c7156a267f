/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_BLOCK_RANK_H
#define TORSOR_ASSEMBLY_BLOCK_RANK_H

/** Orders of elimination for large models, for a search to follow: rank[a] is the place of the
 * pivot with leader a.  They are CHOLMOD's (Chen, Davis, Hager, Rajamanickam, ACM Trans. Math.
 * Softw. 35 (2008) 22), whose searches know the graph, but not the sizes of parts. */

#include "assembly/solver/block_search.h"

/** Approximate minimum degree (Amestoy, Davis, Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886-905)
 * on the graph of pivots.  Fails with MEMORY. */
torsor_status block_rank_by_degree(int **rank, const block_search *s, arena *memory);

/** First all nodes, then the rows by nested dissection (George, SIAM J. Numer. Anal. 10 (1973)
 * 345-363; METIS: Karypis and Kumar, SIAM J. Sci. Comput. 20 (1998) 359-392) of the graph of
 * B S^-1 B^T, in which rows are neighbours that have a node in common.  For plans with rows apart.
 * Fails with MEMORY. */
torsor_status block_rank_rows(int **rank, const block_search *s, arena *memory);

#endif
