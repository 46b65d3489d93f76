// Pairs of features of two surfaces that may come into contact while points move by at most a
// margin.
#pragma once

#include <vector>

#include "haptos/contact/search/stencil_list.h"
#include "haptos/contact/surface.h"

namespace haptos {

struct BarrierCandidates {
  /// Cells of the collider near each sample of the soft surface: lists by sample index.
  IndexLists sample_cells;
  /// Collider vertices with the triangles of the soft surface near them: lists over `vertices`.
  std::vector<int> vertices;
  IndexLists vertex_triangles;
  /// Cells of the collider near each triangle of the soft surface, where they were asked for.
  IndexLists face_cells;
  /// (edge of the soft surface, edge of the collider).
  std::vector<std::array<int, 2>> edge_pairs;
  /// Corners of what continuous collision detection looks at: vertices of either surface with the
  /// triangles above, and the pairs of edges, in their order.
  std::vector<StencilPoints> point_stencils, edge_stencils;
};

/// All pairs that are closer than `reach` at x [m]. Of a surface with itself (a and b the same
/// object): every sample with the triangles that share no vertex with it, and every two edges
/// without a common end once; its vertices are samples, so the list of vertices stays empty.
/// @param samples_of  sample indices owned by each triangle of a: each sample once
/// @param b_tree      boxes of the cells of b
/// @param faces       fills face_cells
void find_candidates(const ContactSurface& a, const std::vector<SurfaceSample>& samples,
                     const IndexLists& samples_of, const ContactSurface& b, const Bvh& b_tree,
                     const std::vector<Vec3d>& x, double reach, bool faces, BarrierCandidates& out);

/// The smallest distance of two surfaces at x, or `reach` where they are farther apart than that
/// [m]; of a surface with itself, of features without a common vertex.
double gap_between(const ContactSurface& a, const ContactSurface& b, const std::vector<Vec3d>& x,
                   double reach);

/// Whether at most `most` pairs of triangles have boxes closer than `reach`: what a search costs.
bool few_near_triangles(const ContactSurface& a, const Bvh& b_tree, const std::vector<Vec3d>& x,
                        double reach, std::size_t most);

/// Pairs of blocks that contact of the candidates may couple, each once; of those alone whose boxes
/// are closer than `reach` at points.x [m]. A margin wider than an element makes candidates of most
/// of a surface with itself, and their couplings a full matrix.
void candidate_couplings(const BarrierCandidates& candidates,
                         const std::vector<SurfaceSample>& samples, const ContactSurface& a,
                         const ContactSurface& b, const Points& points, double reach,
                         std::vector<std::array<int, 2>>& out);

/// Lists of what each triangle owns, so that a pair of features is met once: every vertex, edge and
/// sample belongs to its first triangle.
IndexLists owned_samples(const ContactSurface& a, const std::vector<SurfaceSample>& samples);

}  // namespace haptos
