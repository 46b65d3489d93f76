// What cameras of a scene see (haptos/render/moving_scene.h). haptos/scene/cameras.py ties it to a
// Sim.
#include <algorithm>

#include "bind.h"
#include "haptos/render/moving_scene.h"
#include "image.h"

namespace haptos::python {
namespace {

using PoseRow = std::array<double, 7>;
Pose pose_of(const PoseRow& p) { return {{{p[0], p[1], p[2]}}, {p[3], p[4], p[5], p[6]}}; }

MovingScene make_scene(const RenderScene& scene, const ArrayLike& normals,
                       const std::vector<double>& offsets) {
  const std::vector<Vec3d> n = to_points(normals, "normals of planes");
  if (n.size() != offsets.size())
    refuse("planes",
           std::to_string(n.size()) + " normals, " + std::to_string(offsets.size()) + " offsets",
           "must have as many normals as offsets", "give one of each for a plane");
  std::vector<MovingScene::Plane> planes;
  for (std::size_t i = 0; i < offsets.size(); ++i) planes.push_back({n.at(i), offsets[i]});
  return MovingScene(scene, std::move(planes));
}

// The key light stands still in the world, wherever the camera looks; the renderer has it in axes
// of the camera: right, up, back.
RenderOptions seen(const PoseRow& pose, int width, int height, int samples, bool shadows) {
  constexpr int kMostShadows = 2048, kShadowsPerPixel = 3;
  const Vec3d towards{{0.35, -0.45, 0.85}};
  const Mat3d turn = to_matrix(pose_of(pose).q);
  const Vec3d k = transpose(turn) * towards;
  RenderOptions o;
  o.width = width, o.height = height, o.samples = samples, o.shadows = shadows;
  o.shadow_size = std::min(kMostShadows, kShadowsPerPixel * std::max({width, height, 64}));
  o.key_direction = {{k[0], -k[1], -k[2]}};
  return o;
}

Camera camera(const PoseRow& pose, double focal, int width, int height, double near, double far) {
  const Lens lens{focal, focal, 0.5 * (width - 1), 0.5 * (height - 1), near, far};
  const Pose p = pose_of(pose);
  return camera_at(p.p, to_matrix(p.q), lens);
}

}  // namespace

void bind_cameras(nb::module_& m) {
  nb::class_<MovingScene>(m, "MovingScene", "Meshes that move, and what cameras see of them [m].")
      .def(nb::new_(&make_scene), nb::arg("scene"), nb::arg("normals"), nb::arg("offsets"),
           "The meshes of a RenderScene, and planes normal . x = offset.")
      .def(
          "place",
          [](MovingScene& s, int mesh, const PoseRow& pose) {
            require_index(mesh, s.mesh_count(), "mesh");
            const Pose p = pose_of(pose);
            s.place(mesh, to_matrix(p.q), p.p);
          },
          nb::arg("mesh"), nb::arg("pose"), "Puts the frame of a mesh at x y z [m], w x y z.")
      .def(
          "reshape",
          [](MovingScene& s, int mesh, const ArrayLike& vertices) {
            require_index(mesh, s.mesh_count(), "mesh");
            s.reshape(mesh, to_points(vertices, "vertices"));
          },
          nb::arg("mesh"), nb::arg("vertices"), "Gives the vertices of a mesh, (V, 3), world [m].")
      .def(
          "picture",
          [](MovingScene& s, const PoseRow& pose, double focal, int width, int height, double near,
             double far, int samples, bool shadows) {
            const RenderOptions o = seen(pose, width, height, samples, shadows);
            Image image;
            {
              nb::gil_scoped_release release;
              image = s.picture(camera(pose, focal, width, height, near, far), o);
            }
            return image_array(std::move(image));
          },
          nb::arg("pose"), nb::arg("focal"), nb::arg("width"), nb::arg("height"), nb::arg("near"),
          nb::arg("far"), nb::arg("samples"), nb::arg("shadows"),
          "Colours (height, width, 3) that a camera sees whose frame (x along the rows, y down, z "
          "forward) has this pose; focal [pixel].")
      .def(
          "range",
          [](MovingScene& s, const PoseRow& pose, double focal, int width, int height, double near,
             double far) {
            RangeImage r;
            {
              nb::gil_scoped_release release;
              r = s.range(camera(pose, focal, width, height, near, far), width, height);
            }
            return nb::make_tuple(own_row(std::move(r.depth)), own_row(std::move(r.mesh)));
          },
          nb::arg("pose"), nb::arg("focal"), nb::arg("width"), nb::arg("height"), nb::arg("near"),
          nb::arg("far"),
          "Depths along the view [m], infinite where nothing is seen, and numbers of the meshes, "
          "then of the planes that are seen, -1: nothing; a row of height * width each.");
}

}  // namespace haptos::python
