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
      : coat_(coat), field_(field), out_(out), plane_(out.area.size()) {
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

 private:
  // First and last bin that a range of places meets.
  static int first(double low) { return std::max(0, static_cast<int>(std::max(low, -1.0))); }
  static int last(double high, int count) {
    return std::min(count - 1, static_cast<int>(std::min(high, static_cast<double>(count))));
  }

  void rows(Piece rest, std::size_t t, const double low[2], const double high[2]) {
    Piece strip, left;
    if (low[1] < 0) {
      cut(rest, 1, 0, strip, left);
      rest = left;
    }
    for (int r = first(low[1]); r <= last(high[1], out_.height) && rest.count >= 3; ++r) {
      if (high[1] <= r + 1) {
        columns(rest, r, t);
        return;
      }
      cut(rest, 1, r + 1, strip, left);
      if (strip.count >= 3) columns(strip, r, t);
      rest = left;
    }
  }

  void columns(Piece rest, int row, std::size_t t) {
    double low = 1e300, high = -1e300;
    for (int i = 0; i < rest.count; ++i) {
      low = std::min(low, rest.corner[at_index(i)].at[0]);
      high = std::max(high, rest.corner[at_index(i)].at[0]);
    }
    if (high < 0 || low > out_.width) return;
    Piece strip, left;
    if (low < 0) {
      cut(rest, 0, 0, strip, left);
      rest = left;
    }
    for (int c = first(low); c <= last(high, out_.width) && rest.count >= 3; ++c) {
      if (high <= c + 1) {
        deposit(rest, row, c, t);
        return;
      }
      cut(rest, 0, c + 1, strip, left);
      if (strip.count >= 3) deposit(strip, row, c, t);
      rest = left;
    }
  }

  void deposit(const Piece& p, int row, int column, std::size_t t) {
    Vec3d w;
    const double area = measure(p, w) * field_.shape.triangle_area[t];
    if (!(area > 0)) return;
    const Vec3i& c = coat_.triangles[t];
    const std::size_t bin = at_index(row) * at_index(out_.width) + at_index(column);
    Vec3d force = Vec3d::zero(), shear = Vec3d::zero();
    double pressure = 0, touched = 0;
    for (int k = 0; k < 3; ++k) {
      const std::size_t v = at_index(c[k]);
      force += field_.traction[v] * w[k];
      shear += field_.shear[v] * w[k];
      pressure += field_.pressure[v] * w[k];
      touched += field_.touched[v] * w[k];
    }
    out_.area[bin] += area;
    out_.touched[bin] += touched * area;
    out_.pressure[bin] += pressure * area;
    for (int i = 0; i < 3; ++i) {
      out_.force[at_index(i) * plane_ + bin] += force[i] * area;
      out_.shear[at_index(i) * plane_ + bin] += shear[i] * area;
    }
    inside_ += force * area;
  }

  const Coat& coat_;
  const ContactField& field_;
  ForceImage& out_;
  std::size_t plane_;
  std::vector<Vec2d> at_;       // place of each vertex among the bins
  std::vector<double> weight_;  // one over its distance along the axis
  Vec3d inside_{{0, 0, 0}};     // of the triangle's force
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
  for (std::size_t i = 0; i < size; ++i) {
    const double by = out.area[i] > 0 ? 1 / out.area[i] : 0.0;
    out.pressure[i] *= by;
    for (std::size_t k = 0; k < 3; ++k) out.shear[k * size + i] *= by;
  }
  return out;
}

}  // namespace haptos
