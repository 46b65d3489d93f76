// The scene flattened for drawing: one list of faces that carry everything a shader asks for.
#pragma once

#include <vector>

#include "haptos/render/render.h"

namespace haptos::internal {

using Vec3f = Vec3<float>;

/// What all faces of one mesh share.
struct Surface {
  Finish finish = Finish::kMatte;
  float opacity = 1;
  float glow = 0;        ///< part of the colour that needs no light: overlays stay legible
  bool clipped = false;  ///< fragments beyond the clip plane are dropped
  bool wire = false;
  Vec3f wire_color, cap_color;  ///< linear light
  double wire_width = 1;
  int face_begin = 0, face_end = 0;
  int mesh = 0;  ///< number in the scene; arrows and points follow the meshes
};

struct Face {
  Vec3d p[3];
  Vec3f normal[3];  ///< unit, at the corners
  Vec3f color[3];   ///< linear light, at the corners
  Vec3d plane;      ///< unit normal of the facet
  Vec3d g1, g2;     ///< barycentric weights: b1 = g1 . (x - p0), b2 = g2 . (x - p0)
  int surface = 0;

  /// Barycentric weights of the point of the face nearest to x's projection, roughly: negative
  /// weights are cut off and the rest scaled to sum to one.
  Vec3d weights(const Vec3d& x) const;
};

struct FaceList {
  std::vector<Surface> surfaces;  ///< opaque ones first
  std::vector<Face> faces;        ///< grouped by surface
  int opaque_count = 0;           ///< surfaces before the first translucent one
};

/// Checks the scene and flattens it; arrows and points become meshes.
FaceList flatten(const RenderScene& scene);

/// The faces round each corner of a mesh: what its smooth normals are means of. It depends on which
/// vertices lie in the same place, not on where that is.
class CornerFans {
 public:
  explicit CornerFans(const RenderMesh& mesh);
  /// Corner normals: the mean of the facets round the corner that lie within the crease angle, each
  /// weighted by its angle there.
  void smooth(double crease_angle, Face* faces) const;

 private:
  std::vector<int> vertex_;  // of each corner, the first in its place
  std::vector<int> begin_, fan_;
};

/// Corners, plane and weights of a face.
void set_corners(const Vec3d& a, const Vec3d& b, const Vec3d& c, Face& face);

/// What there is round the faces: the box that holds what throws shadows, and the rest of a scene.
struct FacesAround {
  Vec3d lo, hi;
  std::optional<double> ground;
  std::optional<ClipPlane> clip;
};

Image draw_faces(const FaceList& list, const FacesAround& around, const Camera& camera,
                 const RenderOptions& options);

inline Vec3f linear_light(Color c) {
  return {{linear_from_srgb(c.r), linear_from_srgb(c.g), linear_from_srgb(c.b)}};
}

}  // namespace haptos::internal
