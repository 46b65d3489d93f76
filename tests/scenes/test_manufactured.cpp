// A manufactured solution: a smooth displacement of finite strain is made the equilibrium of a cube
// by a body force, and the error of the discrete solution is measured under refinement.
//
// The body force b = -Div P(grad u) enters as the nodal loads  f_a = int N_a b dV = int P grad N_a
// dV (N_a vanishes on the boundary, where u is given; N_a are the hat functions of the mesh whose
// vertices carry the unknowns, for the composite element the refined one). The second form needs no
// derivative of P; it is integrated by a rule of degree five, so the discrete solution is compared
// with exactly this problem for any law.
//
// The deformation is a composition of maps of the unit cube,
//
//   x += c sin(pi x) cos(pi y),   then  x += A sin(pi y) sin(pi z),  y += A sin(pi z) sin(pi x),
//   z += A sin(pi x) sin(pi y),   c = (1 - 2 nu) A:
//
// the last three keep volume exactly, at finite strain; the first carries a pressure that stays
// bounded as nu nears 1/2. So an error that grows with nu is locking.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/scenes/elastic_problem.h"

namespace haptos {
namespace {

using test::ElasticProblem;

constexpr double kPi = 3.14159265358979323846;
constexpr double kAmplitude = 0.08;  // of the cube's side: shears up to 0.4

struct Exact {
  double poisson;
  bool keeps_volume = true;  ///< false: the maps are added up and not composed, so J - 1 ~ A^2 pi^2
  double amplitude = kAmplitude;

  // Position x and gradient F = dx/dX.
  void map(const Vec3d& X, Vec3d& x, Mat3d& F) const {
    const double c = (1 - 2 * poisson) * amplitude;
    x = X;
    F = Mat3d::identity();
    add(0, c * std::sin(kPi * x[0]) * std::cos(kPi * x[1]),
        {{c * kPi * std::cos(kPi * x[0]) * std::cos(kPi * x[1]),
          -c * kPi * std::sin(kPi * x[0]) * std::sin(kPi * x[1]), 0}},
        x, F);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const Vec3d y = keeps_volume ? x : X;
      Vec3d g = Vec3d::zero();
      g[j] = amplitude * kPi * std::cos(kPi * y[j]) * std::sin(kPi * y[k]);
      g[k] = amplitude * kPi * std::sin(kPi * y[j]) * std::cos(kPi * y[k]);
      if (!keeps_volume) g = transpose(inverse(F)) * g;
      add(i, amplitude * std::sin(kPi * y[j]) * std::sin(kPi * y[k]), g, x, F);
    }
  }
  Vec3d displacement(const Vec3d& X) const {
    Vec3d x;
    Mat3d F;
    map(X, x, F);
    return x - X;
  }
  Mat3d gradient(const Vec3d& X) const {
    Vec3d x;
    Mat3d F;
    map(X, x, F);
    return F;
  }

 private:
  // x_i += f(x), whose gradient by x is g.
  static void add(int i, double f, const Vec3d& g, Vec3d& x, Mat3d& F) {
    const Vec3d row = transpose(F) * g;
    for (int j = 0; j < 3; ++j) F(i, j) += row[j];
    x[i] += f;
  }
};

Mat3d stress(const Mat3d& F, const Lame& l, int law) {
  const double J = det(F);
  const double w =
      law == 0 ? (-l.mu + l.lambda * std::log(J)) / J : l.mu * (J - 2) + l.lambda * (J - 1);
  return F * l.mu + cofactor(F) * w;
}

// Calls f(X, weight) at the fourteen points of a rule of degree five (Walkington) on a tetrahedron.
template <class F>
void integrate(const Vec3d x[4], const F& f) {
  const double volume = det(columns(x[1] - x[0], x[2] - x[0], x[3] - x[0])) / 6;
  auto at = [&](const double b[4]) {
    return b[0] * x[0] + b[1] * x[1] + b[2] * x[2] + b[3] * x[3];
  };
  const double corner[2][2] = {{0.31088591926330060980, 0.11268792571801585080},
                               {0.09273525031089122640, 0.07349304311636194934}};
  for (const auto& [a, w] : corner)
    for (int k = 0; k < 4; ++k) {
      double b[4] = {a, a, a, a};
      b[k] = 1 - 3 * a;
      f(at(b), w * volume);
    }
  const double a = 0.04550370412564964949;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) {
      double b[4] = {0.5 - a, 0.5 - a, 0.5 - a, 0.5 - a};
      b[i] = b[j] = a;
      f(at(b), 0.04254602077708146686 * volume);
    }
}

struct Errors {
  double l2 = 0;     ///< of the piecewise linear field, relative to |u|
  double nodes = 0;  ///< root mean square over vertices by mass, relative
  int unknowns = 0;
};

Errors solve(Element element, int law, const Exact& exact, int n) {
  Material m;
  m.young = 1e5;
  m.poisson = exact.poisson;
  m.law = law;
  const Lame l = lame(m.young, m.poisson);
  const Vec3d size{{1, 1, 1}};
  ElasticProblem p(test::jittered_box(size, {{n, n, n}}, 0.15, 7), element, m,
                   [&](const Vec3d& x) { return test::on_box(x, size); });
  const TetMesh& mesh = p.model.rest;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    p.set_target(static_cast<int>(v), mesh.vertices[v] + exact.displacement(mesh.vertices[v]));
  for (const Vec4i& t : mesh.tets) {
    Vec3d x[4];
    for (int a = 0; a < 4; ++a) x[a] = mesh.vertices[at_index(t[a])];
    const Mat3d b = transpose(inverse(columns(x[1] - x[0], x[2] - x[0], x[3] - x[0])));
    Mat3d mean = Mat3d::zero();  // int P dV
    integrate(x, [&](const Vec3d& X, double w) { mean += stress(exact.gradient(X), l, law) * w; });
    for (int a = 0; a < 3; ++a) {
      const Vec3d f = mean * column(b, a);
      p.loads.force[at_index(t[a + 1])] += f;
      p.loads.force[at_index(t[0])] -= f;
    }
  }
  const std::vector<Vec3d> u = p.solve(1e-9);
  EXPECT_EQ(p.report.status, 0u) << n;
  // Nowhere is a tetrahedron near inversion in the end: the element is as written, without barrier.
  EXPECT_GT(smallest_volume_ratio(*p.elements, p.points.x), kInversionSupport) << n;
  Errors e;
  e.unknowns = p.unknown_count();
  double error = 0, scale = 0, node_error = 0, node_scale = 0;
  for (const Vec4i& t : mesh.tets) {
    Vec3d x[4];
    for (int a = 0; a < 4; ++a) x[a] = mesh.vertices[at_index(t[a])];
    const Mat3d to_barycentric = inverse(columns(x[1] - x[0], x[2] - x[0], x[3] - x[0]));
    integrate(x, [&](const Vec3d& X, double w) {
      const Vec3d b = to_barycentric * (X - x[0]);
      Vec3d uh = (1 - b[0] - b[1] - b[2]) * u[at_index(t[0])];
      for (int a = 0; a < 3; ++a) uh += b[a] * u[at_index(t[a + 1])];
      error += w * squared_norm(uh - exact.displacement(X));
      scale += w * squared_norm(exact.displacement(X));
    });
  }
  for (std::size_t v = 0; v < u.size(); ++v) {
    const Vec3d ue = exact.displacement(mesh.vertices[v]);
    node_error += p.elements->node_mass[v] * squared_norm(u[v] - ue);
    node_scale += p.elements->node_mass[v] * squared_norm(ue);
  }
  e.l2 = std::sqrt(error / scale);
  e.nodes = std::sqrt(node_error / node_scale);
  return e;
}

const char* name_of(Element e) { return e == Element::kLinear ? "linear" : "composite"; }

// Errors for n, 2 n, 4 n, ... cells along a side.
std::vector<Errors> refine(Element element, int law, const Exact& exact, int n, int levels) {
  std::vector<Errors> e;
  for (int k = 0; k < levels; ++k) {
    const int cells = n << k;
    e.push_back(solve(element, law, exact, cells));
    std::printf("FIGURE %s.%s.law%d.nu%.4g.n%d = %.4e L2 and %.4e at vertices, %d unknowns",
                exact.keeps_volume ? "manufactured" : "pressure", name_of(element), law,
                exact.poisson, cells, e.back().l2, e.back().nodes, e.back().unknowns);
    if (k > 0)
      std::printf(", order %.2f and %.2f", std::log2(e[at_index(k) - 1].l2 / e.back().l2),
                  std::log2(e[at_index(k) - 1].nodes / e.back().nodes));
    std::printf("\n");
  }
  return e;
}

double order(const std::vector<Errors>& e, std::size_t k) {
  return std::log2(e[k].l2 / e[k + 1].l2);
}

TEST(Manufactured, CompositeElementHasOrderTwoAtEveryPoissonRatio) {
  const std::vector<Errors> soft = refine(Element::kComposite, 0, {0.3}, 4, 2);
  const std::vector<Errors> stiff = refine(Element::kComposite, 0, {0.49}, 4, 2);
  EXPECT_NEAR(order(soft, 0), 2, 0.15);
  EXPECT_NEAR(order(stiff, 0), 2, 0.15);
  EXPECT_LE(stiff[1].l2, 1.25 * soft[1].l2);
  // With as many unknowns, the linear element errs more, and more so as nu nears 1/2.
  const std::vector<Errors> linear = refine(Element::kLinear, 0, {0.3}, 8, 2);
  const std::vector<Errors> locked = refine(Element::kLinear, 0, {0.49}, 8, 2);
  EXPECT_EQ(linear[1].unknowns, soft[1].unknowns);
  EXPECT_NEAR(order(linear, 0), 2, 0.15);
  EXPECT_LE(order(locked, 0), 1.8);
  EXPECT_GE(locked[1].l2, 1.4 * linear[1].l2);
}

// Where Newton starts far away, it asks single tetrahedra of an element to be crushed, and the law,
// which sees the element's volume, does not object. Without the inversion barrier the cap that
// keeps them from inverting ends the step.
TEST(Manufactured, TetrahedraThatArriveSoundAreNotCrushedOnTheWay) {
  for (const int law : {0, 1}) {
    const Errors e = solve(Element::kComposite, law, {0.4999, true, 0.18}, 5);
    EXPECT_LT(e.l2, 0.03) << law;
  }
}

TEST(FullManufactured, ErrorsAndOrdersOfBothElementsAndLaws) {
  for (const int law : {0, 1})
    for (const double nu : {0.3, 0.49, 0.499}) {
      const std::vector<Errors> c = refine(Element::kComposite, law, {nu}, 2, 4);
      EXPECT_NEAR(order(c, 2), 2, 0.15) << nu;
      refine(Element::kLinear, law, {nu}, 4, 3);
    }
}

// The limit of one volume ratio per element: a field whose volume changes by A^2 pi^2 at nu 0.49
// has pressures of several shear moduli, which vary over the cube. Both elements know them only as
// a constant per element, and the composite one is twice as large for the same unknowns.
TEST(FullManufactured, PressuresOfSeveralShearModuliCostTheCompositeElementItsLead) {
  const std::vector<Errors> c = refine(Element::kComposite, 0, {0.49, false}, 4, 3);
  const std::vector<Errors> l = refine(Element::kLinear, 0, {0.49, false}, 8, 2);
  EXPECT_GE(order(c, 1), 1.7);
  EXPECT_LE(c[1].l2, 4 * l[1].l2);
}

}  // namespace
}  // namespace haptos
