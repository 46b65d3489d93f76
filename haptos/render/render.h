// Pictures of a scene without a display: a software renderer for reports, tests and documents.
//
// Triangles are rasterised into a supersampled z-buffer and shaded once per pixel and triangle:
// a key light with a soft shadow map, a fill light, a sky, screen-space ambient occlusion and a
// gentle gloss, in linear light, encoded as sRGB. A ground plane catches shadow and fades into the
// background. A clip plane cuts closed meshes open and closes the cut with a flat cap.
// Scene lengths may be in any one unit; world z is up. The picture is the same for any number of
// threads. Limits: one layer of translucency; shadows of meshes of half opacity or more are
// opaque, others throw none; caps ask for closed meshes.
#pragma once

#include <optional>
#include <vector>

#include "haptos/geometry/mesh.h"
#include "haptos/render/image/image.h"

namespace haptos {

/// How a surface answers light.
enum class Finish {
  kMatte,  ///< plain, faint gloss
  kGel,    ///< soft translucent silicone: light wraps round and glows through
  kMetal,  ///< machined steel: stronger gloss and sky
  kUnlit   ///< the colour as given, for overlays
};

struct RenderMesh {
  std::vector<Vec3d> vertices;
  std::vector<Vec3i> triangles;  ///< counter-clockwise seen from outside
  Color color{0.72f, 0.74f, 0.78f};
  std::vector<Color> vertex_colors;  ///< one per vertex, or empty: `color`
  Finish finish = Finish::kMatte;
  bool smooth = true;         ///< interpolate normals; false: facets
  double crease_angle = 0.7;  ///< edges sharper than this stay sharp [rad]
  bool wire = false;          ///< draw the triangles' edges
  Color wire_color{0.10f, 0.13f, 0.17f};
  double wire_width = 0.9;  ///< [pixel]
  double opacity = 1;
  bool clipped = true;          ///< the scene's clip plane cuts this mesh
  Color cap_color{-1, -1, -1};  ///< colour of the cut; negative: `color`
};

/// An arrow, for example a contact force drawn to scale.
struct RenderArrow {
  Vec3d from, to;
  double radius = 0;  ///< of the shaft
  Color color{0.93f, 0.30f, 0.20f};
};

/// A small ball, for example a marker or a contact point.
struct RenderPoint {
  Vec3d centre;
  double radius = 0;
  Color color{0.12f, 0.13f, 0.15f};
};

/// Keeps what lies at normal . x <= offset.
struct ClipPlane {
  Vec3d normal;
  double offset = 0;
};

struct RenderScene {
  std::vector<RenderMesh> meshes;
  std::vector<RenderArrow> arrows;
  std::vector<RenderPoint> points;
  std::optional<double> ground;  ///< height z of a plane that catches shadows
  std::optional<ClipPlane> clip;
};

/// A pinhole as computer vision gives it: a point (x, y, z) of its frame, z forward, x along the
/// rows of the picture and y down its columns, is seen at column cx + fx x / z, row cy + fy y / z.
/// The centre of pixel (row r, column c) is at exactly (c, r).
struct Lens {
  double fx = 0, fy = 0, cx = 0, cy = 0;  ///< [pixel]
  double near = 0, far = 1e300;           ///< what lies outside along z is not seen
};

struct Camera {
  Vec3d eye{{1, -1, 1}}, target{{0, 0, 0}}, up{{0, 0, 1}};
  double fov = 0.5;  ///< perspective: full vertical angle [rad]
  bool orthographic = false;
  double ortho_height = 1;   ///< orthographic: height of the picture in scene units
  std::optional<Lens> lens;  ///< in place of fov
};

struct RenderOptions {
  int width = 1280, height = 960;  ///< [pixel]
  int samples = 3;                 ///< per pixel, each way (1 .. 6)
  bool shadows = true;
  bool ambient_occlusion = true;
  int shadow_size = 2048;  ///< of the map of shadows, each way [pixel]
  Color background_top{0.93f, 0.945f, 0.965f};
  Color background_bottom{0.985f, 0.985f, 0.985f};
  /// Towards the key light in camera axes: right, up of the picture, back to the viewer.
  Vec3d key_direction{{-0.55, 0.95, 0.45}};
  double exposure = 1;
};

/// The camera whose frame (x right, y down, z forward) has this pose.
Camera camera_at(const Vec3d& origin, const Mat3d& turn, const Lens& lens);

/// The smallest box round everything but the ground; false for an empty scene.
bool scene_bounds(const RenderScene& scene, Vec3d& lo, Vec3d& hi);

/// A camera that looks along `direction` and just sees the box, `margin` 0.1 leaving a tenth free.
Camera frame_box(const Vec3d& lo, const Vec3d& hi, const Vec3d& direction, double aspect,
                 double fov = 0.5, double margin = 0.08, bool orthographic = false);
Camera frame_scene(const RenderScene& scene, const Vec3d& direction, double aspect,
                   double fov = 0.5, double margin = 0.08, bool orthographic = false);

/// Depths of a picture from the planes of the faces themselves.
struct RangeImage {
  int width = 0, height = 0;
  std::vector<float> depth;  ///< along the view, not along the ray; infinite where nothing is seen
  std::vector<int> mesh;     ///< number in the scene of what is seen; -1: nothing
};

/// Draws the scene. Throws InputError on a size, camera, index or position that cannot be used.
Image render(const RenderScene& scene, const Camera& camera, const RenderOptions& options = {});

/// A ball of triangles, `rings` from pole to pole.
RenderMesh sphere_mesh(const Vec3d& centre, double radius, int rings = 48);

}  // namespace haptos
