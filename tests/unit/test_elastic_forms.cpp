// Elastic laws at one point against closed forms: uniaxial stress, simple shear, the incompressible
// Mooney-Rivlin solutions, and the polar decomposition near inversion.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "haptos/bodies/elastic/elastic_point.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kYoung = 1e5, kRatio = 0.3;  // [Pa], share of the second invariant

// First Piola-Kirchhoff stress of the whole law [Pa].
template <class Law>
Mat3d stress(const Mat3d& F, double poisson) {
  using Point = ElasticPoint<Law, double>;
  const Lame l = lame(kYoung, poisson);
  const double s = Point::measure(F);
  return Point(F, {l.mu, kRatio * l.mu}, s).stress(Law::template volume<double>(l.lambda, s).first);
}

// Energy density of the whole law [Pa].
template <class Law>
double energy(const Mat3d& F, double poisson) {
  using Point = ElasticPoint<Law, double>;
  const Lame l = lame(kYoung, poisson);
  const double s = Point::measure(F);
  return Point(F, {l.mu, kRatio * l.mu}, s).energy() +
         Law::template volume<double>(l.lambda, s).value;
}

Mat3d diagonal(double a, double b, double c) { return {{a, 0, 0, 0, b, 0, 0, 0, c}}; }

// The lateral stretch without lateral stress at a stretch along x, by bisection.
template <class Law>
double lateral_stretch(double stretch, double poisson) {
  double lo = 0.3, hi = 2;
  for (int i = 0; i < 200; ++i) {
    const double mid = 0.5 * (lo + hi);
    (stress<Law>(diagonal(stretch, mid, mid), poisson)(1, 1) > 0 ? hi : lo) = mid;
  }
  return 0.5 * (lo + hi);
}

TEST(ElasticForms, UniaxialStress) {
  for (const double nu : {0.3, 0.48})
    for (const double a : {0.8, 1.1, 1.4}) {
      const Lame l = lame(kYoung, nu);
      // S = E (a^2 - 1)/2, and the lateral Green strain is -nu times the axial one.
      double b = lateral_stretch<StVenantKirchhoff>(a, nu);
      EXPECT_NEAR(b, std::sqrt(1 - nu * (a * a - 1)), 1e-12);
      EXPECT_NEAR(stress<StVenantKirchhoff>(diagonal(a, b, b), nu)(0, 0),
                  kYoung * a * (a * a - 1) / 2, 1e-9 * kYoung);
      b = lateral_stretch<LinearElastic>(a, nu);
      EXPECT_NEAR(b, 1 - nu * (a - 1), 1e-12);
      EXPECT_NEAR(stress<LinearElastic>(diagonal(a, b, b), nu)(0, 0), kYoung * (a - 1),
                  1e-9 * kYoung);
      // With P_yy = 0 the pressure drops out of P_xx.
      b = lateral_stretch<LogNeoHookean>(a, nu);
      EXPECT_NEAR(l.mu * (b * b - 1) + l.lambda * std::log(a * b * b), 0, 1e-9 * kYoung);
      EXPECT_NEAR(stress<LogNeoHookean>(diagonal(a, b, b), nu)(0, 0), l.mu * (a - b * b / a),
                  1e-9 * kYoung);
      b = lateral_stretch<StableNeoHookean>(a, nu);
      EXPECT_NEAR(stress<StableNeoHookean>(diagonal(a, b, b), nu)(0, 0), l.mu * (a - b * b / a),
                  1e-9 * kYoung);
      b = lateral_stretch<FixedCorotated>(a, nu);
      EXPECT_NEAR(stress<FixedCorotated>(diagonal(a, b, b), nu)(0, 0),
                  2 * l.mu * (a - 1 - b / a * (b - 1)), 1e-9 * kYoung);
      b = lateral_stretch<MooneyRivlin>(a, nu);
      const double mu2 = kRatio * l.mu, mu1 = l.mu - mu2;
      EXPECT_NEAR(stress<MooneyRivlin>(diagonal(a, b, b), nu)(0, 0),
                  (mu1 + mu2 * b * b) * (a - b * b / a), 1e-9 * kYoung);
    }
}

TEST(ElasticForms, MooneyRivlinIsTheClassicalLawWhereVolumeIsKept) {
  // sigma = 2 (a^2 - 1/a) (c10 + c01/a) of an incompressible bar.
  const double nu = 0.499999;
  const Lame l = lame(kYoung, nu);
  for (const double a : {0.7, 1.3, 2.0}) {
    const double b = lateral_stretch<MooneyRivlin>(a, nu);
    const double cauchy = stress<MooneyRivlin>(diagonal(a, b, b), nu)(0, 0) / (b * b);
    const double classical = l.mu * (a * a - 1 / a) * ((1 - kRatio) + kRatio / a);
    EXPECT_NEAR(cauchy / classical, 1, 2e-5);
  }
}

TEST(ElasticForms, SimpleShear) {
  const double nu = 0.4;
  const Lame l = lame(kYoung, nu);
  for (const double g : {-0.4, 0.2, 0.9}) {
    Mat3d F = Mat3d::identity();
    F(0, 1) = g;
    const double tolerance = 1e-12 * kYoung;
    auto cauchy = [&](const Mat3d& P) { return P * transpose(F); };  // J = 1
    for (const Mat3d& s :
         {cauchy(stress<LogNeoHookean>(F, nu)), cauchy(stress<StableNeoHookean>(F, nu))}) {
      EXPECT_NEAR(s(0, 1), l.mu * g, tolerance);
      EXPECT_NEAR(s(0, 0) - s(1, 1), l.mu * g * g, tolerance);
      EXPECT_NEAR(s(1, 1), 0, tolerance);
    }
    const Mat3d m = cauchy(stress<MooneyRivlin>(F, nu));
    EXPECT_NEAR(m(0, 1), l.mu * g, tolerance);
    EXPECT_NEAR(m(0, 0) - m(1, 1), l.mu * g * g, tolerance);
    EXPECT_NEAR(m(1, 1) - m(2, 2), -kRatio * l.mu * g * g, tolerance);
    const Mat3d s = stress<StVenantKirchhoff>(F, nu);
    const double s22 = l.mu * g * g + 0.5 * l.lambda * g * g;
    EXPECT_NEAR(s(0, 1), l.mu * g + g * s22, tolerance);
    EXPECT_NEAR(s(1, 1), s22, tolerance);
    const Mat3d c = stress<FixedCorotated>(F, nu);
    EXPECT_NEAR(c(0, 1), 2 * l.mu * g * (1 - 0.5 / std::sqrt(1 + 0.25 * g * g)), tolerance);
    EXPECT_NEAR(c(0, 0), 2 * l.mu * (1 - 1 / std::sqrt(1 + 0.25 * g * g)), tolerance);
    const Mat3d e = stress<LinearElastic>(F, nu);
    EXPECT_NEAR(e(0, 1), l.mu * g, tolerance);
    EXPECT_NEAR(e(1, 0), l.mu * g, tolerance);
    EXPECT_NEAR(e(0, 0), 0, tolerance);
  }
}

TEST(ElasticForms, TheSecondInvariantsPartIsNowhereNegative) {
  test::Random random(8);
  for (int i = 0; i < 500; ++i) {
    Mat3d F = diagonal(1, 1, 1);
    for (int k = 0; k < 9; ++k) F[k] += 1.2 * random();
    if (det(F) < 1e-3) continue;
    const ElasticPoint<MooneyRivlin, double> p(F, {1.0, 1.0}, det(F));
    EXPECT_GE(p.energy(), -1e-12);
  }
}

TEST(RotationSvd, HoldsForEverySignOfTheDeterminantAndEveryRank) {
  test::Random random(3);
  for (int i = 0; i < 400; ++i) {
    Mat3d F;
    for (int k = 0; k < 9; ++k) F[k] = random();
    if (i % 4 == 1)  // nearly flat
      for (int k = 0; k < 3; ++k) F(k, 2) = F(k, 0) - 2 * F(k, 1) + 1e-12 * random();
    if (i % 4 == 2)  // rank 1
      for (int k = 0; k < 3; ++k) F(k, 1) = 2 * F(k, 0), F(k, 2) = -F(k, 0);
    if (i == 3) F = Mat3d::zero();
    if (i == 7) F = diagonal(1, 1, 1);
    if (i == 11) F = diagonal(1, 0, 0);
    if (i == 15) F = diagonal(0, 0, -2);
    Mat3d U, V;
    Vec3d s;
    rotation_svd(F, U, s, V);
    EXPECT_NEAR(det(U), 1, 1e-14);
    EXPECT_NEAR(det(V), 1, 1e-14);
    const Mat3d back = U * diagonal(s[0], s[1], s[2]) * transpose(V);
    const Mat3d unit = transpose(U) * U;
    for (int k = 0; k < 9; ++k) {
      EXPECT_NEAR(back[k], F[k], 4e-15);
      EXPECT_NEAR(unit[k], k % 4 == 0 ? 1 : 0, 4e-15);
    }
    EXPECT_GE(s[0], s[1] - 1e-15);
    EXPECT_GE(s[1], std::abs(s[2]) - 1e-15);
    EXPECT_NEAR(s[0] * s[1] * s[2], det(F), 1e-14);
  }
}

TEST(RotationSvd, KeepsTheDigitsOfSmallValues) {
  // An orthogonal basis of F^T F loses half of the digits of the small value; this keeps them.
  const Mat3d R = to_matrix(rotation_by({{0.3, 0.5, -0.2}})),
              Q = to_matrix(rotation_by({{-0.8, 0.1, 0.4}}));
  for (const double small : {1e-3, 1e-6, -1e-6}) {
    Mat3d U, V;
    Vec3d s;
    rotation_svd(R * diagonal(1.5, 1, small) * Q, U, s, V);
    EXPECT_NEAR(s[2], small, 1e-15);
    const Mat3d polar = U * transpose(V), expected = R * Q;
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(polar[k], expected[k], 2e-15);
  }
}

// Gradient and tangent of the fixed corotated law against differences, from far to near inversion
// and beyond: the rotation is smooth wherever the two smallest values do not cancel.
TEST(ElasticForms, FixedCorotatedMatchesDifferencesNearInversion) {
  const Mat3d R = to_matrix(rotation_by({{0.3, 0.5, -0.2}})),
              Q = to_matrix(rotation_by({{-0.8, 0.1, 0.4}}));
  using Point = ElasticPoint<FixedCorotated, double>;
  const Vec3d axis[3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
  for (const double small : {0.5, 0.05, 1e-3, 0.0, -0.1}) {
    const Mat3d F = R * diagonal(1.2, 0.8, small) * Q;
    const Point p(F, {1.0, 0.0}, det(F));
    const Mat3d P = p.stress(0.4);
    const auto H = p.tangent(1.0, 0.4);
    const double h = 1e-6;
    for (int k = 0; k < 9; ++k) {
      Mat3d up = F, down = F;
      up[k] += h;
      down[k] -= h;
      const Point a(up, {1.0, 0.0}, det(up)), b(down, {1.0, 0.0}, det(down));
      EXPECT_NEAR((a.energy() - b.energy() + 0.4 * (det(up) - det(down))) / (2 * h), P[k], 1e-8);
      const Mat3d dP = (a.stress(0.4) - b.stress(0.4)) * (0.5 / h);
      for (int j = 0; j < 3; ++j) {
        const Mat3d block = H.block(H.node(axis[j]), H.node(axis[k % 3]));
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(block(i, k / 3), dP(i, j), 1e-7) << small;
      }
    }
  }
}

// The 9 x 9 tangent of a point.
template <class Tangent>
Eigen::Matrix<double, 9, 9> matrix_of(const Tangent& t) {
  Eigen::Matrix<double, 9, 9> m;
  const Vec3d axis[3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const Mat3d block = t.block(t.node(axis[a]), t.node(axis[b]));
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) m(3 * a + i, 3 * b + j) = block(i, j);
    }
  return m;
}

// The projected tangent is the exact one with its negative eigenvalues replaced by zero.
TEST(ElasticForms, ProjectionIsTheNearestPositiveSemidefiniteTangent) {
  test::Random random(17);
  for (int law = 0; law < kElasticLawCount; ++law)
    for (int i = 0; i < 60; ++i) {
      Mat3d F = Mat3d::identity();
      for (int k = 0; k < 9; ++k) F[k] += 0.5 * random();
      if (det(F) < 0.05) continue;
      with_law(static_cast<ElasticLaw>(law), [&](auto l) {
        using Point = ElasticPoint<decltype(l), double>;
        const Point p(F, {1.0, 0.3}, Point::measure(F));
        const double pressure = 2 * random();
        const auto exact = matrix_of(p.tangent(1.0, pressure));
        const auto projected = matrix_of(p.projected(1.0, pressure));
        EXPECT_LE((exact - exact.transpose()).cwiseAbs().maxCoeff(),
                  1e-13 * exact.cwiseAbs().maxCoeff());
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> e(exact);
        const Eigen::Matrix<double, 9, 9> nearest = e.eigenvectors() *
                                                    e.eigenvalues().cwiseMax(0).asDiagonal() *
                                                    e.eigenvectors().transpose();
        EXPECT_LE((projected - nearest).cwiseAbs().maxCoeff(), 1e-10 * exact.cwiseAbs().maxCoeff())
            << "law " << law << " J " << det(F);
      });
    }
}

TEST(ElasticForms, EnergyOfAVolumeChangeIsTheClosedForm) {
  // F = a I: every law's energy written out.
  const double nu = 0.4;
  const Lame l = lame(kYoung, nu);
  for (const double a : {0.9, 1.2}) {
    const Mat3d F = diagonal(a, a, a);
    const double J = a * a * a, log_j = std::log(J), mu2 = kRatio * l.mu, mu1 = l.mu - mu2;
    const double t = 1e-12 * kYoung;
    const double neo = 1.5 * (a * a - 1);
    EXPECT_NEAR(energy<LogNeoHookean>(F, nu), l.mu * (neo - log_j) + 0.5 * l.lambda * log_j * log_j,
                t);
    EXPECT_NEAR(energy<StableNeoHookean>(F, nu),
                l.mu * (neo - (J - 1)) + 0.5 * (l.mu + l.lambda) * (J - 1) * (J - 1), t);
    const double green = 0.5 * (a * a - 1);
    EXPECT_NEAR(energy<StVenantKirchhoff>(F, nu),
                3 * l.mu * green * green + 4.5 * l.lambda * green * green, t);
    EXPECT_NEAR(energy<FixedCorotated>(F, nu),
                3 * l.mu * (a - 1) * (a - 1) + 0.5 * l.lambda * (J - 1) * (J - 1), t);
    EXPECT_NEAR(energy<LinearCorotated>(F, nu), (3 * l.mu + 4.5 * l.lambda) * (a - 1) * (a - 1), t);
    EXPECT_NEAR(energy<LinearElastic>(F, nu), (3 * l.mu + 4.5 * l.lambda) * (a - 1) * (a - 1), t);
    EXPECT_NEAR(energy<MooneyRivlin>(F, nu),
                mu1 * (neo - log_j) + mu2 * (1.5 * (a * a * a * a - 1) - 2 * (J - 1)) +
                    0.5 * l.lambda * log_j * log_j,
                t);
  }
}

}  // namespace
}  // namespace haptos
