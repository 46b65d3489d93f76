// Triangles of a mesh or of a height field against a convex shape. Not for users; collide.h is.
//
// Every triangle near the shape is a prism: a height field's reaches straight down, a mesh's along
// its inward normal. The direction of contact is the normal of a triangle, or, at an edge or a
// vertex, that of the shortest distance where it lies in the normal cone of the surface there:
// where no neighbour rises above the plane across it. So an edge inside a flat or hollow surface
// never pushes sideways.
#pragma once

#include "haptos/geometry/collide/collide.h"

namespace haptos {

struct ShapePath;

class TriangleField {
 public:
  explicit TriangleField(const Shape& shape);

  Aabb bounds() const { return bounds_; }

  /// Appends samples in the frame of the convex shape; r, p turn the field's frame into it.
  void collide(const Convex& a, const Mat3d& r, const Vec3d& p, double margin, int max_points,
               std::vector<ContactSample>& out) const;

  /// As first_touch() in touch.h, against one convex shape; only from in front of a triangle.
  bool first_touch(const CollisionShape& a, const ShapePath& path_a, const ShapePath& path,
                   double tolerance, double& t, double end) const;
  /// Whether a triangle about x to x + above m has a normal m' with m . m' > near; m becomes the
  /// nearest of them. In the field's frame.
  bool find_face(const Vec3d& x, double above, double near, Vec3d& m) const;
  /// No vertex is farther from the origin of the frame [m].
  double extent() const { return extent_; }

 private:
  struct Triangle {
    int v[3];
    int apex[3];  // the third vertex of the neighbour across edge v[k] v[k+1]; -1: border
  };
  void find_rings();
  Triangle triangle(int t) const;
  Vec3d vertex(int v) const;
  /// Triangles whose box may meet this one, in order.
  void near(const Aabb& box, std::vector<int>& out) const;
  bool in_normal_cone(const Triangle& t, const bool (&top)[3], const Mat3d& r,
                      const Vec3d& n) const;
  void one(int t, const Convex& a, const Mat3d& r, const Vec3d& p, double margin, int max_points,
           std::vector<ContactSample>& out) const;

  Aabb bounds_;
  double extent_ = 0;
  std::shared_ptr<const TriMesh> mesh_;
  std::shared_ptr<const HeightField> height_;
  // Of meshes: apexes, neighbours of vertices, a tree over the triangles.
  std::vector<Vec3i> apex_;
  std::vector<int> ring_start_, ring_;
  Bvh tree_;
};

}  // namespace haptos
