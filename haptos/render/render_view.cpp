#include "haptos/render/render_view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "haptos/base/text/refuse.h"

namespace haptos::internal {

void check_view(const Camera& c, const RenderOptions& o) {
  if (o.width < 1 || o.height < 1 || o.width > 8192 || o.height > 8192)
    refuse("render size", std::to_string(o.width) + " x " + std::to_string(o.height),
           "must lie in 1 .. 8192 both ways", "give the width and height in pixels");
  if (o.samples < 1 || o.samples > 6)
    refuse("render.samples", std::to_string(o.samples), "must lie in 1 .. 6",
           "3 is a good picture, 1 a quick one");
  const double distance = norm(c.target - c.eye);
  if (!(distance > 0) || !std::isfinite(distance))
    refuse("camera", std::to_string(distance), "eye and target must be finite and apart",
           "use frame_scene() for a camera that sees everything");
  if (c.lens) {
    const Lens& l = *c.lens;
    if (!(l.fx > 0 && l.fy > 0 && std::isfinite(l.fx + l.fy + l.cx + l.cy) && l.near > 0 &&
          l.near < l.far))
      refuse("camera.lens", "", "must have focal lengths above 0 and 0 < near < far",
             "give fx, fy, cx and cy in pixels");
    return;
  }
  const double size = c.orthographic ? c.ortho_height : c.fov;
  if (!(size > 0) || !std::isfinite(size) || (!c.orthographic && size >= 3.1))
    refuse(c.orthographic ? "camera.ortho_height" : "camera.fov", std::to_string(size),
           "must be greater than 0 (a field of view below 3.1 rad)",
           "give the field of view in radians, for example 0.5");
}

View make_view(const Camera& c, int width, int height) {
  View v;
  v.eye = c.eye;
  v.forward = normalized(c.target - c.eye);
  Vec3d side = cross(v.forward, c.up);
  // An up vector along the view says nothing: take the world's y instead.
  if (squared_norm(side) < 1e-12 * squared_norm(c.up)) side = cross(v.forward, Vec3d{{0, 1, 0}});
  if (squared_norm(side) < 1e-12) side = {{1, 0, 0}};
  v.right = normalized(side);
  v.up = cross(v.right, v.forward);
  v.orthographic = c.orthographic;
  v.fx = v.fy = c.orthographic ? height / c.ortho_height : 0.5 * height / std::tan(0.5 * c.fov);
  v.cx = 0.5 * (width - 1);
  v.cy = 0.5 * (height - 1);
  v.near = 1e-3 * norm(c.target - c.eye);
  if (c.lens) {
    v.fx = c.lens->fx, v.fy = c.lens->fy, v.cx = c.lens->cx, v.cy = c.lens->cy;
    v.near = c.lens->near, v.far = c.lens->far;
  }
  return v;
}

Visibility::Visibility(const FaceList& list, const View& view, int width, int height, int samples,
                       const std::optional<ClipPlane>& clip, bool skip_translucent)
    : list_(list), view_(view), width_(width), height_(height), samples_(samples) {
  band_rows_ = 16;
  if (clip) {
    // 1/w (or w) of the plane, as a plane over the picture: solve normal . (origin + w dir) =
    // offset.
    const auto at = [&](double col, double row) {
      Vec3d o, d;
      view.ray(col, row, o, d);
      const double n_d = dot(clip->normal, d), gap = clip->offset - dot(clip->normal, o);
      return view.orthographic ? gap / n_d : -n_d / gap;
    };
    const double k0 = at(0, 0);
    cap_[0] = k0;
    cap_[1] = (at(width, 0) - k0) / width;
    cap_[2] = (at(0, height) - k0) / height;
    const double outside = view.orthographic ? -dot(clip->normal, view.forward)
                                             : dot(clip->normal, view.eye) - clip->offset;
    capped_ = outside > 0 && std::isfinite(k0 + cap_[1] + cap_[2]);
  }
  projected_.reserve(list.faces.size());
  for (std::size_t i = 0; i < list.faces.size(); ++i) {
    const Face& f = list.faces[i];
    if (skip_translucent && f.surface >= list.opaque_count) continue;
    Vec3d v[3];
    double s[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
      v[k] = view.to_view(f.p[k]);
      if (clip) s[k] = dot(clip->normal, f.p[k]) - clip->offset;
    }
    const Vec3d seen = view.orthographic ? view.forward : f.p[0] - view.eye;
    add(v, s, static_cast<int>(i), dot(f.plane, seen) > 0);
  }
  bin();
}

// Cuts the triangle at the near plane into none, one or two, and projects what is left.
void Visibility::add(const Vec3d v[3], const double clip[3], int face, bool back) {
  Vec3d p[4];
  double s[4];
  int n = 0;
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3;
    const bool in = view_.orthographic || v[k][2] >= view_.near;
    const bool next = view_.orthographic || v[l][2] >= view_.near;
    if (in) {
      p[n] = v[k];
      s[n++] = clip[k];
    }
    if (in != next) {
      const double t = (view_.near - v[k][2]) / (v[l][2] - v[k][2]);
      p[n] = v[k] + (v[l] - v[k]) * t;
      s[n++] = clip[k] + (clip[l] - clip[k]) * t;
    }
  }
  for (int part = 2; part < n; ++part) {
    const int corner[3] = {0, part - 1, part};
    Projected q;
    for (int k = 0; k < 3; ++k) {
      const Vec3d& x = p[corner[k]];
      const Vec2d u = view_.pixel(x);
      q.tri.x[k] = (u[0] + 0.5) * samples_ - 0.5;
      q.tri.y[k] = (u[1] + 0.5) * samples_ - 0.5;
      q.key[k] = view_.key(x[2]);
      q.clip[k] = view_.orthographic ? s[corner[k]] : s[corner[k]] / x[2];
    }
    q.tri.prepare();
    q.face = face;
    q.back = back;
    projected_.push_back(q);
  }
}

void Visibility::bin() {
  const int bands = (height_ + band_rows_ - 1) / band_rows_, rows = band_rows_ * samples_;
  band_begin_.assign(static_cast<std::size_t>(bands) + 1, 0);
  std::vector<Vec2i> range(projected_.size());
  for (std::size_t i = 0; i < projected_.size(); ++i) {
    const ScreenTriangle& t = projected_[i].tri;
    const auto band_of = [&](double y) {
      return static_cast<int>(std::clamp(std::floor(y / rows), -1.0, static_cast<double>(bands)));
    };
    const double right = std::max({t.x[0], t.x[1], t.x[2]});
    const bool seen = right >= 0 && std::min({t.x[0], t.x[1], t.x[2]}) < sample_width();
    range[i] = {{std::max(band_of(std::min({t.y[0], t.y[1], t.y[2]})), 0),
                 seen ? std::min(band_of(std::max({t.y[0], t.y[1], t.y[2]})), bands - 1) : -1}};
    for (int b = range[i][0]; b <= range[i][1]; ++b) ++band_begin_[static_cast<std::size_t>(b)];
  }
  int total = 0;
  for (int& n : band_begin_) n = total += n;
  band_.resize(static_cast<std::size_t>(total));
  for (std::size_t i = projected_.size(); i-- > 0;)
    for (int b = range[i][0]; b <= range[i][1]; ++b)
      band_[static_cast<std::size_t>(--band_begin_[static_cast<std::size_t>(b)])] =
          static_cast<int>(i);
}

void Visibility::draw_face(const Projected& p, bool clipped, bool count, const PixelWindow& window,
                           const float* behind, float* key, int* id, signed char* counter) const {
  const PixelGradient gk = p.tri.gradient(p.key[0], p.key[1], p.key[2]);
  const PixelGradient gs = p.tri.gradient(p.clip[0], p.clip[1], p.clip[2]);
  const std::size_t stride = static_cast<std::size_t>(sample_width());
  const float kx = static_cast<float>(gk.dx), sx = static_cast<float>(gs.dx);
  scan_triangle(p.tri.x, p.tri.y, window, [&](int row, int begin, int end) {
    const double dx = begin - p.tri.x[0], dy = row - p.tri.y[0];
    const float k0 = static_cast<float>(p.key[0] + gk.dx * dx + gk.dy * dy);
    const float s0 = static_cast<float>(p.clip[0] + gs.dx * dx + gs.dy * dy);
    const std::size_t line =
        static_cast<std::size_t>(row - window.row_begin) * stride + static_cast<std::size_t>(begin);
    for (int c = 0; c < end - begin; ++c) {
      const std::size_t at = line + static_cast<std::size_t>(c);
      const float k = k0 + kx * static_cast<float>(c);
      if (clipped && s0 + sx * static_cast<float>(c) > 0) continue;
      if (count) counter[at] = static_cast<signed char>(counter[at] + (p.back ? 1 : -1));
      if (k < key[at] && (!behind || k < behind[at])) {
        key[at] = k;
        id[at] = p.face;
      }
    }
  });
}

void Visibility::draw(int band, SampleBuffer& out) const {
  const int first = band * band_rows_ * samples_;
  const int last = std::min((band + 1) * band_rows_, height_) * samples_;
  const std::size_t stride = static_cast<std::size_t>(sample_width());
  const std::size_t size = static_cast<std::size_t>(last - first) * stride;
  constexpr float kNone = std::numeric_limits<float>::infinity();
  const float most = view_.orthographic ? kNone : static_cast<float>(view_.key(view_.far));
  out.key.assign(size, most);
  out.front_key.assign(size, most);
  out.id.assign(size, kNothing);
  out.front_id.assign(size, kNothing);
  out.depth_count.resize(size);
  const PixelWindow window{0, sample_width(), first, last};
  const int end = band_begin_[static_cast<std::size_t>(band) + 1];
  for (int i = band_begin_[static_cast<std::size_t>(band)]; i < end;) {
    const auto face_of = [&](int k) -> const Projected& {
      return projected_[static_cast<std::size_t>(band_[static_cast<std::size_t>(k)])];
    };
    const int surface = list_.faces[static_cast<std::size_t>(face_of(i).face)].surface;
    const Surface& s = list_.surfaces[static_cast<std::size_t>(surface)];
    const bool front = surface >= list_.opaque_count, count = s.clipped && capped_;
    float* key = front ? out.front_key.data() : out.key.data();
    int* id = front ? out.front_id.data() : out.id.data();
    const float* behind = front ? out.key.data() : nullptr;
    if (count) std::fill(out.depth_count.begin(), out.depth_count.end(), 0);
    for (; i < end && face_of(i).face < s.face_end; ++i)
      draw_face(face_of(i), s.clipped, count, window, behind, key, id, out.depth_count.data());
    if (!count) continue;
    // More exits than entries behind the plane: the plane itself lies inside the mesh here.
    for (std::size_t at = 0; at < size; ++at) {
      if (out.depth_count[at] <= 0) continue;
      const std::size_t down = at / stride, along = at % stride;
      const double row = first + static_cast<double>(down), col = static_cast<double>(along);
      const float k = static_cast<float>(cap_[0] + cap_[1] * ((col + 0.5) / samples_ - 0.5) +
                                         cap_[2] * ((row + 0.5) / samples_ - 0.5));
      if (k < key[at] && (!behind || k < behind[at])) {
        key[at] = k;
        id[at] = cap_id(surface);
      }
    }
  }
}

}  // namespace haptos::internal
