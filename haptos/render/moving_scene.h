// Pictures of a scene whose meshes move: what the cameras of a scene see, many times over.
//
// Faces, normals and colours are prepared once, each mesh in a frame of its own. place() and
// reshape() put the meshes into the world; picture() and range() look at them. Half-spaces are seen
// as their planes, as far as the camera sees; they throw no shadow and count for nothing in the
// size of the scene. Lengths in metres, world z up.
#pragma once

#include <span>
#include <vector>

#include "haptos/render/render_faces.h"

namespace haptos {

class MovingScene {
 public:
  /// The plane normal . x = offset of a half-space.
  struct Plane {
    Vec3d normal;
    double offset = 0;
    Color color{0.80f, 0.81f, 0.82f};
  };

  /// @param meshes  those of `scene`; its other parts are not drawn
  MovingScene(const RenderScene& scene, std::vector<Plane> planes);

  /// Puts a mesh where its frame is: x_W = turn x + origin. The turn may be off a rotation a
  /// little, as an affine body's axes are.
  void place(int mesh, const Mat3d& turn, const Vec3d& origin);
  /// Gives the vertices of a mesh in the world. @throws InputError where they are too few or many
  void reshape(int mesh, std::span<const Vec3d> vertices);
  std::size_t mesh_count() const { return shapes_.size() - planes_.size(); }

  /// @param camera  one with a lens
  Image picture(const Camera& camera, const RenderOptions& options);
  /// The numbers of planes follow those of the meshes.
  RangeImage range(const Camera& camera, int width, int height);

 private:
  struct Shape {
    std::vector<Vec3d> vertices;
    std::vector<Vec3i> triangles;
    std::vector<internal::CornerFans> fans;  // of smooth ones: one
    double crease_angle = 0;
    int surface = 0;
  };
  void spread_planes(const Camera& camera, int width, int height);

  std::vector<Shape> shapes_;
  std::vector<Plane> planes_;
  internal::FaceList rest_, now_;
};

}  // namespace haptos
