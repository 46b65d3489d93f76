#include "haptos/bodies/soft/stress.h"

#include "haptos/base/math/index.h"
#include "haptos/bodies/elastic/elastic_point.h"

namespace haptos {
namespace {

// Cauchy stress at the points of element e.
template <class Law>
void element_stress(const SoftElements& s, const Lame& lame, int e, int first,
                    std::span<const Vec3d> x, bool linear, Mat3d* out) {
  const int n = s.nodes, m = s.quadrature;
  Mat3d F[4];
  double measure[4], mean = 0;
  for (int q = 0; q < m; ++q) {
    F[q] = Mat3d::zero();
    for (int a = 0; a < n; ++a) {
      const Vec3d& origin = x[at_index(s.corner[at_index(e * n)] - first)];
      F[q] += outer(x[at_index(s.corner[at_index(e * n + a)] - first)] - origin,
                    s.rest_gradient(e, q, a));
    }
    measure[q] = ElasticPoint<Law, double>::measure(F[q]);
    mean += measure[q] / m;
  }
  const double mu = lame.mu;
  const double p = Law::template volume<double>(lame.lambda, mean).first;
  for (int q = 0; q < m; ++q) {
    const ShearModuli<double> moduli{mu, mu * s.material.mooney_ratio};
    const Mat3d P = ElasticPoint<Law, double>(F[q], moduli, measure[q]).stress(p);
    out[q] = linear ? P : P * transpose(F[q]) * (1 / det(F[q]));
  }
}

Vec<double, 4> barycentric(const SoftModel& m, const Vec4i& tet, const Vec3d& x) {
  const auto corner = [&](int a) { return m.rest.vertices[at_index(tet[a])]; };
  const Vec3d b =
      inverse(columns(corner(1) - corner(0), corner(2) - corner(0), corner(3) - corner(0))) *
      (x - corner(0));
  return {{1 - b[0] - b[1] - b[2], b[0], b[1], b[2]}};
}

}  // namespace

SoftStress cauchy_stress(const SoftElements& s, const Lame& moduli, const SoftModel& model,
                         std::span<const Vec3d> x) {
  SoftStress out;
  out.element.assign(at_index(s.element_count), Mat3d::zero());
  out.node.assign(x.size(), Mat3d::zero());
  std::vector<double> weight(x.size(), 0.0);
  if (s.tets.empty()) return out;
  const int first = s.tets[0][0] - model.rest.tets[0][0];
  const auto law = static_cast<ElasticLaw>(s.material.law);
  const double own = (5 + 3 * sqrt(5.0)) / 20, other = (5 - sqrt(5.0)) / 20;
  for (int e = 0; e < s.element_count; ++e) {
    Mat3d at_point[4], mean = Mat3d::zero();
    with_law(law, [&](auto l) {
      element_stress<decltype(l)>(s, moduli, e, first, x, law == ElasticLaw::kLinear, at_point);
    });
    for (int q = 0; q < s.quadrature; ++q) mean += at_point[q] * (1.0 / s.quadrature);
    out.element[at_index(e)] = mean;
    for (int a = 0; a < s.nodes; ++a) {
      const std::size_t v = at_index(s.corner[at_index(e * s.nodes + a)] - first);
      Mat3d here = mean;
      if (s.quadrature == 4) {
        // The values at corners of the linear field through the points: (f_q - other sum) / (own -
        // other).
        const Vec<double, 4> b =
            barycentric(model, model.given_tets[at_index(e)], model.rest.vertices[v]);
        here = Mat3d::zero();
        for (int q = 0; q < 4; ++q)
          here += (at_point[q] - mean * (4 * other)) * (b[q] / (own - other));
      }
      out.node[v] += here * s.volume[at_index(e)];
      weight[v] += s.volume[at_index(e)];
    }
  }
  for (std::size_t v = 0; v < x.size(); ++v)
    if (weight[v] > 0) out.node[v] = out.node[v] * (1 / weight[v]);
  return out;
}

double von_mises(const Mat3d& stress) {
  Mat3d deviator = stress;
  const double mean = trace(stress) / 3;
  for (int i = 0; i < 3; ++i) deviator(i, i) -= mean;
  return sqrt(1.5 * inner(deviator, deviator));
}

}  // namespace haptos
