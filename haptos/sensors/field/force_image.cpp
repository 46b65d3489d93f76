#include "haptos/sensors/field/force_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"

namespace haptos {
namespace {

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

// A convex piece of a triangle under parallel rays, where all is linear over the image: corners
// among the bins are enough.
struct FlatPiece {
  double at[8][2];
  int count = 0;
  void add(const double c[2]) {
    if (count == 8) return;
    at[count][0] = c[0];
    at[count++][1] = c[1];
  }
};

// As cut() of Piece.
void cut(const FlatPiece& p, int axis, double value, FlatPiece& below, FlatPiece& above) {
  below.count = above.count = 0;
  const double* a = p.at[p.count - 1];
  double da = a[axis] - value;
  for (int i = 0; i < p.count; ++i) {
    const double* b = p.at[i];
    const double db = b[axis] - value;
    if ((da < 0 && db > 0) || (da > 0 && db < 0)) {
      const double s = da / (da - db);
      double c[2] = {a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])};
      c[axis] = value;
      below.add(c);
      above.add(c);
    }
    if (db <= 0) below.add(b);
    if (db >= 0) above.add(b);
    a = b;
    da = db;
  }
}

// Twice the signed area, and the centroid.
double measure(const FlatPiece& p, double centroid[2]) {
  const double* o = p.at[0];
  double area = 0, x = 0, y = 0;
  for (int i = 1; i + 1 < p.count; ++i) {
    const double ax = p.at[i][0] - o[0], ay = p.at[i][1] - o[1];
    const double bx = p.at[i + 1][0] - o[0], by = p.at[i + 1][1] - o[1];
    const double w = ax * by - bx * ay;
    area += w;
    x += w * (ax + bx);
    y += w * (ay + by);
  }
  if (area != 0) {
    centroid[0] = o[0] + x / (3 * area);
    centroid[1] = o[1] + y / (3 * area);
  }
  return area;
}

class Binner {
 public:
  Binner(const TactileCamera& camera, const Coat& coat, const ContactField& field, ForceImage& out)
      : coat_(coat),
        field_(field),
        out_(out),
        parallel_(camera.kind == TactileCamera::Kind::kOrthographic),
        plane_(out.area.size()),
        sum_{out.force.data(),
             out.force.data() + plane_,
             out.force.data() + 2 * plane_,
             out.pressure.data(),
             out.shear.data(),
             out.shear.data() + plane_,
             out.shear.data() + 2 * plane_,
             out.area.data(),
             out.touched.data()} {
    for (const Vec3d& x : field.position) {
      const Vec2d u = camera.project(x);
      at_.push_back(
          {{(u[0] + 0.5) * out.width / camera.width, (u[1] + 0.5) * out.height / camera.height}});
      weight_.push_back(parallel_ ? 1.0 : 1.0 / (x[2] + camera.distance));
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
    if (seen && high[0] > 0 && high[1] > 0 && low[0] < out_.width && low[1] < out_.height) {
      if (!(parallel_ && flatten(p, A))) {
        rows(p, low, high, [&](const Piece& part, int r, int c) { deposit(part, r, c, t); });
      } else {
        FlatPiece flat;
        for (int k = 0; k < 3; ++k) flat.add(p.corner[at_index(k)].at);
        rows(flat, low, high, [&](const FlatPiece& part, int r, int c) { deposit(part, r, c); });
      }
    }
    out_.outside += all - inside_;
  }

  // Tractions, from integrals to means over the bins' coat.
  void finish() {
    for (std::size_t i = 0; i < plane_; ++i) {
      const double by = out_.area[i] > 0 ? 1 / out_.area[i] : 0.0;
      for (int k = 3; k < kOne; ++k) sum_[k][i] *= by;
    }
  }

 private:
  // First and last bin that a range of places meets.
  static int first(double low) { return std::max(0, static_cast<int>(std::max(low, -1.0))); }
  static int last(double high, int count) {
    return std::min(count - 1, static_cast<int>(std::min(high, static_cast<double>(count))));
  }

  // Under parallel rays: the values over the image, slope_[i] = {at corner 0, per column, per row}.
  // False for a triangle that is seen almost edge-on.
  bool flatten(const Piece& p, double area) {
    const double *a = p.corner[0].at, *b = p.corner[1].at, *c = p.corner[2].at;
    const double bx = b[0] - a[0], by = b[1] - a[1], cx = c[0] - a[0], cy = c[1] - a[1];
    const double twice = bx * cy - cx * by;
    const double longest = std::max({bx * bx + by * by, cx * cx + cy * cy, 1e-300});
    if (!(std::abs(twice) > 1e-6 * longest)) return false;
    origin_[0] = a[0];
    origin_[1] = a[1];
    per_area_ = area / std::abs(twice);
    carries_ = false;
    for (int i = 0; i < kValues; ++i) {
      const double db = corner_[1][i] - corner_[0][i], dc = corner_[2][i] - corner_[0][i];
      slope_[i][0] = corner_[0][i];
      slope_[i][1] = (db * cy - dc * by) / twice;
      slope_[i][2] = (dc * bx - db * cx) / twice;
      if (i != kOne)
        carries_ = carries_ || corner_[0][i] != 0 || corner_[1][i] != 0 || corner_[2][i] != 0;
    }
    return true;
  }

  // `rest` is used up; the parts still to be cut change places between two pieces.
  template <class P, class Deposit>
  void rows(P& rest, const double low[2], const double high[2], const Deposit& deposit) {
    P strip, other;
    P *now = &rest, *left = &other;
    if (low[1] < 0) {
      cut(*now, 1, 0, strip, *left);
      std::swap(now, left);
    }
    for (int r = first(low[1]); r <= last(high[1], out_.height) && now->count >= 3; ++r) {
      if (high[1] <= r + 1) return columns(*now, r, deposit);
      cut(*now, 1, r + 1, strip, *left);
      if (strip.count >= 3) columns(strip, r, deposit);
      std::swap(now, left);
    }
  }

  static double column_of(const Piece& p, int i) { return p.corner[at_index(i)].at[0]; }
  static double column_of(const FlatPiece& p, int i) { return p.at[i][0]; }

  template <class P, class Deposit>
  void columns(P& rest, int row, const Deposit& deposit) {
    double low = 1e300, high = -1e300;
    for (int i = 0; i < rest.count; ++i) {
      low = std::min(low, column_of(rest, i));
      high = std::max(high, column_of(rest, i));
    }
    if (high < 0 || low > out_.width) return;
    P strip, other;
    P *now = &rest, *left = &other;
    if (low < 0) {
      cut(*now, 0, 0, strip, *left);
      std::swap(now, left);
    }
    for (int c = first(low); c <= last(high, out_.width) && now->count >= 3; ++c) {
      if (high <= c + 1) return deposit(*now, row, c);
      cut(*now, 0, c + 1, strip, *left);
      if (strip.count >= 3) deposit(strip, row, c);
      std::swap(now, left);
    }
  }

  void deposit(const Piece& p, int row, int column, std::size_t t) {
    Vec3d w = Vec3d::zero();
    const double area = measure(p, w) * field_.shape.triangle_area[t];
    if (!(area > 0)) return;
    const std::size_t bin = at_index(row) * at_index(out_.width) + at_index(column);
    double value[kValues];
    for (int i = 0; i < kValues; ++i)
      value[i] = w[0] * corner_[0][i] + w[1] * corner_[1][i] + w[2] * corner_[2][i];
    for (int i = 0; i < kValues; ++i) sum_[i][bin] += value[i] * area;
    const Vec3d force{{value[0], value[1], value[2]}};
    inside_ += force * area;
  }

  // Under parallel rays.
  void deposit(const FlatPiece& p, int row, int column) {
    double c[2] = {};
    const double area = std::abs(measure(p, c)) * per_area_;
    if (!(area > 0)) return;
    const std::size_t bin = at_index(row) * at_index(out_.width) + at_index(column);
    sum_[kOne][bin] += area;
    if (!carries_) return;
    const double x = c[0] - origin_[0], y = c[1] - origin_[1];
    double value[kValues];
    for (int i = 0; i < kValues; ++i)
      value[i] = (slope_[i][0] + slope_[i][1] * x + slope_[i][2] * y) * area;
    for (int i = 0; i < kOne; ++i) sum_[i][bin] += value[i];
    sum_[kOne + 1][bin] += value[kOne + 1];
    inside_ += Vec3d{{value[0], value[1], value[2]}};
  }

  const Coat& coat_;
  const ContactField& field_;
  ForceImage& out_;
  bool parallel_;  // rays
  std::size_t plane_;
  std::vector<Vec2d> at_;       // place of each vertex among the bins
  std::vector<double> weight_;  // one over its distance along the axis
  Vec3d inside_{{0, 0, 0}};     // of the triangle's force
  // Of a place on the coat: traction, pressure, shear, 1, part in contact.
  static constexpr int kValues = 9, kOne = 7;
  double corner_[3][kValues];                                     // at the triangle's corners
  double slope_[kValues][3], origin_[2] = {0, 0}, per_area_ = 0;  // see flatten()
  bool carries_ = true;                                           // any value but the area
  double* sum_[kValues];  // integrals over bins, in the planes of the image
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
