// The surface of a soft body as points that touch: what frozen contact asks of it.
//
// Over a triangle of area A with corners a, b, c and centroid m, the rule
//
//   int f dA  =  A/12 (f_a + f_b + f_c) + 3/4 A f_m
//
// is exact to degree two, so that a uniform pressure is carried exactly, and the energy of a gap
// that is linear over a triangle too. Each vertex is a point, with a twelfth of the triangles about
// it, and each centroid, the mean of three vertices. A triangle with the outward normal m at the
// start of the step counts for a shape with the normal n as what it shows of it, A max(0, -m . n):
// the sides of a block do not make the edges of its bottom stiffer.
//
// Limits: what is sharper than a triangle can pass between its points. Areas are those at rest.
#pragma once

#include <vector>

#include "haptos/geometry/mesh.h"
#include "haptos/geometry/query/bvh.h"
#include "haptos/system/cloud.h"

namespace haptos {

class SoftCloud final : public Cloud {
 public:
  /// @param surface  at rest, triangles outward [m]
  /// @param points  of its vertices
  /// @param driven  1 where a vertex is glued to what is prescribed: contact does not move it
  SoftCloud(const TriMesh& surface, const std::vector<int>& points,
            const std::vector<char>& driven);

  void begin(const StepContext& context) override;
  int size() const override { return static_cast<int>(samples_.size()); }
  Vec3d place(int i) const override { return mean(i, x_); }
  Vec3d velocity(int i) const override { return mean(i, u_); }
  double radius(int) const override { return 0; }
  double area(int i, const Vec3d& n) const override;
  std::int64_t id(int i) const override { return samples_[static_cast<std::size_t>(i)]; }
  int parts(int i, const Vec3d& aside, Points::Part* out) const override;
  Vec3d node_place(int point) const override;
  std::int64_t node_id(int point) const override { return point; }
  double spacing() const override { return edge_; }
  bool skin(const Vec3d& x, double reach, Skin& out) const override;
  double cell() const override { return edge_; }

  /// Side of a square of the mean area of two triangles [m].
  double edge() const { return edge_; }
  /// Of what a point stands for [m2].
  double mean_area() const { return mean_area_; }

 private:
  Vec3d mean(int i, const std::vector<Vec3d>& values) const;

  std::vector<int> points_;
  std::vector<Vec3i> triangles_;
  std::vector<double> rest_area_;         // of triangles
  std::vector<int> about_, about_begin_;  // triangles about each vertex
  std::vector<int> samples_;              // a vertex, or vertices + a triangle
  double edge_ = 0, mean_area_ = 0;
  const Points* step_points_ = nullptr;
  std::vector<Vec3d> x_, u_;   // of points_, at the start of the step
  std::vector<Vec3d> normal_;  // of triangles, times the area at rest
  // Of the surface where the step starts, made when it is first asked for.
  void find_skin() const;
  mutable bool skin_known_ = false;
  mutable std::vector<Aabb> boxes_;
  mutable Bvh tree_;
  mutable std::vector<Vec3d> vertex_normal_;  // of no particular length
};

}  // namespace haptos
