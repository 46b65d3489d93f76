// A triangle mesh of any kind made ready for boundary-layer contact: open, non-manifold,
// overlapping, of either winding, with triangles given twice or without area. Nothing is asked of
// it but finite coordinates; nothing that is asked later depends on the order of its triangles or
// vertices.
//
// What is prepared, once:
//   vertices    equal ones joined (within 1e-9 of the size)
//   faces       triangles with area, each once; parts are turned so that neighbours agree
//   planes      faces that share an edge and lie in one plane share it; another face has its own
//   sides       whether a face has an inside: parts that enclose a volume, but for holes, face
//               outward; faces of all other parts are two-sided
//   edges       with the faces beside them; vertices with the edges that leave them
//   sharpness   edges and vertices that can stand out from their faces (sharp.h) are marked
//   segments, points   loose ones, as the mesh has them, and triangles without area that are joined
//               to nothing
//
// The thickness of a layer is not the soup's: a ball is a point with a radius, a capsule a segment.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "haptos/geometry/mesh/topology.h"
#include "haptos/geometry/soup/shrink.h"
#include "haptos/geometry/tree/wide_tree.h"

namespace haptos {

class TriangleSoup {
 public:
  struct Face {
    Vec3i v;             ///< counter-clockwise about the normal of its plane
    Vec3i edge;          ///< edge k joins corners k and k + 1
    int plane = 0;       ///< of planes()
    bool sided = false;  ///< the normal points outward; else there is no inside
  };
  /// { x : n . x = offset }
  struct Plane {
    Vec3d n;
    double offset = 0;
  };
  using Edge = Vec2i;  ///< the lower vertex first

  /// What is known of sides.
  enum class Sides : std::uint8_t {
    kLookFor,  ///< nothing: parts that enclose a volume face outward
    kOutward,  ///< every face faces outward
    kTwo,      ///< no face has an inside
  };

  TriangleSoup() = default;
  /// @param shrink_by  what has an inside gets smaller by so much (shrink.h) [m]
  /// @throws InputError naming `element` for a mesh without anything, coordinates that are not
  ///         finite, and elements that name a missing vertex
  explicit TriangleSoup(const TriMesh& mesh, const std::string& element = "mesh",
                        Sides sides = Sides::kLookFor, double shrink_by = 0);

  const std::vector<Vec3d>& vertices() const { return vertices_; }
  const std::vector<Face>& faces() const { return faces_; }
  const std::vector<Plane>& planes() const { return planes_; }
  const std::vector<Edge>& edges() const { return edges_; }  ///< loose segments are the last ones
  int loose_segments() const { return loose_segments_; }
  const std::vector<int>& loose_points() const { return loose_points_; }
  std::span<const int> edge_faces(int e) const { return edge_faces_[e]; }
  std::span<const int> vertex_edges(int v) const { return vertex_edges_[v]; }

  /// Faces, then loose segments, then loose points.
  int element_count() const {
    return static_cast<int>(faces_.size() + loose_points_.size()) + loose_segments_;
  }
  /// Corners of an element; a segment names its second twice, a point its only one.
  Vec3i corners(int element) const;
  const WideTree& tree() const { return tree_; }
  /// Over what can stand out: sharp_vertices(), then sharp_edges().
  const WideTree& sharp_tree() const { return sharp_tree_; }
  const std::vector<int>& sharp_vertices() const { return sharp_vertices_; }
  const std::vector<int>& sharp_edges() const { return sharp_edges_; }
  /// No vertex is farther from the origin [m].
  double extent() const { return extent_; }
  const Aabb& box() const { return box_; }
  double area() const { return area_; }
  /// Half the shortest side of its box [m].
  double half_thickness() const;
  /// Triangles without area, and those given again.
  int dropped() const { return dropped_; }
  /// What shrinking left.
  const Shrunk& shrunk() const { return shrunk_; }
  /// Faces that have an inside.
  int sided() const;
  /// The face's edge is a border of its plane: another plane, or nothing, is beyond it.
  bool border(int face, int k) const {
    return border_[static_cast<std::size_t>(face)][static_cast<std::size_t>(k)];
  }
  /// Direction in the plane of a face away from its edge, unit.
  Vec3d inward(int face, int edge) const;

  /// Calls f with each thing that a soup holds: vectors and values without pointers (soup_kept.h).
  template <class F>
  void each_part(F&& f);

 private:
  void take_elements(const TriMesh& mesh, const std::string& element);
  std::vector<int> find_sides(TriMesh& mesh, Sides sides);
  void shrink_core(TriMesh& mesh, const std::vector<int>& part, double by);
  void find_planes();
  void find_sharp();
  bool can_stand_out(int edge) const;
  bool can_stand_out_vertex(int v) const;

  std::vector<Vec3d> vertices_;
  std::vector<Face> faces_;
  std::vector<Plane> planes_;
  std::vector<Edge> edges_;
  IndexLists edge_faces_, vertex_edges_;
  std::vector<int> loose_points_;
  std::vector<int> sharp_vertices_, sharp_edges_;
  std::vector<std::array<bool, 3>> border_;
  int loose_segments_ = 0, dropped_ = 0;
  Shrunk shrunk_;
  Aabb box_;
  double extent_ = 0, area_ = 0;
  WideTree tree_, sharp_tree_;
};

template <class F>
void TriangleSoup::each_part(F&& f) {
  f(vertices_), f(faces_), f(planes_), f(edges_);
  for (IndexLists* l : {&edge_faces_, &vertex_edges_}) f(l->offset), f(l->item);
  f(loose_points_), f(sharp_vertices_), f(sharp_edges_), f(border_);
  f(loose_segments_), f(dropped_), f(box_), f(extent_), f(area_);
  f(shrunk_.held), f(shrunk_.stands_out);
  tree_.each_part(f), sharp_tree_.each_part(f);
}

/// Sine of the elevation at which an edge or a vertex starts to stand out from what is beside it,
/// and from which on it stands out in full.
constexpr double kFlat = 0.087, kSharp = 0.5;

/// 0 up to `from`, 1 from `to` on, with a continuous slope between them.
inline double ramp(double x, double from, double to) {
  const double t = clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

}  // namespace haptos
