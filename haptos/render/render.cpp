#include "haptos/render/render.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "haptos/base/parallel.h"
#include "haptos/render/render_light.h"

namespace haptos {
namespace {

using namespace internal;

/// Everything a shader looks at.
struct Stage {
  const FaceList* list;
  View view;
  const ShadowMap* shadow = nullptr;
  const PixelGeometry* geometry = nullptr;
  const std::vector<float>* open = nullptr;  // ambient occlusion
  Vec3d light, centre;
  Vec3f top, bottom;
  std::optional<double> ground;
  double diagonal = 1, exposure = 1;
  int height = 1;

  Vec3f background(double row) const {
    const float t = static_cast<float>(std::clamp(row / height, 0.0, 1.0));
    return top + (bottom - top) * t;
  }
  /// Ambient occlusion of the pixel or that neighbour which lies nearest to x.
  float openness(double col, double row, const Vec3d& x) const {
    if (!open) return 1;
    const int c0 = static_cast<int>(std::lround(col)), r0 = static_cast<int>(std::lround(row));
    float best = 1e30f, value = 1;
    for (int r = std::max(r0 - 1, 0); r <= std::min(r0 + 1, geometry->height - 1); ++r)
      for (int c = std::max(c0 - 1, 0); c <= std::min(c0 + 1, geometry->width - 1); ++c) {
        const std::size_t at =
            static_cast<std::size_t>(r) * static_cast<std::size_t>(geometry->width) +
            static_cast<std::size_t>(c);
        if (!(geometry->depth[at] < 1e30f)) continue;
        float d = (r != r0 || c != c0) ? 1e-12f : 0;
        for (int k = 0; k < 3; ++k) {
          const float e =
              static_cast<float>(x[k] - geometry->origin[k]) - geometry->position[at][k];
          d += e * e;
        }
        if (d < best) best = d, value = (*open)[at];
      }
    return value;
  }
};

const Vec3f kKeyLight{{1.42f, 1.37f, 1.29f}}, kFillLight{{0.38f, 0.40f, 0.43f}};
const Vec3f kSky{{0.50f, 0.53f, 0.58f}}, kBounce{{0.27f, 0.26f, 0.245f}};

Vec3f times(const Vec3f& a, const Vec3f& b) { return {{a[0] * b[0], a[1] * b[1], a[2] * b[2]}}; }

/// Light from direction d of the surroundings: a bright band overhead, a pale floor.
Vec3f surroundings(const Vec3d& d) {
  const float h = static_cast<float>(0.5 + 0.5 * d[2]);
  const float soft = h * h * (3 - 2 * h);
  return kBounce + (kSky * 1.5f - kBounce) * soft;
}

struct Look {
  float wrap, gloss, power, mirror;
};
Look look_of(Finish f) {
  switch (f) {
    case Finish::kGel:
      return {0.30f, 0.22f, 55, 1.0f};
    case Finish::kMetal:
      return {0.0f, 0.32f, 38, 0.55f};
    default:
      return {0.05f, 0.06f, 22, 0.18f};
  }
}

Vec3f shade(const Stage& s, const Surface& surface, int surface_index, const Vec3d& x, Vec3d n,
            const Vec3d& plane, const Vec3d& to_eye, Vec3f albedo, float open) {
  if (surface.finish == Finish::kUnlit) return albedo;
  const Look look = look_of(surface.finish);
  const float n_l = static_cast<float>(dot(n, s.light));
  const float facet = static_cast<float>(dot(plane, s.light));
  float lit = 1;
  if (s.shadow)
    // A facet turned from the light is dark whatever the map says; fade so that none flickers.
    lit = facet <= -0.05f ? 0 : static_cast<float>(s.shadow->lit(x, plane));
  const float wrapped = std::max((n_l + look.wrap) / (1 + look.wrap), 0.0f);
  const bool gel = surface.finish == Finish::kGel;
  float through = 0;
  if (gel && s.shadow) {
    // Light that entered elsewhere and found its way here.
    const double t = s.shadow->thickness(x - n * (0.004 * s.diagonal), surface_index);
    through = static_cast<float>(std::exp(-t / 0.09));
    lit = lit + (1 - lit) * 0.35f * through;
  }
  const Vec3d fill_direction =
      normalized(s.view.right * 0.8 - s.view.forward * 0.6 + s.view.up * 0.2);
  const float fill = std::max(static_cast<float>(dot(n, fill_direction)) * 0.7f + 0.3f, 0.0f);
  const float h = static_cast<float>(0.5 + 0.5 * n[2]);
  const Vec3f sky = kBounce + (kSky - kBounce) * h;
  Vec3f light = kKeyLight * (wrapped * lit) + (kFillLight * fill + sky) * open;
  if (gel) light += Vec3f{{0.22f, 0.24f, 0.24f}} * (through * (0.4f + 0.6f * open));
  Vec3f c = times(albedo, light) * 0.62f;
  // Gloss of the key light, and the surroundings mirrored towards grazing angles.
  const Vec3d half = normalized(s.light + to_eye);
  const float n_h = std::max(static_cast<float>(dot(n, half)), 0.0f);
  const float facing = std::clamp(static_cast<float>(dot(n, to_eye)), 0.0f, 1.0f);
  const float g = 1 - facing, schlick = 0.04f + 0.96f * g * g * g * g * g;
  c += kKeyLight * (look.gloss * std::pow(n_h, look.power) * lit * (n_l > 0 ? 1.0f : 0.0f));
  const Vec3d mirrored = n * (2 * dot(n, to_eye)) - to_eye;
  Vec3f env = surroundings(mirrored) * (look.mirror * open);
  if (gel) {
    // A wide lamp mirrored in the wet skin shows slow changes of slope, such as a rim bulge.
    const float near =
        static_cast<float>(std::clamp((dot(mirrored, s.light) - 0.2) / 0.8, 0.0, 1.0));
    env += kKeyLight * (1.8f * near * near * lit);
  }
  if (surface.finish == Finish::kMetal)
    c += times(env, albedo) * 0.35f + env * (0.5f * schlick);
  else
    c += env * (schlick * (gel ? 0.75f : 0.6f));
  return c;
}

/// Black to line up with the edges of the face: the part of the pixel that a wire covers.
float wire_cover(const Stage& s, const Face& f, double width, double col, double row) {
  Vec2d u[3];
  for (int k = 0; k < 3; ++k) {
    const Vec3d v = s.view.to_view(f.p[k]);
    if (!s.view.orthographic && v[2] <= s.view.near) return 0;
    u[k] = s.view.pixel(v);
  }
  double nearest = 1e30;
  for (int k = 0; k < 3; ++k) {
    const Vec2d a = u[k], e = u[(k + 1) % 3] - a, p{{col - a[0], row - a[1]}};
    const double n = squared_norm(e), t = n > 0 ? std::clamp(dot(p, e) / n, 0.0, 1.0) : 0;
    nearest = std::min(nearest, norm(p - e * t));
  }
  return static_cast<float>(std::clamp(0.5 * width + 0.5 - nearest, 0.0, 1.0));
}

Vec3f shade_sample(const Stage& s, int id, double col, double row,
                   const std::optional<ClipPlane>& clip) {
  Vec3d o, d;
  s.view.ray(col, row, o, d);
  if (id == kNothing) {
    const Vec3f back = s.background(row);
    if (!s.ground || d[2] == 0) return back;
    const double w = (*s.ground - o[2]) / d[2];
    if (!(w > 0) || o[2] < *s.ground) return back;
    const Vec3d x = o + d * w, n{{0, 0, 1}};
    const double away = norm(x - s.centre) / s.diagonal;
    const float fade = static_cast<float>(std::clamp(1.6 - away, 0.0, 1.0));
    const float lit = s.shadow ? static_cast<float>(s.shadow->lit(x, n)) : 1;
    const float open = fade > 0 ? s.openness(col, row, x) : 1;
    const float dark = 1 - fade * (0.40f * (1 - lit) + 0.45f * (1 - open));
    return back * std::max(dark, 0.0f);
  }
  if (id <= cap_id(0)) {
    const Surface& surface = s.list->surfaces[static_cast<std::size_t>(cap_surface(id))];
    const double n_d = dot(clip->normal, d);
    const Vec3d x = o + d * ((clip->offset - dot(clip->normal, o)) / n_d);
    // A cut is a drawing rather than a surface: even, without shadow or gloss that could be taken
    // for shape.
    return surface.cap_color * (0.62f + 0.24f * s.openness(col, row, x));
  }
  const Vec3d to_eye = normalized(-d);
  const Face& f = s.list->faces[static_cast<std::size_t>(id)];
  const Surface& surface = s.list->surfaces[static_cast<std::size_t>(f.surface)];
  const double n_d = dot(f.plane, d);
  const double w = std::abs(n_d) > 1e-9 ? dot(f.plane, f.p[0] - o) / n_d : norm(f.p[0] - o);
  const Vec3d b = f.weights(o + d * w);
  const Vec3d x = f.p[0] * b[0] + f.p[1] * b[1] + f.p[2] * b[2];
  Vec3d n = Vec3d::zero();
  Vec3f albedo = Vec3f::zero();
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) n[i] += b[k] * f.normal[k][i];
    albedo += f.color[k] * static_cast<float>(b[k]);
  }
  n = normalized(n);
  Vec3d plane = f.plane;
  if (n_d > 0) plane = -plane, n = -n;
  // A smooth normal must not look away from the viewer.
  const double facing = dot(n, to_eye);
  if (facing < 0.02) n = normalized(n + to_eye * (0.02 - facing));
  Vec3f c = shade(s, surface, f.surface, x, n, plane, to_eye, albedo, s.openness(col, row, x));
  if (surface.glow > 0) c = albedo * surface.glow + c * (1 - surface.glow);
  if (surface.wire) {
    const float a = wire_cover(s, f, surface.wire_width, col, row);
    c = c + (surface.wire_color - c) * (0.75f * a);
  }
  return c;
}

/// Soft shoulder above 0.75, so that highlights do not clip to flat patches.
float tone(float v) {
  return v < 0.75f ? std::max(v, 0.0f) : 0.75f + 0.25f * (1 - std::exp(-(v - 0.75f) / 0.25f));
}

void resolve_band(const Stage& s, const Visibility& v, int band, int samples,
                  const std::optional<ClipPlane>& clip, Image& image) {
  SampleBuffer buffer;
  v.draw(band, buffer);
  struct Group {
    int id, front;
    int count;
    double col, row;
  };
  const int first = band * v.band_rows(), last = std::min(first + v.band_rows(), image.height);
  for (int row = first; row < last; ++row)
    for (int col = 0; col < image.width; ++col) {
      Group groups[36];
      int n = 0;
      for (int i = 0; i < samples; ++i)
        for (int j = 0; j < samples; ++j) {
          const std::size_t at = static_cast<std::size_t>((row - first) * samples + i) *
                                     static_cast<std::size_t>(v.sample_width()) +
                                 static_cast<std::size_t>(col * samples + j);
          const int id = buffer.id[at], front = buffer.front_id[at];
          int g = 0;
          while (g < n && (groups[g].id != id || groups[g].front != front)) ++g;
          if (g == n) groups[n++] = {id, front, 0, 0, 0};
          ++groups[g].count;
          groups[g].col += col + (j + 0.5) / samples - 0.5;
          groups[g].row += row + (i + 0.5) / samples - 0.5;
        }
      Vec3f sum = Vec3f::zero();
      for (int g = 0; g < n; ++g) {
        const double c = groups[g].col / groups[g].count, r = groups[g].row / groups[g].count;
        Vec3f light = shade_sample(s, groups[g].id, c, r, clip);
        if (groups[g].front != kNothing) {
          const int id = groups[g].front;
          const int surface =
              id >= 0 ? s.list->faces[static_cast<std::size_t>(id)].surface : cap_surface(id);
          const float a = s.list->surfaces[static_cast<std::size_t>(surface)].opacity;
          light = light + (shade_sample(s, id, c, r, clip) - light) * a;
        }
        // Tone before the mean, so that bright edges stay smooth.
        for (int k = 0; k < 3; ++k)
          sum[k] +=
              tone(light[k] * static_cast<float>(s.exposure)) * static_cast<float>(groups[g].count);
      }
      // Half a step of ordered noise, so that the background's slow ramp shows no bands.
      const float dither =
          static_cast<float>((col * 5 + row * 3 + (row & 2) * (col & 3)) & 7) / 8.0f;
      std::uint8_t* out = image.at(row, col);
      for (int k = 0; k < 3; ++k) {
        const float value = sum[k] / static_cast<float>(samples * samples);
        out[k] = static_cast<std::uint8_t>(
            std::clamp(srgb_from_linear(value), 0.0f, 1.0f) * 255.0f + 0.0625f + 0.875f * dither);
      }
    }
}

}  // namespace

Camera camera_at(const Vec3d& origin, const Mat3d& turn, const Lens& lens) {
  Camera c;
  c.eye = origin;
  c.target = origin + column(turn, 2);
  c.up = -column(turn, 1);
  c.lens = lens;
  return c;
}

Image render(const RenderScene& scene, const Camera& camera, const RenderOptions& options) {
  const FaceList list = flatten(scene);
  Vec3d lo{{-1, -1, -1}}, hi{{1, 1, 1}};
  scene_bounds(scene, lo, hi);
  return draw_faces(list, {lo, hi, scene.ground, scene.clip}, camera, options);
}

namespace internal {

Image draw_faces(const FaceList& list, const FacesAround& around, const Camera& camera,
                 const RenderOptions& options) {
  check_view(camera, options);
  const auto& [lo, hi, ground, clipped] = around;
  const auto& clip = clipped;  // a lambda below takes it, which a structured binding may not
  Stage s;
  s.list = &list;
  s.view = make_view(camera, options.width, options.height);
  s.height = options.height;
  s.exposure = options.exposure;
  s.top = linear_light(options.background_top);
  s.bottom = linear_light(options.background_bottom);
  s.ground = ground;
  s.centre = (lo + hi) * 0.5;
  s.diagonal = std::max(norm(hi - lo), 1e-12);
  if (ground) s.centre[2] = *ground;
  // The light stands with the camera but never below the horizon of the world.
  Vec3d light = s.view.right * options.key_direction[0] + s.view.up * options.key_direction[1] -
                s.view.forward * options.key_direction[2];
  light = normalized(light);
  light[2] = std::max(light[2], 0.35);
  s.light = normalized(light);
  std::unique_ptr<ShadowMap> shadow;
  if (options.shadows && !list.faces.empty()) {
    shadow = std::make_unique<ShadowMap>(list, lo, hi, s.light, clip, options.shadow_size);
    s.shadow = shadow.get();
  }
  PixelGeometry geometry;
  std::vector<float> open;
  if (options.ambient_occlusion) {
    geometry = pixel_geometry(list, s.view, options.width, options.height, clip, ground, s.centre,
                              2 * s.diagonal);
    open = ambient_occlusion(geometry, s.view, 0.11 * s.diagonal);
    s.geometry = &geometry;
    s.open = &open;
  }
  Image image(options.width, options.height);
  const Visibility v(list, s.view, options.width, options.height, options.samples, clip, false);
  for_each(
      v.band_count(),
      [&](std::ptrdiff_t band) {
        resolve_band(s, v, static_cast<int>(band), options.samples, clip, image);
      },
      1);
  return image;
}

}  // namespace internal
}  // namespace haptos
