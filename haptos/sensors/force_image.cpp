#include "haptos/sensors/force_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "haptos/base/error.h"

namespace haptos {
namespace {

std::size_t at_index(int i) { return static_cast<std::size_t>(i); }

// A corner of a piece: its place among the bins, and q = weight of each corner of the triangle over
// its distance from the camera, which is linear over the image.
struct Corner {
  double at[2];
  double q[3];
};

// A convex piece: a triangle cut by four lines has at most seven corners.
struct Piece {
  std::array<Corner, 8> corner;
  int count = 0;
  void add(const Corner& c) {
    if (count < 8) corner[at_index(count++)] = c;
  }
};

// Parts of `p` below and above at[axis] = value.
void cut(const Piece& p, int axis, double value, Piece& below, Piece& above) {
  below.count = above.count = 0;
  for (int i = 0; i < p.count; ++i) {
    const Corner &a = p.corner[at_index(i)], &b = p.corner[at_index((i + 1) % p.count)];
    const double da = a.at[axis] - value, db = b.at[axis] - value;
    if (da <= 0) below.add(a);
    if (da >= 0) above.add(a);
    if ((da < 0 && db > 0) || (da > 0 && db < 0)) {
      const double s = da / (da - db);
      Corner c;
      for (int k = 0; k < 2; ++k) c.at[k] = a.at[k] + s * (b.at[k] - a.at[k]);
      for (int k = 0; k < 3; ++k) c.q[k] = a.q[k] + s * (b.q[k] - a.q[k]);
      c.at[axis] = value;
      below.add(c);
      above.add(c);
    }
  }
}

// Part of the triangle's area that the piece covers, and its centroid in weights of the corners.
double measure(const Piece& p, Vec3d& centroid) {
  double b[8][2];
  for (int i = 0; i < p.count; ++i) {
    const double* q = p.corner[at_index(i)].q;
    const double sum = q[0] + q[1] + q[2];
    b[i][0] = q[1] / sum;
    b[i][1] = q[2] / sum;
  }
  double area = 0, x = 0, y = 0;
  for (int i = 1; i + 1 < p.count; ++i) {
    const double w = (b[i][0] - b[0][0]) * (b[i + 1][1] - b[0][1]) -
                     (b[i][1] - b[0][1]) * (b[i + 1][0] - b[0][0]);
    area += w;
    x += w * (b[0][0] + b[i][0] + b[i + 1][0]) / 3;
    y += w * (b[0][1] + b[i][1] + b[i + 1][1]) / 3;
  }
  if (area == 0) return 0;
  x /= area;
  y /= area;
  centroid = {{1 - x - y, x, y}};
  return std::abs(area);
}

class Binner {
 public:
  Binner(const TactileCamera& camera, const Coat& coat, const ContactField& field, ForceImage& out)
      : coat_(coat), field_(field), out_(out), plane_(out.area.size()), sums_(kValues * plane_) {
    for (const Vec3d& x : field.position) {
      const Vec2d u = camera.project(x);
      at_.push_back(
          {{(u[0] + 0.5) * out.width / camera.width, (u[1] + 0.5) * out.height / camera.height}});
      weight_.push_back(
          camera.kind == TactileCamera::Kind::kOrthographic ? 1.0 : 1.0 / (x[2] + camera.distance));
    }
  }

  void add(std::size_t t) {
    const Vec3i& c = coat_.triangles[t];
    const double A = field_.shape.triangle_area[t];
    Vec3d all = Vec3d::zero();
    for (int k = 0; k < 3; ++k) all += field_.traction[at_index(c[k])] * (A / 3);
    inside_ = Vec3d::zero();
    Piece p;
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    bool seen = true;
    for (int k = 0; k < 3; ++k) {
      const std::size_t v = at_index(c[k]);
      Corner corner{{at_[v][0], at_[v][1]}, {0, 0, 0}};
      corner.q[k] = weight_[v];
      p.add(corner);
      const Vec3d &f = field_.traction[v], &s = field_.shear[v];
      const double value[kValues] = {f[0], f[1], f[2], field_.pressure[v], s[0],
                                     s[1], s[2], 1,    field_.touched[v]};
      std::copy_n(value, kValues, corner_[k]);
      for (int i = 0; i < 2; ++i) {
        seen = seen && std::isfinite(at_[v][i]);
        low[i] = std::min(low[i], at_[v][i]);
        high[i] = std::max(high[i], at_[v][i]);
      }
    }
    if (seen && high[0] > 0 && high[1] > 0 && low[0] < out_.width && low[1] < out_.height)
      rows(p, t, low, high);
    out_.outside += all - inside_;
  }

  // Hands the sums to the image, tractions as means over the bins' coat.
  void finish() {
    for (std::size_t i = 0; i < plane_; ++i) {
      const double* sum = sums_.data() + i * kValues;
      const double by = sum[7] > 0 ? 1 / sum[7] : 0.0;
      for (std::size_t k = 0; k < 3; ++k) {
        out_.force[k * plane_ + i] = sum[k];
        out_.shear[k * plane_ + i] = sum[4 + k] * by;
      }
      out_.pressure[i] = sum[3] * by;
      out_.area[i] = sum[7];
      out_.touched[i] = sum[8];
    }
  }

 private:
  // First and last bin that a range of places meets.
  static int first(double low) { return std::max(0, static_cast<int>(std::max(low, -1.0))); }
  static int last(double high, int count) {
    return std::min(count - 1, static_cast<int>(std::min(high, static_cast<double>(count))));
  }

  // `rest` is used up; the parts still to be cut change places between two pieces.
  void rows(Piece& rest, std::size_t t, const double low[2], const double high[2]) {
    Piece strip, other;
    Piece *now = &rest, *left = &other;
    if (low[1] < 0) {
      cut(*now, 1, 0, strip, *left);
      std::swap(now, left);
    }
    for (int r = first(low[1]); r <= last(high[1], out_.height) && now->count >= 3; ++r) {
      if (high[1] <= r + 1) return columns(*now, r, t);
      cut(*now, 1, r + 1, strip, *left);
      if (strip.count >= 3) columns(strip, r, t);
      std::swap(now, left);
    }
  }

  void columns(Piece& rest, int row, std::size_t t) {
    double low = 1e300, high = -1e300;
    for (int i = 0; i < rest.count; ++i) {
      low = std::min(low, rest.corner[at_index(i)].at[0]);
      high = std::max(high, rest.corner[at_index(i)].at[0]);
    }
    if (high < 0 || low > out_.width) return;
    Piece strip, other;
    Piece *now = &rest, *left = &other;
    if (low < 0) {
      cut(*now, 0, 0, strip, *left);
      std::swap(now, left);
    }
    for (int c = first(low); c <= last(high, out_.width) && now->count >= 3; ++c) {
      if (high <= c + 1) return deposit(*now, row, c, t);
      cut(*now, 0, c + 1, strip, *left);
      if (strip.count >= 3) deposit(strip, row, c, t);
      std::swap(now, left);
    }
  }

  void deposit(const Piece& p, int row, int column, std::size_t t) {
    Vec3d w = Vec3d::zero();
    const double area = measure(p, w) * field_.shape.triangle_area[t];
    if (!(area > 0)) return;
    const std::size_t bin = at_index(row) * at_index(out_.width) + at_index(column);
    double value[kValues], *sum = sums_.data() + bin * kValues;
    for (int i = 0; i < kValues; ++i)
      value[i] = w[0] * corner_[0][i] + w[1] * corner_[1][i] + w[2] * corner_[2][i];
    for (int i = 0; i < kValues; ++i) sum[i] += value[i] * area;
    const Vec3d force{{value[0], value[1], value[2]}};
    inside_ += force * area;
  }

  const Coat& coat_;
  const ContactField& field_;
  ForceImage& out_;
  std::size_t plane_;
  std::vector<Vec2d> at_;       // place of each vertex among the bins
  std::vector<double> weight_;  // one over its distance along the axis
  Vec3d inside_{{0, 0, 0}};     // of the triangle's force
  // Of a place on the coat: traction, pressure, shear, 1, part in contact.
  static constexpr int kValues = 9;
  double corner_[3][kValues];  // at the triangle's corners
  std::vector<double> sums_;   // integrals over bins, bin by bin
};

}  // namespace

ForceImage force_image(const TactileCamera& camera, const Coat& coat, const ContactField& field,
                       int width, int height) {
  ForceImage out;
  out.width = width > 0 ? width : camera.width;
  out.height = height > 0 ? height : camera.height;
  if (width < 0 || height < 0 || out.width > 16384 || out.height > 16384) {
    Diagnostic d;
    d.element = "bins";
    d.value = std::to_string(height) + " x " + std::to_string(width);
    d.rule = "must be 1 to 16384 rows and columns";
    d.remedy = "give for example 24 and 32, or leave them out";
    throw InputError(std::move(d));
  }
  const std::size_t size = at_index(out.width) * at_index(out.height);
  out.force.assign(3 * size, 0.0);
  out.shear.assign(3 * size, 0.0);
  out.area.assign(size, 0.0);
  out.touched.assign(size, 0.0);
  out.pressure.assign(size, 0.0);
  Binner binner(camera, coat, field, out);
  for (std::size_t t = 0; t < coat.triangles.size(); ++t) binner.add(t);
  binner.finish();
  return out;
}

}  // namespace haptos
