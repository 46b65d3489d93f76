#include "haptos/bodies/loads/loads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "haptos/base/math/index.h"
#include "haptos/bodies/elastic/elastic_kernel.h"

namespace haptos {
namespace {

class ForceTerm final : public LoadTerm {
 public:
  ForceTerm(const SoftModel& model, const std::vector<NodalForce>& forces,
            const std::vector<int>& point) {
    for (std::size_t i = 0; i < forces.size(); ++i) {
      Entry e{{}, forces[i].force, Vec3d::zero()};
      for (const ForceShare& s : model.forces[i])
        e.shares.push_back({point[at_index(s.vertex)], s.weight, model.start[at_index(s.vertex)]});
      entries_.push_back(std::move(e));
    }
  }

  const char* name() const override { return "force"; }
  bool frozen() const override { return true; }

  void prepare(const StepContext& c) override {
    for (Entry& e : entries_) e.force = value_at(e.history, c.time + c.h);
  }

  Energy evaluate(const Evaluation& e) override {
    Energy sum;
    for (const Entry& entry : entries_)
      for (const Share& s : entry.shares) {
        const double v = -s.weight * dot(entry.force, e.points->x[at_index(s.point)] - s.start);
        sum += {v, std::abs(v)};
        if (e.assembly) e.assembly->add_gradient(s.point, -s.weight * entry.force);
      }
    return sum;
  }

  TermReport report() const override {
    TermReport r;
    for (const Entry& e : entries_) r.load += norm(e.force);
    return r;
  }

  void add_forces(const Points&, std::vector<Vec3d>& forces) const override {
    for (const Entry& e : entries_)
      for (const Share& s : e.shares) forces[at_index(s.point)] += s.weight * e.force;
  }

 private:
  struct Share {
    int point;
    double weight;
    Vec3d start;
  };
  struct Entry {
    std::vector<Share> shares;
    History<Vec3d> history;
    Vec3d force;  // of the step
  };
  std::vector<Entry> entries_;
};

// Blocks of a symmetric matrix over three points: (1, 0), (2, 1), (0, 2), then the diagonal.
struct TriangleHessian {
  Mat3d off[3], diagonal[3];
};

// off[k] = s [a_k]x; the positive part where asked. The a_k lie in the plane of unit normal n, so
// the matrix couples motion along n (3 numbers) with motion in the plane (6), and its eigenvalues
// are plus and minus the singular values of that coupling G.
TriangleHessian coupling(const Vec3d a[3], double s, const Vec3d& n, bool project) {
  TriangleHessian h;
  for (int k = 0; k < 3; ++k) {
    h.off[k] = skew(a[k]) * s;
    h.diagonal[k] = Mat3d::zero();
  }
  if (!project) return h;
  const Vec3d t1 = normalized(a[0]), t2 = cross(n, t1);
  double G[3][6] = {};
  for (int k = 0; k < 3; ++k) {
    const int row = (k + 1) % 3, column = k;
    for (int c = 0; c < 2; ++c) {
      const Vec3d& t = c == 0 ? t1 : t2;
      G[row][2 * column + c] = dot(n, h.off[k] * t);
      G[column][2 * row + c] = dot(n, transpose(h.off[k]) * t);
    }
  }
  Mat3d square_of = Mat3d::zero();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int c = 0; c < 6; ++c) square_of(i, j) = fma(G[i][c], G[j][c], square_of(i, j));
  Vec3d values;
  Mat3d q;
  symmetric_eigen(square_of, values, q);
  for (Mat3d& m : h.off) m = Mat3d::zero();
  const double largest = std::max({values[0], values[1], values[2]});
  for (int k = 0; k < 3; ++k) {
    if (!(values[k] > 1e-28 * largest)) continue;
    const double sigma = sqrt(values[k]);
    Vec3d w[3];
    for (int i = 0; i < 3; ++i) {
      double v[2] = {0, 0};
      for (int c = 0; c < 2; ++c)
        for (int r = 0; r < 3; ++r) v[c] = fma(G[r][2 * i + c], q(r, k) / sigma, v[c]);
      w[i] = q(i, k) * n + v[0] * t1 + v[1] * t2;
    }
    for (int i = 0; i < 3; ++i) {
      h.diagonal[i] += outer(w[i], w[i] * (0.5 * sigma));
      h.off[i] += outer(w[(i + 1) % 3], w[i] * (0.5 * sigma));
    }
  }
  return h;
}

class PressureTerm final : public LoadTerm {
 public:
  PressureTerm(std::vector<Vec3i> triangles, const History<double>& pressure)
      : triangles_(std::move(triangles)), history_(pressure) {
    std::set<std::array<int, 2>> edges;
    for (const Vec3i& t : triangles_)
      for (int k = 0; k < 3; ++k) edges.insert({t[k], t[(k + 1) % 3]});
    for (const auto& e : edges)
      if (!edges.count({e[1], e[0]})) rim_.push_back({e[0], e[1], Vec3d::zero()});
  }

  const char* name() const override { return "pressure"; }
  bool frozen() const override { return false; }

  void prepare(const StepContext& c) override {
    p_ = value_at(history_, c.time + c.h);
    const std::vector<Vec3d>& x = c.points->x_start;
    apex_ = Vec3d::zero();
    for (const RimEdge& e : rim_) apex_ += x[at_index(e.u)];
    if (rim_.empty())
      apex_ = x[at_index(triangles_.front()[0])];
    else
      apex_ *= 1.0 / static_cast<double>(rim_.size());
    for (RimEdge& e : rim_) e.start = rim_normal(e, x);
    start_ = x;
    volume_start_ = rim_.empty() ? 0.0 : volume(x).value;
  }

  Energy evaluate(const Evaluation& e) override {
    const std::vector<Vec3d>& x = e.points->x;
    Energy sum = volume(x);
    sum.value = p_ * (sum.value - volume_start_);
    sum.magnitude *= std::abs(p_);
    for (const RimEdge& r : rim_) {
      const double v = p_ / 6 * dot(r.start, moved(r.u, x) + moved(r.w, x));
      sum += {v, std::abs(v)};
    }
    if (e.assembly) {
      for_each_gradient(x, [&](int p, const Vec3d& g) { e.assembly->add_gradient(p, g); });
      if (e.assembly->wants_hessian() && p_ != 0) add_hessian(x, e.project, *e.assembly);
    }
    return sum;
  }

  bool refresh(const Points& points, Sampling) override {
    double area = 0;
    for (const Vec3i& t : triangles_) area += 0.5 * norm(normal(t, points.x));
    load_ = std::abs(p_) * area;
    return false;
  }
  TermReport report() const override {
    TermReport r;
    r.load = load_;
    r.conservative = rim_.empty();
    return r;
  }

  void add_forces(const Points& points, std::vector<Vec3d>& forces) const override {
    for_each_gradient(points.x, [&](int p, const Vec3d& g) { forces[at_index(p)] -= g; });
  }

 private:
  struct RimEdge {
    int u, w;
    Vec3d start;  // u' x w' at the start of the step
  };

  static Vec3d normal(const Vec3i& t, const std::vector<Vec3d>& x) {
    const Vec3d& a = x[at_index(t[0])];
    return cross(x[at_index(t[1])] - a, x[at_index(t[2])] - a);
  }
  Vec3d from_apex(int p, const std::vector<Vec3d>& x) const { return x[at_index(p)] - apex_; }
  Vec3d rim_normal(const RimEdge& e, const std::vector<Vec3d>& x) const {
    return cross(from_apex(e.u, x), from_apex(e.w, x));
  }
  Vec3d moved(int p, const std::vector<Vec3d>& x) const {
    return x[at_index(p)] - start_[at_index(p)];
  }

  // Of the cone from the apex [m3].
  Energy volume(const std::vector<Vec3d>& x) const {
    Energy sum;
    for (const Vec3i& t : triangles_) {
      const double v = dot(from_apex(t[0], x), cross(from_apex(t[1], x), from_apex(t[2], x))) / 6;
      sum += {v, std::abs(v)};
    }
    return sum;
  }

  template <class F>
  void for_each_gradient(const std::vector<Vec3d>& x, const F& add) const {
    for (const Vec3i& t : triangles_) {
      const Vec3d g = (p_ / 6) * normal(t, x);
      for (int k = 0; k < 3; ++k) add(t[k], g);
    }
    for (const RimEdge& e : rim_) {
      const Vec3d g = (p_ / 6) * (e.start - rim_normal(e, x));
      add(e.u, g);
      add(e.w, g);
    }
  }

  void add_hessian(const std::vector<Vec3d>& x, bool project, Assembly& assembly) const {
    for (const Vec3i& t : triangles_) {
      const Vec3d n = normal(t, x);
      const double size = norm(n);
      if (!(size > 0)) continue;
      // Block (1, 0) is p/12 [e_0 - e_1]x = p/12 [2 x_2 - x_0 - x_1]x, and so on around.
      Vec3d a[3];
      for (int k = 0; k < 3; ++k)
        a[k] = 2.0 * x[at_index(t[(k + 2) % 3])] - x[at_index(t[k])] - x[at_index(t[(k + 1) % 3])];
      const TriangleHessian h = coupling(a, p_ / 12, n * (1 / size), project);
      for (int k = 0; k < 3; ++k) {
        assembly.add_hessian(t[(k + 1) % 3], t[k], h.off[k]);
        if (project) assembly.add_hessian(t[k], t[k], h.diagonal[k]);
      }
    }
    for (const RimEdge& e : rim_) {
      const Vec3d s = from_apex(e.u, x) + from_apex(e.w, x);
      const Mat3d h = skew(s) * (-p_ / 12);  // block (u, w)
      if (!project) {
        assembly.add_hessian(e.u, e.w, h);
        continue;
      }
      // Eigenvalues +-|p/12| |s|, each twice: half of the block, and half of |h| on the diagonal.
      const double length = norm(s);
      if (!(length > 0)) continue;
      const Vec3d unit = s * (1 / length);
      const Mat3d diagonal =
          (Mat3d::identity() - outer(unit, unit)) * (0.5 * std::abs(p_ / 12) * length);
      assembly.add_hessian(e.u, e.w, h * 0.5);
      assembly.add_hessian(e.u, e.u, diagonal);
      assembly.add_hessian(e.w, e.w, diagonal);
    }
  }

  std::vector<Vec3i> triangles_;
  std::vector<RimEdge> rim_;
  History<double> history_;
  std::vector<Vec3d> start_;
  Vec3d apex_ = Vec3d::zero();
  double p_ = 0, load_ = 0, volume_start_ = 0;
};

}  // namespace

std::unique_ptr<LoadTerm> make_force_term(const SoftModel& model,
                                          const std::vector<NodalForce>& forces,
                                          const std::vector<int>& point) {
  return std::make_unique<ForceTerm>(model, forces, point);
}

std::unique_ptr<LoadTerm> make_pressure_term(std::vector<Vec3i> triangles,
                                             const History<double>& pressure) {
  return std::make_unique<PressureTerm>(std::move(triangles), pressure);
}

}  // namespace haptos
