#include "haptos/sim/coats/coat_near.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"

namespace haptos {
namespace {

// Probes are around each other up to so many times the way between nodes. From that part of it on
// what they do to each other goes over to nodes.
constexpr double kAround = 3, kFade = 0.5;
// Nodes of probes may be farther apart, by that factor.
constexpr double kWider = 1.5;

// exp(-x) I0(x) for x >= 0, to 2e-7: Abramowitz and Stegun 9.8.1, 9.8.2.
double bessel_i0_scaled(double x) {
  if (x < 3.75) {
    const double t = square(x / 3.75);
    return std::exp(-x) *
           (1 + t * (3.5156229 +
                     t * (3.0899424 +
                          t * (1.2067492 + t * (0.2659732 + t * (0.0360768 + t * 0.0045813))))));
  }
  const double t = 3.75 / x;
  return (0.39894228 +
          t * (0.01328592 +
               t * (0.00225319 +
                    t * (-0.00157565 +
                         t * (0.00916281 +
                              t * (-0.02057706 +
                                   t * (0.02635537 + t * (-0.01647633 + t * 0.00392377)))))))) /
         std::sqrt(x);
}

// The mean of 1/r between two heaps of force, each spread like a Gaussian over a plane: r between
// their middles, `spread` the sum of both variances along an axis [1/m].
double mean_inverse(double square, double spread) {
  const double x = square / (4 * spread);
  return std::sqrt(0.5 * std::numbers::pi / spread) * bessel_i0_scaled(x);
}

// Something of the coat and how much of it.
struct Weighted {
  int at;
  double weight;
};

class TwoLevels {
 public:
  TwoLevels(const Material& material, const std::vector<double>& probe_area, CoatCompliance& c)
      : by_((1 - square(material.poisson)) / (std::numbers::pi * material.young)),
        area_(probe_area),
        c_(c) {
    hats_.resize(c.rest.size());
    for (std::size_t p = 0; p < c.probe.size(); ++p) {
      const CoatCompliance::Probe& at = c.probe[p];
      place_.push_back(0.5 * (c.rest[at_index(at.a)] + c.rest[at_index(at.b)]));
      for (const int a : {at.a, at.b})
        hats_[at_index(a)].push_back({static_cast<int>(p), 0.5 * area_[p] / c.area[at_index(a)]});
    }
    for (std::size_t a = 0; a < hats_.size(); ++a) {
      double area = 0;
      for (const Weighted& p : hats_[a]) {
        const CoatCompliance::Probe& at = c.probe[at_index(p.at)];
        area += p.weight * 0.5 * (c.area[at_index(at.a)] + c.area[at_index(at.b)]);
      }
      width_.push_back(sqrt(area));
    }
    for_each(
        static_cast<std::ptrdiff_t>(hats_.size()),
        [&](std::ptrdiff_t a) {
          std::vector<Weighted>& row = coarse_[at_index(a)];
          for (int b = 0; b < c_.nodes(); ++b)
            if (apart(c_.rest[at_index(a)], c_.rest[at_index(b)], static_cast<int>(a), b) < kWider)
              row.push_back({b, of_nodes(static_cast<int>(a), b)});
        },
        16);
  }

  // Farther out a force on nodes is spread too wide, and does too much: by half of the variance
  // along an axis times 1/r^3, which is the Laplacian of 1/r.
  void mend_far() {
    std::vector<double> wider(hats_.size(), 0.0);
    for (std::size_t a = 0; a < hats_.size(); ++a)
      for (int k = c_.first_part[a]; k < c_.first_part[a + 1]; ++k) {
        const CoatCompliance::Part& part = c_.part[at_index(k)];
        wider[a] += part.weight * wider_than_its_hat(at_index(part.probe));
      }
    const std::size_t n = c_.rest.size();
    for_each(
        static_cast<std::ptrdiff_t>(n),
        [&](std::ptrdiff_t a) {
          for (std::size_t b = 0; b < n; ++b) {
            const double r = norm(c_.rest[at_index(a)] - c_.rest[b]);
            const double far = 1 - seen(apart(c_.rest[at_index(a)], c_.rest[b], static_cast<int>(a),
                                              static_cast<int>(b)));
            if (!(far > 0)) continue;
            const double less = far * by_ * 0.5 * (wider[at_index(a)] + wider[b]) / (r * r * r);
            far_[at_index(a)] -= less * c_.area[b];
            for (int i = 0; i < 3; ++i)
              for (int j = 0; j < 3; ++j)
                c_.matrix[(3 * at_index(a) + at_index(i)) * 3 * n + 3 * b + at_index(j)] -=
                    static_cast<float>(less * c_.normal[at_index(a)][i] * c_.normal[b][j]);
          }
        },
        16);
  }

  // Which probes are around each, and what it does to them.
  void find() {
    near_.resize(c_.probe.size());
    for_each(
        static_cast<std::ptrdiff_t>(near_.size()),
        [&](std::ptrdiff_t p) {
          for (std::size_t q = 0; q < near_.size(); ++q) {
            const double seen_by =
                seen(apart(place_[at_index(p)], place_[q], c_.probe[at_index(p)].a, c_.probe[q].a));
            if (!(seen_by > 0)) continue;
            double give = of_probes(at_index(p), q);
            for (const int a : {c_.probe[at_index(p)].a, c_.probe[at_index(p)].b})
              for (const int b : {c_.probe[q].a, c_.probe[q].b}) give -= 0.25 * at(a, b);
            near_[at_index(p)].push_back({static_cast<int>(q), seen_by * give});
          }
        },
        16);
  }

  // An even pressure on all of the coat makes no difference between probes and nodes. What is left
  // of one, at its rim, goes to those around each.
  void level() {
    const auto part = [&](std::size_t p, std::size_t q) {
      return square(seen(apart(place_[p], place_[q], c_.probe[p].a, c_.probe[q].a)));
    };
    std::vector<double> over;
    for (std::size_t p = 0; p < near_.size(); ++p) {
      double sum = 0.5 * (far_[at_index(c_.probe[p].a)] + far_[at_index(c_.probe[p].b)]), parts = 0;
      for (const Weighted& q : near_[p]) {
        sum += q.weight * area_[at_index(q.at)];
        parts += part(p, at_index(q.at)) * area_[at_index(q.at)];
      }
      over.push_back(sum / parts);
    }
    for (std::size_t p = 0; p < near_.size(); ++p)
      for (Weighted& q : near_[p])
        q.weight -= 0.5 * (over[p] + over[at_index(q.at)]) * part(p, at_index(q.at));
  }

  void keep() {
    for (std::size_t p = 0; p < near_.size(); ++p) {
      c_.own.push_back(static_cast<float>(of_probes(p, p)));
      c_.first_near.push_back(static_cast<int>(c_.near.size()));
      for (const Weighted& q : near_[p]) c_.near.push_back({q.at, static_cast<float>(q.weight)});
    }
    c_.first_near.push_back(static_cast<int>(c_.near.size()));
  }

 private:
  // How far apart things at two nodes are, of how far they are seen.
  double apart(const Vec3d& x, const Vec3d& y, int a, int b) const {
    return norm(x - y) / (kAround * 0.5 * (width_[at_index(a)] + width_[at_index(b)]));
  }
  // How much of what is so far apart is seen between probes.
  static double seen(double apart) {
    const double t = std::clamp((1 - apart) / (1 - kFade), 0.0, 1.0);
    return t * t * (3 - 2 * t);
  }
  // A hat has a variance of a sixth of its integral along an axis.
  double of_probes(std::size_t p, std::size_t q) const {
    return by_ * mean_inverse(squared_norm(place_[p] - place_[q]), (area_[p] + area_[q]) / 6);
  }
  // The variance along an axis of a force on a probe by way of nodes, less that of its hat [m2].
  double wider_than_its_hat(std::size_t p) const {
    double sum = -area_[p] / 6;
    for (const int a : {c_.probe[p].a, c_.probe[p].b})
      for (const Weighted& q : hats_[at_index(a)])
        sum += 0.5 * q.weight *
               (0.5 * squared_norm(place_[at_index(q.at)] - place_[p]) + area_[at_index(q.at)] / 6);
    return sum;
  }
  double of_nodes(int a, int b) const {
    double sum = 0;
    for (const Weighted& p : hats_[at_index(a)])
      for (const Weighted& q : hats_[at_index(b)])
        sum += p.weight * q.weight * of_probes(at_index(p.at), at_index(q.at));
    return sum;
  }
  double at(int a, int b) const {
    const std::vector<Weighted>& row = coarse_[at_index(a)];
    const auto it = std::ranges::lower_bound(row, b, {}, &Weighted::at);
    return it != row.end() && it->at == b ? it->weight : of_nodes(a, b);
  }

  double by_;
  const std::vector<double>& area_;
  CoatCompliance& c_;
  std::vector<Vec3d> place_;
  std::vector<std::vector<Weighted>> near_;  // of each probe, of probes
  // What mend_far() took of the displacement of each node under an even pressure of 1 Pa [m].
  std::vector<double> far_ = std::vector<double>(c_.rest.size(), 0.0);
  std::vector<double> width_;                                  // about each node, between nodes [m]
  std::vector<std::vector<Weighted>> hats_;                    // of each node, of probes
  std::vector<std::vector<Weighted>> coarse_{c_.rest.size()};  // P^T K P
};

}  // namespace

void find_near(const Material& material, const std::vector<double>& probe_area, CoatCompliance& c) {
  TwoLevels levels(material, probe_area, c);
  levels.find(), levels.mend_far(), levels.level(), levels.keep();
}

}  // namespace haptos
