#include "haptos/render/moving_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/render/render_view.h"

namespace haptos {

using internal::Face;
using internal::FaceList;
using internal::kNothing;
using internal::SampleBuffer;
using internal::Surface;
using internal::View;

namespace {

// Where the ray through a pixel meets the plane of a face, along the view. Near the edge of a face
// that is seen edge-on the plane says little: no point of a face is beyond its corners.
double depth_of(const Face& f, const View& view, double col, double row) {
  Vec3d o, d;
  view.ray(col, row, o, d);
  double least = view.far, most = view.near;
  for (const Vec3d& p : f.p) {
    const double w = dot(p - view.eye, view.forward);
    least = std::min(least, w), most = std::max(most, w);
  }
  const double w = dot(f.plane, f.p[0] - o) / dot(f.plane, d);
  if (!(w >= least)) return std::max(least, view.near);
  return std::min(w, most);
}

// Translucent surfaces count as solid.
RangeImage range_of(const FaceList& list, const Camera& camera, int width, int height) {
  RenderOptions size;
  size.width = width, size.height = height;
  internal::check_view(camera, size);
  const View view = internal::make_view(camera, width, height);
  RangeImage out;
  out.width = width, out.height = height;
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  out.depth.assign(pixels, std::numeric_limits<float>::infinity());
  out.mesh.assign(pixels, -1);
  const internal::Visibility v(list, view, width, height, 1, {}, false);
  for_each(
      v.band_count(),
      [&](std::ptrdiff_t band) {
        SampleBuffer seen;
        v.draw(static_cast<int>(band), seen);
        const std::size_t first = static_cast<std::size_t>(band) *
                                  static_cast<std::size_t>(v.band_rows()) *
                                  static_cast<std::size_t>(width);
        for (std::size_t i = 0; i < seen.id.size(); ++i) {
          const int id = seen.front_id[i] != kNothing ? seen.front_id[i] : seen.id[i];
          if (id == kNothing) continue;
          const Face& f = list.faces[static_cast<std::size_t>(id)];
          const std::size_t at = first + i, w = static_cast<std::size_t>(width);
          const std::size_t column = at % w, row = at / w;
          out.depth[at] = static_cast<float>(
              depth_of(f, view, static_cast<double>(column), static_cast<double>(row)));
          out.mesh[at] = list.surfaces[static_cast<std::size_t>(f.surface)].mesh;
        }
      },
      1);
  return out;
}

}  // namespace

MovingScene::MovingScene(const RenderScene& scene, std::vector<Plane> planes)
    : planes_(std::move(planes)) {
  RenderScene all;
  all.meshes = scene.meshes;
  for (const Plane& p : planes_) {
    RenderMesh m;
    m.vertices.assign(3, Vec3d::zero());
    m.triangles = {{{0, 1, 2}}};
    m.color = p.color;
    m.smooth = false;
    all.meshes.push_back(std::move(m));
  }
  rest_ = now_ = internal::flatten(all);
  shapes_.resize(all.meshes.size());
  for (std::size_t s = 0; s < rest_.surfaces.size(); ++s) {
    Shape& shape = shapes_[at_index(rest_.surfaces[s].mesh)];
    RenderMesh& m = all.meshes[at_index(rest_.surfaces[s].mesh)];
    shape.surface = static_cast<int>(s);
    shape.crease_angle = m.crease_angle;
    if (m.smooth) shape.fans.emplace_back(m);
    shape.vertices = std::move(m.vertices);
    shape.triangles = std::move(m.triangles);
  }
}

void MovingScene::place(int mesh, const Mat3d& turn, const Vec3d& origin) {
  const Shape& shape = shapes_.at(at_index(mesh));
  const Surface& s = rest_.surfaces[at_index(shape.surface)];
  const Mat3<float> fast = [&] {
    Mat3<float> r;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) r(i, j) = static_cast<float>(turn(i, j));
    return r;
  }();
  for (int i = s.face_begin; i < s.face_end; ++i) {
    const Face& from = rest_.faces[at_index(i)];
    Face& to = now_.faces[at_index(i)];
    internal::set_corners(turn * from.p[0] + origin, turn * from.p[1] + origin,
                          turn * from.p[2] + origin, to);
    for (int k = 0; k < 3; ++k) to.normal[k] = fast * from.normal[k];
  }
}

void MovingScene::reshape(int mesh, std::span<const Vec3d> x) {
  const Shape& shape = shapes_.at(at_index(mesh));
  if (x.size() != shape.vertices.size())
    throw InputError({"", 0, 0, "mesh " + std::to_string(mesh),
                      std::to_string(x.size()) + " vertices",
                      "must have as many as before, " + std::to_string(shape.vertices.size()),
                      "make a scene of its own of another mesh"});
  Face* faces = now_.faces.data() + now_.surfaces[at_index(shape.surface)].face_begin;
  for (std::size_t t = 0; t < shape.triangles.size(); ++t) {
    const Vec3i& v = shape.triangles[t];
    internal::set_corners(x[at_index(v[0])], x[at_index(v[1])], x[at_index(v[2])], faces[t]);
  }
  for (const internal::CornerFans& f : shape.fans) f.smooth(shape.crease_angle, faces);
}

// Of each plane a triangle that holds all of it that the camera can see: a disc about the camera's
// foot whose radius is the longest ray. One triangle has no seam that rounding could open.
void MovingScene::spread_planes(const Camera& camera, int width, int height) {
  const Lens& l = *camera.lens;
  double longest = 0;
  for (const double col : {-0.5, width - 0.5})
    for (const double row : {-0.5, height - 0.5})
      longest = std::max(longest, std::hypot(1, (col - l.cx) / l.fx, (row - l.cy) / l.fy));
  const double reach = 2 * longest * l.far;  // the corners of a triangle round a disc
  const std::size_t first = shapes_.size() - planes_.size();
  for (std::size_t i = 0; i < planes_.size(); ++i) {
    const Vec3d n = planes_[i].normal;
    const Vec3d foot = camera.eye + n * (planes_[i].offset - dot(n, camera.eye));
    const Vec3d u =
        normalized(cross(n, std::abs(n[2]) < 0.9 ? Vec3d{{0, 0, 1}} : Vec3d{{1, 0, 0}}));
    const Vec3d v = cross(n, u);
    const double half = 0.5 * std::sqrt(3.0);
    const Vec3d corners[3] = {foot + u * reach, foot + (v * half - u * 0.5) * reach,
                              foot - (v * half + u * 0.5) * reach};
    reshape(static_cast<int>(first + i), corners);
  }
}

Image MovingScene::picture(const Camera& camera, const RenderOptions& options) {
  spread_planes(camera, options.width, options.height);
  internal::FacesAround around{{{-1, -1, -1}}, {{1, 1, 1}}, {}, {}};
  bool any = false;
  for (std::size_t m = 0; m + planes_.size() < shapes_.size(); ++m) {
    const Surface& s = now_.surfaces[at_index(shapes_[m].surface)];
    for (int i = s.face_begin; i < s.face_end; ++i)
      for (const Vec3d& p : now_.faces[at_index(i)].p) {
        for (int k = 0; k < 3; ++k) {
          around.lo[k] = any ? std::min(around.lo[k], p[k]) : p[k];
          around.hi[k] = any ? std::max(around.hi[k], p[k]) : p[k];
        }
        any = true;
      }
  }
  return internal::draw_faces(now_, around, camera, options);
}

RangeImage MovingScene::range(const Camera& camera, int width, int height) {
  spread_planes(camera, width, height);
  return range_of(now_, camera, width, height);
}

}  // namespace haptos
