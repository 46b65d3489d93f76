// The software renderer.
#include <cmath>

#include "bind.h"
#include "haptos/render/pictures.h"
#include "haptos/render/render.h"
#include "image.h"

namespace haptos::python {
namespace {

using Rgb = std::array<float, 3>;
Color to_color(const Rgb& c) { return {c[0], c[1], c[2]}; }

Finish to_finish(const std::string& name) {
  if (name == "matte") return Finish::kMatte;
  if (name == "gel") return Finish::kGel;
  if (name == "metal") return Finish::kMetal;
  if (name == "unlit") return Finish::kUnlit;
  refuse("finish", name, "must be matte, gel, metal or unlit", "");
}

void add_mesh(RenderScene& s, const ArrayLike& vertices, const ArrayLike& triangles,
              const Rgb& color, const std::string& finish, bool smooth, bool wire,
              const std::optional<Rgb>& wire_color, double opacity, bool clipped,
              const std::optional<Rgb>& cap_color, const ArrayLike& vertex_colors,
              double crease_angle) {
  RenderMesh m;
  m.vertices = to_points(vertices, "vertices");
  m.triangles = to_triangles(triangles, "triangles");
  m.color = to_color(color);
  m.finish = to_finish(finish);
  m.smooth = smooth;
  m.wire = wire;
  if (wire_color) m.wire_color = to_color(*wire_color);
  m.opacity = opacity;
  m.clipped = clipped;
  m.crease_angle = crease_angle;
  if (cap_color) m.cap_color = to_color(*cap_color);
  if (!vertex_colors.is_none())
    for (const Vec3d& c : to_points(vertex_colors, "vertex_colors"))
      m.vertex_colors.push_back(
          {static_cast<float>(c[0]), static_cast<float>(c[1]), static_cast<float>(c[2])});
  s.meshes.push_back(std::move(m));
}

/// The camera turned to `target` (none: where it looks), from `distance` (none: as far as it is).
Camera aimed(Camera c, const std::optional<Vec3d>& target, const std::optional<double>& distance) {
  const Vec3d away = c.eye - c.target;
  if (target) c.target = *target;
  c.eye = c.target + away * (distance.value_or(norm(away)) / norm(away));
  if (distance) c.ortho_height = 2 * *distance * std::tan(0.5 * c.fov);
  return c;
}

RenderOptions options(int width, int height, int samples) {
  RenderOptions o;
  o.width = width, o.height = height, o.samples = samples;
  return o;
}

}  // namespace

void bind_render(nb::module_& m) {
  nb::class_<RenderScene>(m, "RenderScene",
                          "What a picture shows. Lengths may be in any one unit; z is up.")
      .def(nb::init<>())
      .def("add_mesh", &add_mesh, nb::arg("vertices"), nb::arg("triangles"),
           nb::arg("color") = Rgb{0.72f, 0.74f, 0.78f}, nb::arg("finish") = "matte",
           nb::arg("smooth") = true, nb::arg("wire") = false, nb::arg("wire_color") = nb::none(),
           nb::arg("opacity") = 1.0, nb::arg("clipped") = true, nb::arg("cap_color") = nb::none(),
           nb::arg("vertex_colors") = nb::none(),
           nb::arg("crease_angle") = RenderMesh().crease_angle,
           "A triangle mesh: vertices (V, 3), triangles (T, 3), colours 0 to 1, finish: matte, "
           "gel, metal or unlit; clipped: whether clip() cuts it; edges sharper than crease_angle "
           "[rad] "
           "stay sharp.")
      .def(
          "add_arrow",
          [](RenderScene& s, const ArrayLike& from, const ArrayLike& to, double radius,
             const Rgb& color) {
            s.arrows.push_back(
                {to_vec3(from, "start"), to_vec3(to, "end"), radius, to_color(color)});
          },
          nb::arg("start"), nb::arg("end"), nb::arg("radius"),
          nb::arg("color") = Rgb{0.93f, 0.30f, 0.20f})
      .def(
          "add_point",
          [](RenderScene& s, const ArrayLike& centre, double radius, const Rgb& color) {
            s.points.push_back({to_vec3(centre, "centre"), radius, to_color(color)});
          },
          nb::arg("centre"), nb::arg("radius"), nb::arg("color") = Rgb{0.12f, 0.13f, 0.15f})
      .def(
          "set_ground", [](RenderScene& s, double z) { s.ground = z; }, nb::arg("z"),
          "A plane at height z that catches shadows.")
      .def(
          "clip",
          [](RenderScene& s, const ArrayLike& normal, double offset) {
            s.clip = ClipPlane{to_vec3(normal, "normal"), offset};
          },
          nb::arg("normal"), nb::arg("offset"), "Keeps what lies at normal . x <= offset.");
  m.def(
      "render",
      [](const RenderScene& s, const ArrayLike& direction, int width, int height, double fov,
         double margin, bool orthographic, int samples, const ArrayLike& frame,
         const ArrayLike& target, const std::optional<double>& distance) {
        const Vec3d d = to_vec3(direction, "direction");
        if (!(norm(d) > 0) || !std::isfinite(norm(d)))
          refuse("direction", "", "must be a finite vector other than 0", "for example 0, 1, -1");
        if (width < 1 || height < 1 || width > 16384 || height > 16384)
          refuse("picture", std::to_string(width) + " x " + std::to_string(height),
                 "must have sides of 1 to 16384 pixels", "for example 1280 x 960");
        const double aspect = static_cast<double>(width) / height;
        std::vector<Vec3d> box;
        if (!frame.is_none()) box = to_points(frame, "frame");
        if (!frame.is_none() && box.size() != 2)
          refuse("frame", std::to_string(box.size()) + " rows", "must have two rows",
                 "give the lowest and the highest corner");
        if (distance && !(*distance > 0 && std::isfinite(*distance)))
          refuse("distance", std::to_string(*distance), "must be greater than 0",
                 "give it in the unit of the scene");
        std::optional<Vec3d> at;
        if (!target.is_none()) at = to_vec3(target, "target");
        Image image;
        {
          nb::gil_scoped_release release;
          const Camera whole =
              box.empty() ? frame_scene(s, d, aspect, fov, margin, orthographic)
                          : frame_box(box[0], box[1], d, aspect, fov, margin, orthographic);
          image = render(s, aimed(whole, at, distance), options(width, height, samples));
        }
        return image_array(std::move(image));
      },
      nb::arg("scene"), nb::arg("direction"), nb::arg("width") = 1280, nb::arg("height") = 960,
      nb::arg("fov") = 0.42, nb::arg("margin") = 0.1, nb::arg("orthographic") = false,
      nb::arg("samples") = 3, nb::arg("frame") = nb::none(), nb::arg("target") = nb::none(),
      nb::arg("distance") = nb::none(),
      "A picture (height, width, 3) of the scene seen along `direction`; fov: full vertical angle "
      "[rad]; margin: part of the picture left free; frame: box (2, 3) that fills the picture, by "
      "default the whole scene; target (3): what the camera looks at in place of the middle of "
      "that, "
      "from as far away, or from `distance`. A parallel camera shows what a perspective one shows "
      "at that distance.");
  m.def(
      "view_above",
      [](const RenderScene& s, int width, int height) {
        Image image;
        {
          nb::gil_scoped_release release;
          image = view_above(s, options(width, height, 3));
        }
        return image_array(std::move(image));
      },
      nb::arg("scene"), nb::arg("width") = 1280, nb::arg("height") = 960,
      "The scene seen from the front and above, (height, width, 3).");
  m.def(
      "view_side_cutaway",
      [](const RenderScene& s, const ArrayLike& centre, int width, int height) {
        const Vec3d c = to_vec3(centre, "centre");
        Image image;
        {
          nb::gil_scoped_release release;
          image = view_side_cutaway(s, c, options(width, height, 3));
        }
        return image_array(std::move(image));
      },
      nb::arg("scene"), nb::arg("centre"), nb::arg("width") = 1280, nb::arg("height") = 720,
      "The scene cut along the plane y = centre_y, seen from the side, (height, width, 3).");
}

}  // namespace haptos::python
