#include "haptos/scene/tactile/tactile_camera.h"

#include <cmath>
#include <string>

#include "haptos/base/text/error.h"

namespace haptos {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void bad_camera(const char* element, double value, const char* rule) {
  Diagnostic d;
  d.element = std::string("camera.") + element;
  d.value = std::to_string(value);
  d.rule = rule;
  d.remedy =
      "give sizes and focal lengths in pixels, the pitch in metres per pixel and the distance in "
      "metres";
  throw InputError(std::move(d));
}

// The square of the slope up to which r (1 + k1 r^2 + k2 r^4) grows: the smallest positive root of
// its derivative 1 + 3 k1 s + 5 k2 s^2.
double largest_square(double k1, double k2) {
  const double b = 3 * k1, a = 5 * k2, d = b * b - 4 * a;
  if (d < 0) return std::numeric_limits<double>::infinity();
  // 2 / (-b -+ sqrt d) are the roots, without cancellation for small k2.
  double least = std::numeric_limits<double>::infinity();
  for (const double root : {2 / (-b - std::sqrt(d)), 2 / (-b + std::sqrt(d))})
    if (root > 0 && root < least) least = root;
  return least;
}

// The r with r (1 + k1 r^2 + k2 r^4) = distorted, on the branch that grows from 0.
double undo_brown(double distorted, double k1, double k2) {
  const double most = std::sqrt(largest_square(k1, k2));
  const auto value = [&](double r) { return r * (1 + r * r * (k1 + r * r * k2)); };
  double low = 0, high = std::isfinite(most) ? most : std::max(1.0, distorted);
  while (!std::isfinite(most) && value(high) < distorted) high *= 2;
  if (value(high) < distorted) return kNaN;
  double r = std::min(distorted, high);
  for (int i = 0; i < 100; ++i) {
    const double f = value(r) - distorted;
    (f > 0 ? high : low) = r;
    const double slope = 1 + r * r * (3 * k1 + 5 * k2 * r * r);
    double next = r - f / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - r) <= 1e-16 * (1 + r)) break;
    r = next;
  }
  return r;
}

}  // namespace

Vec2d TactileCamera::project_slopes(const Vec2d& s) const {
  const double r2 = s[0] * s[0] + s[1] * s[1], r = std::sqrt(r2);
  double g = 1 + r2 * (k1 + r2 * k2);
  if (kind == Kind::kFisheye) g = r > 0 ? std::atan(r) / r : 1.0;
  if (kind == Kind::kPinhole && distorted() && !(r2 < largest_square(k1, k2))) g = kNaN;
  return {{cx + fx * s[0] * g, cy - fy * s[1] * g}};
}

Vec2d TactileCamera::slopes(const Vec2d& pixel) const {
  const double a = (pixel[0] - cx) / fx, b = (cy - pixel[1]) / fy;
  if (!distorted()) return {{a, b}};
  const double d = std::sqrt(a * a + b * b);
  if (!(d > 0)) return {{a, b}};
  double r = kNaN;
  if (kind == Kind::kPinhole) r = undo_brown(d, k1, k2);
  if (kind == Kind::kFisheye && d < 0.5 * M_PI) r = std::tan(d);
  return {{a * (r / d), b * (r / d)}};
}

Vec3d TactileCamera::point_at(const Vec2d& pixel, double z) const {
  if (!central())
    return {{(pixel[0] - 0.5 * (width - 1)) * pitch, (0.5 * (height - 1) - pixel[1]) * pitch, z}};
  const Vec2d s = slopes(pixel);
  return {{s[0] * (z + distance), s[1] * (z + distance), z}};
}

Vec2d TactileCamera::undistort(const Vec2d& pixel) const {
  if (!distorted()) return pixel;
  const Vec2d s = slopes(pixel);
  return {{cx + fx * s[0], cy - fy * s[1]}};
}

void TactileCamera::check() const {
  if (width < 1 || width > 16384) bad_camera("width", width, "must lie in 1 .. 16384");
  if (height < 1 || height > 16384) bad_camera("height", height, "must lie in 1 .. 16384");
  const auto positive = [](const char* name, double v) {
    if (!(v > 0) || !std::isfinite(v)) bad_camera(name, v, "must be finite and greater than 0");
  };
  if (!central()) return positive("pitch", pitch);
  positive("fx", fx);
  positive("fy", fy);
  positive("distance", distance);
  if (!std::isfinite(cx)) bad_camera("cx", cx, "must be finite");
  if (!std::isfinite(cy)) bad_camera("cy", cy, "must be finite");
  if (!std::isfinite(k1)) bad_camera("k1", k1, "must be finite");
  if (!std::isfinite(k2)) bad_camera("k2", k2, "must be finite");
}

}  // namespace haptos
