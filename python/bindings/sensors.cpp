// Tactile camera, depth and markers, on plain arrays. haptos/tactile/sensors.py ties them to a Sim.
#include "bind.h"
#include "haptos/sensors/tactile/contours.h"
#include "haptos/sensors/tactile/depth.h"
#include "haptos/sensors/tactile/markers.h"

namespace haptos::python {
namespace {

void bind_camera(nb::module_& m) {
  using C = TactileCamera;
  nb::class_<C>(m, "TactileCamera",
                "The camera of a tactile gel: the coat seen from outside, x to the right, y up.")
      .def_static(
          "orthographic",
          [](int width, int height, const Quantity& pitch) {
            return C::orthographic(width, height, to_quantity(pitch, "m", "TactileCamera pitch"));
          },
          nb::arg("width"), nb::arg("height"), nb::arg("pitch"),
          "Parallel rays; pitch: metres per pixel.")
      .def_static(
          "pinhole",
          [](int width, int height, double focal, const Quantity& distance, double k1, double k2) {
            return C::pinhole(width, height, focal,
                              to_quantity(distance, "m", "TactileCamera distance"), k1, k2);
          },
          nb::arg("width"), nb::arg("height"), nb::arg("focal"), nb::arg("distance"),
          nb::arg("k1") = 0.0, nb::arg("k2") = 0.0,
          "focal: focal length [pixel]; distance: from the pinhole to the rest top [m]; k1, "
          "k2: Brown's radial distortion, 1 + k1 r^2 + k2 r^4 of the slope r.")
      .def_static(
          "fisheye",
          [](int width, int height, double focal, const Quantity& distance) {
            return C::fisheye(width, height, focal,
                              to_quantity(distance, "m", "TactileCamera distance"));
          },
          nb::arg("width"), nb::arg("height"), nb::arg("focal"), nb::arg("distance"),
          "Equidistant: a ray at the angle theta lies focal theta from the middle; focal "
          "[pixel per radian]; distance: from the lens to the rest top [m].")
      .def_rw("fx", &C::fx, "Focal length along columns [pixel].")
      .def_rw("fy", &C::fy, "Focal length along rows [pixel].")
      .def_rw("cx", &C::cx, "Column of the principal point [pixel].")
      .def_rw("cy", &C::cy, "Row of the principal point [pixel].")
      .def_ro("k1", &C::k1, "Radial distortion.")
      .def_ro("k2", &C::k2, "Radial distortion.")
      .def_ro("distance", &C::distance, "From the camera to the rest top [m].")
      .def_prop_ro(
          "kind",
          [](const C& c) {
            return c.kind == C::Kind::kOrthographic ? "orthographic"
                   : c.kind == C::Kind::kPinhole    ? "pinhole"
                                                    : "fisheye";
          },
          "\"orthographic\", \"pinhole\" or \"fisheye\".")
      .def(
          "undistort",
          [](const C& c, const ArrayLike& pixels) {
            std::vector<double> out;
            for (const Vec2d& p : to_points2(pixels, "pixels")) {
              const Vec2d u = c.undistort(p);
              out.push_back(u[0]);
              out.push_back(u[1]);
            }
            const std::size_t n = out.size() / 2;
            return own<OutArray<double, -1, 2>>(std::move(out), {n, 2});
          },
          nb::arg("pixels"),
          "Where (column, row) [pixel], (n, 2), would be in a pinhole without distortion; "
          "not-a-number where no ray comes from.")
      .def_ro("width", &C::width, "[pixel]")
      .def_ro("height", &C::height, "[pixel]")
      .def_prop_ro("pitch", &C::pitch_at_rest, "Metres on the rest top plane per pixel.")
      .def(
          "project",
          [](const C& c, const ArrayLike& points) {
            std::vector<double> out;
            for (const Vec3d& p : to_points(points, "points")) {
              const Vec2d u = c.project(p);
              out.push_back(u[0]);
              out.push_back(u[1]);
            }
            const std::size_t n = out.size() / 2;
            return own<OutArray<double, -1, 2>>(std::move(out), {n, 2});
          },
          nb::arg("points"), "(column, row) [pixel] of points in the gel frame [m], (n, 2).");
}

// What the sensor sees of the nodes, after `finish` has worked on it.
template <class Finish>
nb::tuple depth_and_normal(const DepthSensor& sensor, const ArrayLike& nodes,
                           const Finish& finish) {
  const auto x = to_points(nodes, "nodes");
  DepthImage image;
  {
    nb::gil_scoped_release release;
    image = sensor.measure(x, true);
    finish(image);
  }
  const auto h = static_cast<std::size_t>(image.height), w = static_cast<std::size_t>(image.width);
  return nb::make_tuple(own<OutArray<float, -1, -1>>(std::move(image.depth), {h, w}),
                        own<OutArray<float, 3, -1, -1>>(std::move(image.normal), {3, h, w}));
}

void bind_depth(nb::module_& m) {
  nb::class_<DepthSensor>(m, "DepthSensor")
      .def(
          "__init__",
          [](DepthSensor* self, const TactileCamera& camera, const ArrayLike& rest,
             const ArrayLike& coat) {
            const auto nodes = to_points(rest, "rest");
            const auto triangles = to_triangles(coat, "coat");
            new (self) DepthSensor(camera, nodes, triangles);
          },
          nb::arg("camera"), nb::arg("rest"), nb::arg("coat"))
      .def(
          "measure",
          [](const DepthSensor& self, const ArrayLike& nodes) {
            return depth_and_normal(self, nodes, [](DepthImage&) {});
          },
          nb::arg("nodes"))
      .def(
          "points",
          [](const DepthSensor& self, const ArrayLike& depth) {
            const auto d = to_floats(depth, "depth");
            const auto rest = self.rest_height();
            if (d.size() != rest.size())
              refuse("depth", std::to_string(d.size()) + " numbers",
                     "must be one for each pixel, " + std::to_string(rest.size()),
                     "pass what measure() gave, in one row");
            DepthImage image;
            image.width = self.camera().width;
            image.height = self.camera().height;
            image.depth.assign(d.begin(), d.end());
            const auto h = static_cast<std::size_t>(image.height),
                       w = static_cast<std::size_t>(image.width);
            return own<OutArray<double, -1, -1, 3>>(image_points(self.camera(), image, rest),
                                                    {h, w, 3});
          },
          nb::arg("depth"))
      .def("rest_height", [](const DepthSensor& self) {
        const auto& c = self.camera();
        return own<OutArray<float, -1, -1>>(
            self.rest_height(),
            {static_cast<std::size_t>(c.height), static_cast<std::size_t>(c.width)});
      });
}

void bind_contours(nb::module_& m) {
  nb::class_<ContourSmoother>(m, "ContourSmoother",
                              "Takes the ripple of the mesh out of the images of a camera.")
      .def(
          "__init__",
          [](ContourSmoother* self, const TactileCamera& camera, const ArrayLike& rest,
             const ArrayLike& coat) {
            const auto nodes = to_points(rest, "rest");
            const auto triangles = to_triangles(coat, "coat");
            new (self) ContourSmoother(camera, nodes, triangles);
          },
          nb::arg("camera"), nb::arg("rest"), nb::arg("coat"))
      .def(
          "measure",
          [](const ContourSmoother& self, const DepthSensor& sensor, const ArrayLike& nodes) {
            return depth_and_normal(sensor, nodes, [&](DepthImage& image) { self.smooth(image); });
          },
          nb::arg("sensor"), nb::arg("nodes"), "As sensor.measure(nodes), smoothed.");
}

void bind_markers(nb::module_& m) {
  using G = MarkerGrid;
  nb::class_<G>(m, "MarkerGrid",
                "A grid of markers centred on the gel's origin, row 0 at the top (largest y).")
      .def(
          "__init__",
          [](G* self, int rows, int cols, const Quantity& along_x, const Quantity& along_y,
             const Quantity& dot, double ink) {
            const double pitch_x = to_quantity(along_x, "m", "MarkerGrid pitch_x"),
                         pitch_y = to_quantity(along_y, "m", "MarkerGrid pitch_y");
            if (rows < 0 || cols < 0 || rows > 10000 || cols > 10000)
              refuse("markers", std::to_string(rows) + " x " + std::to_string(cols),
                     "must have 0 to 10000 rows and columns", "for example 7 x 9");
            const double radius = to_quantity(dot, "m", "MarkerGrid radius");
            new (self) G{rows, cols, pitch_x, pitch_y, 0, 0, radius, ink};
          },
          nb::arg("rows") = G().rows, nb::arg("cols") = G().cols, nb::arg("pitch_x") = G().pitch_x,
          nb::arg("pitch_y") = G().pitch_y, nb::arg("radius") = G().radius,
          nb::arg("ink") = G().ink,
          "pitch_x, pitch_y: distance of neighbours [m]; radius: of the dots that colours show, 0: "
          "none [m]; ink: part of the light that a dot reflects, 0 (black) to 1.")
      .def_ro("rows", &G::rows)
      .def_ro("cols", &G::cols)
      .def_rw("pitch_x", &G::pitch_x)
      .def_rw("pitch_y", &G::pitch_y)
      .def_rw("offset_x", &G::offset_x, "Centre of the grid [m].")
      .def_rw("offset_y", &G::offset_y, "Centre of the grid [m].")
      .def_rw("radius", &G::radius, "Of the dots that colours show [m]; 0: none.")
      .def_rw("ink", &G::ink, "Part of the light that a dot reflects, 0 to 1.");

  nb::class_<MarkerSensor>(m, "MarkerSensor")
      .def(
          "__init__",
          [](MarkerSensor* self, const TactileCamera& camera, const ArrayLike& rest,
             const ArrayLike& coat, const G& grid) {
            const auto nodes = to_points(rest, "rest");
            const auto triangles = to_triangles(coat, "coat");
            new (self) MarkerSensor(camera, nodes, triangles, grid);
          },
          nb::arg("camera"), nb::arg("rest"), nb::arg("coat"), nb::arg("grid"))
      .def(
          "__init__",
          [](MarkerSensor* self, const TactileCamera& camera, const ArrayLike& rest,
             const ArrayLike& coat, const ArrayLike& at) {
            const auto nodes = to_points(rest, "rest");
            const auto triangles = to_triangles(coat, "coat");
            new (self) MarkerSensor(camera, nodes, triangles, to_points2(at, "markers"));
          },
          nb::arg("camera"), nb::arg("rest"), nb::arg("coat"), nb::arg("at"))
      .def("measure", [](const MarkerSensor& self, const ArrayLike& nodes) {
        MarkerReading r = self.measure(to_points(nodes, "nodes"), true);
        const std::size_t n = r.position.size();
        nb::dict d;
        d["position"] = own_points(std::move(r.position));
        d["flow"] = own_points(std::move(r.flow));
        d["normal"] = own_points(std::move(r.normal));
        d["pixel"] = own<OutArray<double, -1, 2>>(std::move(r.pixel), {n, 2});
        d["pixel_flow"] = own<OutArray<double, -1, 2>>(std::move(r.pixel_flow), {n, 2});
        d["in_view"] = own_row(std::move(r.in_view));
        d["hidden"] = own_row(std::move(r.hidden));
        return d;
      });
}

}  // namespace

void bind_sensors(nb::module_& m) {
  bind_camera(m);
  bind_depth(m);
  bind_contours(m);
  bind_markers(m);
}

}  // namespace haptos::python
