// One point of an element under a law: energy, stress, exact and projected tangent of psi_point,
// with the pressure p = U'(sbar) of the element acting on the law's measure of volume s
// (elastic_laws.h):
//
//   P    = d psi_point / dF + p ds/dF                     nodal gradient  P g_a
//   H_ab = weight (d2 psi_point / dF2 + p d2s/dF2) between nodes a and b
//
// ElasticPoint<Law, T> keeps a reference to F and gives, for every law and every scalar:
//
//   measure(F)               s
//   energy()                 psi_point [Pa]
//   stress(p)                P [Pa]
//   measure_gradient(g)      (ds/dF) g
//   tangent(weight, p)       H: with n_a = .node(g_a), .block(n_a, n_b) is the 3 x 3 block. Exact,
//                            may be indefinite
//   projected(weight, p)     the same, clamped to be positive semi-definite as a form on F
//
// Rows of a block belong to node a, columns to node b. With f_a = F g_a, B = F F^T, d = g_a . g_b:
//
//   St. Venant-Kirchhoff  P = F (2 mu E + p I)
//                         H_ab = (2 mu g_a . E g_b + p d) I + mu (d B + f_b f_a^T)
//   linear                P = 2 mu eps + p I,   H_ab = mu (d I + g_b g_a^T)
//   fixed corotated       P = 2 mu (F - R) + p cof F; H in the principal frame (Smith et al. 2019):
//                         pairs 2 mu - p s_m and 2 mu - 4 mu / (s_i + s_j) + p s_m
//   linear corotated      P = 2 mu (F - R) + p R; pairs 2 mu and 2 mu + (2 p - 4 mu) / (s_i + s_j)
//   I2/2                  P = tr(C) F - F C,
//                         H_ab = 2 f_a f_b^T - f_b f_a^T + (tr C d - f_a . f_b) I - d B
//
// Source of the principal frame: Smith, de Goes, Kim, Analytic Eigensystems for Isotropic
// Distortion Energies, 2019.
#pragma once

#include "haptos/bodies/elastic/elastic_kernel.h"

namespace haptos {

/// Laws of the form mu/2 (tr C - 3) + w(J), measure J.
template <class Law, class T>
struct ElasticPoint {
  const Mat3<T>& F;
  Mat3<T> cof;
  T mu;
  Curve<T> w;

  static HAPTOS_HD T measure(const Mat3<T>& F) { return det(F); }

  HAPTOS_HD ElasticPoint(const Mat3<T>& F_, const ShearModuli<T>& m, T J)
      : F(F_), cof(cofactor(F_)), mu(m.mu), w(Law::template shear_volume<T>(m.mu, J)) {}

  HAPTOS_HD T energy() const { return mu * half_norm_excess(F) + w.value; }
  HAPTOS_HD Mat3<T> stress(T p) const { return F * mu + cof * (w.first + p); }
  HAPTOS_HD Vec3<T> measure_gradient(const Vec3<T>& g) const { return cof * g; }
  HAPTOS_HD ShearTangent<T> tangent(T weight, T p) const {
    return ShearTangent<T>(F, mu * weight, w.second * weight, (w.first + p) * weight);
  }
  HAPTOS_HD ProjectedTangent<T> projected(T weight, T p) const {
    return ProjectedTangent<T>(F, mu * weight, w.second * weight, (w.first + p) * weight);
  }
};

template <class T>
struct ElasticPoint<StVenantKirchhoff, T> {
  const Mat3<T>& F;
  Mat3<T> E;
  T mu;

  static HAPTOS_HD T measure(const Mat3<T>& F) { return half_norm_excess(F); }

  HAPTOS_HD ElasticPoint(const Mat3<T>& F_, const ShearModuli<T>& m, T) : F(F_), mu(m.mu) {
    const Mat3<T> d = less_identity(F);
    E = (d + transpose(d) + transpose(d) * d) * T(0.5);
  }

  HAPTOS_HD T energy() const { return mu * inner(E, E); }
  HAPTOS_HD Mat3<T> stress(T p) const { return F * second_stress(p); }
  HAPTOS_HD Vec3<T> measure_gradient(const Vec3<T>& g) const { return F * g; }

  struct Tangent {
    Mat3<T> F, B, S;
    T mu;
    struct Node {
      Vec3<T> g, f, traction;
    };
    HAPTOS_HD Node node(const Vec3<T>& g) const { return {g, F * g, S * g}; }
    HAPTOS_HD Mat3<T> block(const Node& a, const Node& b) const {
      const T d = dot(a.g, b.g), initial = dot(a.g, b.traction);
      Mat3<T> h = B * d + outer(b.f, a.f * mu);
      for (int i = 0; i < 3; ++i) h(i, i) += initial;
      return h;
    }
  };
  HAPTOS_HD Tangent tangent(T weight, T p) const {
    return {F, F * transpose(F) * (mu * weight), second_stress(p) * weight, mu * weight};
  }

  HAPTOS_HD PrincipalTangent<T> projected(T weight, T p) const {
    PrincipalTangent<T> t;
    Vec3<T> s;
    rotation_svd(F, t.U, s, t.V);
    t.stretch = Mat3<T>::zero();
    for (int m = 0; m < 3; ++m) {
      const T a = s[(m + 1) % 3], b = s[(m + 2) % 3];
      t.stretch(m, m) = vmax(weight * (mu * (T(3) * s[m] * s[m] - T(1)) + p), T(0));
      const T both = a * a + b * b - T(1), cross_term = a * b;
      t.set_clamped_pair(m, weight * (mu * (both + cross_term) + p),
                         weight * (mu * (both - cross_term) + p));
    }
    return t;
  }

 private:
  // Second Piola-Kirchhoff stress [Pa].
  HAPTOS_HD Mat3<T> second_stress(T p) const {
    Mat3<T> S = E * (T(2) * mu);
    for (int i = 0; i < 3; ++i) S(i, i) += p;
    return S;
  }
};

/// What the corotated laws share: F = U diag(s) V^T, and mu |F - R|^2 with R = U V^T.
template <class T>
struct CorotatedShear {
  const Mat3<T>& F;
  Mat3<T> U, V;
  Vec3<T> s;
  T mu;

  HAPTOS_HD CorotatedShear(const Mat3<T>& F_, T mu_) : F(F_), mu(mu_) { rotation_svd(F, U, s, V); }

  HAPTOS_HD T energy() const {
    return mu * (square(s[0] - T(1)) + square(s[1] - T(1)) + square(s[2] - T(1)));
  }
};

template <class T>
struct ElasticPoint<FixedCorotated, T> : CorotatedShear<T> {
  using CorotatedShear<T>::F, CorotatedShear<T>::U, CorotatedShear<T>::V, CorotatedShear<T>::s,
      CorotatedShear<T>::mu;
  Mat3<T> cof;

  static HAPTOS_HD T measure(const Mat3<T>& F) { return det(F); }

  HAPTOS_HD ElasticPoint(const Mat3<T>& F_, const ShearModuli<T>& m, T)
      : CorotatedShear<T>(F_, m.mu), cof(cofactor(F_)) {}

  HAPTOS_HD Mat3<T> stress(T p) const { return (F - U * transpose(V)) * (T(2) * mu) + cof * p; }
  HAPTOS_HD Vec3<T> measure_gradient(const Vec3<T>& g) const { return cof * g; }

  HAPTOS_HD PrincipalTangent<T> tangent(T weight, T p) const { return in_frame(weight, p, false); }
  HAPTOS_HD PrincipalTangent<T> projected(T weight, T p) const { return in_frame(weight, p, true); }

 private:
  HAPTOS_HD PrincipalTangent<T> in_frame(T weight, T p, bool clamped) const {
    PrincipalTangent<T> t;
    t.U = U;
    t.V = V;
    const T two = T(2) * mu * weight, k = p * weight;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) t.stretch(i, j) = i == j ? two : k * s[3 - i - j];
    if (clamped) t.stretch = clamp_positive(t.stretch);
    for (int m = 0; m < 3; ++m) {
      // R is not differentiable where s_i + s_j = 0, which det F > 0 excludes.
      const T pair = vmax(s[(m + 1) % 3] + s[(m + 2) % 3], T(1e-9));
      const T even = two - k * s[m], odd = two - T(2) * two / pair + k * s[m];
      if (clamped)
        t.set_clamped_pair(m, even, odd);
      else
        t.set_pair(m, even, odd);
    }
    return t;
  }
};

template <class T>
struct ElasticPoint<LinearElastic, T> {
  Mat3<T> strain;
  T mu;

  static HAPTOS_HD T measure(const Mat3<T>& F) { return trace(less_identity(F)); }

  HAPTOS_HD ElasticPoint(const Mat3<T>& F, const ShearModuli<T>& m, T) : mu(m.mu) {
    const Mat3<T> d = less_identity(F);
    strain = (d + transpose(d)) * T(0.5);
  }

  HAPTOS_HD T energy() const { return mu * inner(strain, strain); }
  HAPTOS_HD Mat3<T> stress(T p) const {
    Mat3<T> P = strain * (T(2) * mu);
    for (int i = 0; i < 3; ++i) P(i, i) += p;
    return P;
  }
  HAPTOS_HD Vec3<T> measure_gradient(const Vec3<T>& g) const { return g; }

  struct Tangent {
    T mu;
    using Node = Vec3<T>;
    HAPTOS_HD Node node(const Vec3<T>& g) const { return g; }
    HAPTOS_HD Mat3<T> block(const Node& ga, const Node& gb) const {
      const Vec3<T> a = ga * mu;
      Mat3<T> h = outer(gb, a);
      const T d = dot(a, gb);
      for (int i = 0; i < 3; ++i) h(i, i) += d;
      return h;
    }
  };
  HAPTOS_HD Tangent tangent(T weight, T) const { return {mu * weight}; }
  // Constant and positive semi-definite as it is.
  HAPTOS_HD Tangent projected(T weight, T) const { return {mu * weight}; }
};

/// With the rotation of F itself; a term lags it.
template <class T>
struct ElasticPoint<LinearCorotated, T> : CorotatedShear<T> {
  using CorotatedShear<T>::F, CorotatedShear<T>::U, CorotatedShear<T>::V, CorotatedShear<T>::s,
      CorotatedShear<T>::mu;
  Mat3<T> R;

  static HAPTOS_HD T measure(const Mat3<T>& F) {
    const CorotatedShear<T> c(F, T(0));
    return (c.s[0] - T(1)) + (c.s[1] - T(1)) + (c.s[2] - T(1));
  }

  HAPTOS_HD ElasticPoint(const Mat3<T>& F_, const ShearModuli<T>& m, T)
      : CorotatedShear<T>(F_, m.mu), R(U * transpose(V)) {}

  HAPTOS_HD Mat3<T> stress(T p) const { return (F - R) * (T(2) * mu) + R * p; }
  HAPTOS_HD Vec3<T> measure_gradient(const Vec3<T>& g) const { return R * g; }

  HAPTOS_HD PrincipalTangent<T> tangent(T weight, T p) const { return in_frame(weight, p, false); }
  HAPTOS_HD PrincipalTangent<T> projected(T weight, T p) const { return in_frame(weight, p, true); }

 private:
  HAPTOS_HD PrincipalTangent<T> in_frame(T weight, T p, bool clamped) const {
    PrincipalTangent<T> t;
    t.U = U;
    t.V = V;
    const T two = T(2) * mu * weight;
    t.stretch = Mat3<T>::zero();
    for (int i = 0; i < 3; ++i) t.stretch(i, i) = two;
    for (int m = 0; m < 3; ++m) {
      const T pair = vmax(s[(m + 1) % 3] + s[(m + 2) % 3], T(1e-9));
      const T odd = two + T(2) * (p * weight - two) / pair;
      if (clamped)
        t.set_clamped_pair(m, two, odd);
      else
        t.set_pair(m, two, odd);
    }
    return t;
  }
};

template <class T>
struct ElasticPoint<MooneyRivlin, T> {
  const Mat3<T>& F;
  Mat3<T> cof;
  T mu1, mu2;
  Curve<T> w;

  static HAPTOS_HD T measure(const Mat3<T>& F) { return det(F); }

  HAPTOS_HD ElasticPoint(const Mat3<T>& F_, const ShearModuli<T>& m, T J)
      : F(F_),
        cof(cofactor(F_)),
        mu1(m.mu - m.mu2),
        mu2(m.mu2),
        w(MooneyRivlin::shear_volume(m, J)) {}

  HAPTOS_HD T energy() const {
    return mu1 * half_norm_excess(F) + mu2 * half_norm_excess(cof) + w.value;
  }
  HAPTOS_HD Mat3<T> stress(T p) const {
    return F * (mu1 + mu2 * inner(F, F)) - F * (transpose(F) * F) * mu2 + cof * (w.first + p);
  }
  HAPTOS_HD Vec3<T> measure_gradient(const Vec3<T>& g) const { return cof * g; }

  struct Tangent {
    ShearTangent<T> shear;
    Mat3<T> B;
    T I1, mu2;
    struct Node {
      typename ShearTangent<T>::Node shear;
      Vec3<T> f;
    };
    HAPTOS_HD Node node(const Vec3<T>& g) const { return {shear.node(g), shear.F * g}; }
    HAPTOS_HD Mat3<T> block(const Node& a, const Node& b) const {
      const T d = dot(a.shear.g, b.shear.g), same = mu2 * (I1 * d - dot(a.f, b.f));
      Mat3<T> h = shear.block(a.shear, b.shear) + outer(a.f, b.f * (T(2) * mu2)) -
                  outer(b.f, a.f * mu2) - B * d;
      for (int i = 0; i < 3; ++i) h(i, i) += same;
      return h;
    }
  };
  HAPTOS_HD Tangent tangent(T weight, T p) const {
    return {{F, mu1 * weight, w.second * weight, (w.first + p) * weight},
            F * transpose(F) * (mu2 * weight),
            inner(F, F),
            mu2 * weight};
  }

  HAPTOS_HD PrincipalTangent<T> projected(T weight, T p) const {
    PrincipalTangent<T> t;
    Vec3<T> s;
    svd(F, t.U, s, t.V);
    const T m1 = mu1 * weight, m2 = mu2 * weight, w2 = w.second * weight,
            k = (w.first + p) * weight;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const T a = s[(i + 1) % 3], b = s[(i + 2) % 3];
        const T gi = a * b, gj = s[(j + 1) % 3] * s[(j + 2) % 3];
        t.stretch(i, j) = w2 * gi * gj + (i == j ? m1 + m2 * (a * a + b * b)
                                                 : k * s[3 - i - j] + T(2) * m2 * s[i] * s[j]);
      }
    t.stretch = clamp_positive(t.stretch);
    for (int m = 0; m < 3; ++m) {
      const T same = m1 + m2 * s[m] * s[m], other = k * s[m] + m2 * s[(m + 1) % 3] * s[(m + 2) % 3];
      t.set_clamped_pair(m, same - other, same + other);
    }
    return t;
  }
};

}  // namespace haptos
