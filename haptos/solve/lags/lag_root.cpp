#include "haptos/solve/lags/lag_root.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "haptos/base/borrowed.h"
#include "haptos/base/math/index.h"

namespace haptos {
namespace {

constexpr int kKrylov = 60;       // directions of GMRES
constexpr double kLinear = 1e-2;  // its relative residual
constexpr int kTrials = 20;       // points looked at along a direction
constexpr double kPart = 0.5;     // of F against a direction that may be left
// So many iterations in a row may leave more than this part of the smallest |F|: across a kink it
// rises before it falls.
constexpr int kWorse = 8;
constexpr double kFalls = 0.9;
// A difference moves the fastest point by this part of the smallest gap: small for the forces,
// large for the rounding of positions.
constexpr double kDifference = 1e-5;
constexpr double kLargest = 1e-9;  // [m], where gaps are large
constexpr double kFrozen = 1e-13;  // [m], where shapes may overlap: all but linear in velocities

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) s = ::fma(a[i], b[i], s);
  return s;
}
double norm(const Vector& a) { return std::sqrt(dot(a, a)); }
void add(double s, const Vector& a, Vector& to) {
  for (std::size_t i = 0; i < a.size(); ++i) to[i] = ::fma(s, a[i], to[i]);
}

// A list that keeps its items' room.
class Vectors {
 public:
  void clear() { count_ = 0; }
  Vector& add() {
    if (count_ == all_.size()) all_.emplace_back();
    return all_[count_++];
  }
  const Vector& operator[](int i) const { return all_[at_index(i)]; }

 private:
  std::deque<Vector> all_;  // what was handed out stays where it is
  std::size_t count_ = 0;
};

struct Room {
  Vector residual, direction, best, trial;
  // Of GMRES: the Krylov space, what it was made of, columns of the Hessenberg matrix, rotated to
  // upper triangular, and the rotations.
  Vectors v, w, h;
  Vector p, c, s, g, y;
};

class LagRoot {
 public:
  LagRoot(Objective& f, Vector& z) : f_(f), z_(z), s_(f.path()) {}

  LagRootReport run(int max_iterations, const std::function<bool()>& arrived) {
    evaluate(z_);
    Vector &r = room_->residual, &d = room_->direction, &best_z = room_->best;
    scaled(r);
    best_z = z_;
    double best = norm(r);
    int worse = 0;
    while (!(report_.converged = arrived()) && report_.iterations < max_iterations) {
      const double n = norm(r);
      worse = n < kFalls * best ? 0 : worse + 1;
      if (n < best) {
        best = n;
        best_z = z_;
      }
      if (!std::isfinite(n) || worse > kWorse) break;
      ++report_.iterations;
      if (!direction(r, d)) break;
      search(d, r);
    }
    if (!report_.converged) {
      z_ = best_z;
      evaluate(z_);
    }
    return report_;
  }

 private:
  // F at z; its gradient is left assembled.
  void evaluate(const Vector& z, bool hessian = false) {
    ++report_.evaluations;
    f_.set_trial(z, s_);
    f_.renew_lags();
    f_.set_lags();
    f_.assemble(hessian, hessian, 0);
  }
  // The assembled gradient, in newtons but for a constant factor.
  void scaled(Vector& r) const {
    r = f_.assembly().gradient();
    for (std::size_t i = 0; i < r.size(); ++i)
      r[i] = f_.fixed(static_cast<int>(i)) ? 0 : r[i] / f_.inertia().length[i];
  }
  // d = H^-1 y for scaled y.
  bool precondition(const Vector& y, Vector& d) {
    d = y;
    for (std::size_t i = 0; i < d.size(); ++i)
      d[i] = f_.fixed(static_cast<int>(i)) ? 0 : d[i] * f_.inertia().length[i];
    return f_.solve_again(d);
  }

  // J d by a difference.
  void times(const Vector& d, const Vector& r, Vector& w) {
    const double speed = f_.largest_speed(d);
    const double e = move_ / (speed * f_.step_factor());
    Vector& z = room_->trial;
    z = z_;
    add(e, d, z);
    evaluate(z);
    scaled(w);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = (w[i] - r[i]) / e;
  }

  // GMRES for J d = -r.
  bool direction(const Vector& r, Vector& d) {
    evaluate(z_, true);
    move_ = f_.all_frozen() ? kFrozen : std::min(kDifference * f_.smallest_gap(), kLargest);
    if (!(move_ > 0)) move_ = kFrozen;
    auto& [residual, towards, best, trial, v, w, h, p, c, s, g, y] = *room_;
    if (!f_.solve(p)) return false;
    const double beta = norm(r);
    for (Vectors* list : {&v, &w, &h}) list->clear();
    c.clear(), s.clear(), g.assign(1, beta);
    Vector* u = &v.add();
    *u = r;
    for (double& x : *u) x /= -beta;
    int k = 0;
    for (; k < kKrylov && std::abs(g[at_index(k)]) > kLinear * beta; ++k) {
      if (!precondition(v[k], p)) return false;
      w.add() = p;
      u = &v.add();
      times(p, r, *u);
      Vector& column = h.add();
      column.clear();
      for (int i = 0; i <= k; ++i) {
        column.push_back(dot(*u, v[i]));
        add(-column.back(), v[i], *u);
      }
      const double rest = norm(*u);
      for (int i = 0; i < k; ++i) {
        const auto j = at_index(i);
        const double a = column[j], b = column[j + 1];
        column[j] = c[j] * a + s[j] * b;
        column[j + 1] = -s[j] * a + c[j] * b;
      }
      const double l = std::hypot(column.back(), rest);
      if (!(l > 0) || !std::isfinite(l)) break;
      c.push_back(column.back() / l);
      s.push_back(rest / l);
      column.back() = l;
      g.push_back(-s.back() * g.back());
      g[at_index(k)] *= c.back();
      for (double& x : *u) x /= rest;
      if (!(rest > 0)) {
        ++k;
        break;
      }
    }
    if (k == 0) return false;
    y.resize(at_index(k));
    for (int i = k; i-- > 0;) {
      double x = g[at_index(i)];
      for (int j = i + 1; j < k; ++j) x -= h[j][at_index(i)] * y[at_index(j)];
      y[at_index(i)] = x / h[i][at_index(i)];
    }
    d.assign(z_.size(), 0.0);
    for (int i = 0; i < k; ++i) add(y[at_index(i)], w[i], d);
    return true;
  }

  // Goes along d all of the way, or to where F no longer has a large part against d. Where F does
  // not point against d at all, to where |F| is smaller.
  void search(const Vector& d, Vector& r) {
    double start = 0;  // of F along d
    for (std::size_t i = 0; i < r.size(); ++i)
      start = ::fma(r[i] * f_.inertia().length[i], d[i], start);
    f_.set_trial(z_, s_);
    const double before = norm(r);
    double low = 0, low_part = start, high = f_.max_step(d, 0), high_part = -start, a = high;
    Vector& z = room_->trial;
    z = z_;
    for (int i = 0; i < kTrials; ++i) {
      z = z_;
      add(a, d, z);
      evaluate(z);
      scaled(r);
      const double part = f_.slope(d);
      if (start >= 0) {
        if (norm(r) < before) break;
        a *= 0.5;
        continue;
      }
      if (std::abs(part) <= kPart * -start || (i == 0 && part < 0)) break;
      if (part < 0) {
        low = a;
        low_part = part;
      } else {
        high = a;
        high_part = std::isfinite(part) ? part : -start;
      }
      // Regula falsi, kept off the ends.
      a = low + std::clamp(low_part / (low_part - high_part), 0.1, 0.9) * (high - low);
    }
    z_ = z;
  }

  Objective& f_;
  Vector& z_;
  Borrowed<Room> room_;
  double s_;         // path that driven points have covered
  double move_ = 0;  // of the fastest point in a difference of F [m]
  LagRootReport report_;
};

}  // namespace

LagRootReport find_lag_root(Objective& f, std::vector<double>& z, int max_iterations,
                            const std::function<bool()>& arrived) {
  return LagRoot(f, z).run(max_iterations, arrived);
}

}  // namespace haptos
