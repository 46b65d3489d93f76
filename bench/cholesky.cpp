// Block Cholesky on gel pads beside Eigen's simplicial factors and, where it is installed, CHOLMOD.
//
// Usage: bench_cholesky [folder with the pads] [seconds per system, default 2] [part of a name]
// Every solver runs in short slices in turn, one thread, thread CPU time; the smallest slice
// counts. "x" columns are peer time / our time; GFLOP/s divides our count of operations in all
// rows. Values: springs along edges plus a small mass.
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "haptos/base/parallel.h"
#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/mesh/tet_refine.h"
#include "haptos/solve/linear/cholesky.h"
#include "haptos/solve/linear/cholesky_plan.h"
#include "haptos/solve/linear/single_factor.h"

#ifdef HAPTOS_BENCH_CHOLMOD
#include <suitesparse/cholmod.h>
#endif

namespace haptos {
namespace {

using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Cliques of nodes that an element couples: 4 of a tetrahedron, 10 of a refined parent.
struct Case {
  std::string name;
  std::vector<Vec3d> points;
  std::vector<std::vector<int>> cliques;
};

Case tets(std::string name, const TetMesh& mesh) {
  Case c{std::move(name), mesh.vertices, {}};
  for (const Vec4i& t : mesh.tets) c.cliques.push_back({t[0], t[1], t[2], t[3]});
  return c;
}

Case macros(std::string name, const TetMesh& mesh) {
  const RefinedTets fine = refine(mesh);
  Case c{std::move(name), fine.mesh.vertices, {}};
  for (std::size_t p = 0; p < mesh.tets.size(); ++p) {
    std::vector<int> nodes;
    for (std::size_t k = 8 * p; k < 8 * p + 8; ++k)
      for (int i = 0; i < 4; ++i) nodes.push_back(fine.mesh.tets[k][i]);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    c.cliques.push_back(std::move(nodes));
  }
  return c;
}

BlockMatrix assemble(const Case& c) {
  std::vector<std::array<int, 2>> couplings;
  for (const auto& clique : c.cliques)
    for (int a : clique)
      for (int b : clique)
        if (a > b) couplings.push_back({a, b});
  BlockMatrix m(
      std::make_shared<const BlockPattern>(std::vector<int>(c.points.size(), 3), couplings));
  for (const auto& clique : c.cliques)
    for (int a : clique)
      for (int b : clique) {
        if (a <= b) continue;
        const auto& p = c.points[static_cast<std::size_t>(a)];
        const auto& q = c.points[static_cast<std::size_t>(b)];
        double d[3], length = 0, k[9], minus[9];
        for (int i = 0; i < 3; ++i) d[i] = p[i] - q[i];
        for (double v : d) length += v * v;
        for (int i = 0; i < 9; ++i) {
          k[i] = d[i / 3] * d[i % 3] / length + (i % 4 == 0 ? 0.1 : 0.0);
          minus[i] = -k[i];
        }
        m.add(a, a, k);
        m.add(b, b, k);
        m.add(a, b, minus);
      }
  m.add_diagonal(0.05);
  return m;
}

// Lower triangle, compressed columns.
Sparse scalar_matrix(const BlockMatrix& m) {
  const BlockPattern& p = m.pattern();
  std::vector<Eigen::Triplet<double, int>> t;
  for (int e = 0; e < p.entry_count(); ++e)
    for (int r = 0; r < p.size(p.row(e)); ++r)
      for (int c = 0; c < p.size(p.column(e)); ++c) {
        const int i = p.offset(p.row(e)) + r, j = p.offset(p.column(e)) + c;
        if (i >= j) t.emplace_back(i, j, m.entry(e)[r * p.size(p.column(e)) + c]);
      }
  Sparse s(p.scalar_count(), p.scalar_count());
  s.setFromTriplets(t.begin(), t.end());
  return s;
}

struct Solver {
  std::string name;
  std::function<void()> analyze, factor, solve;  // solve: x <- A^-1 b
  double best[3] = {1e30, 1e30, 1e30};
  double residual = 0;
};

void measure(std::vector<Solver>& solvers, double seconds) {
  constexpr double kSlice = 5e-4;
  for (Solver& s : solvers) {
    s.analyze();
    s.factor();
    s.solve();
  }
  for (int phase = 0; phase < 3; ++phase) {
    const double stop = now() + seconds * (phase == 1 ? 0.6 : 0.2);
    for (int round = 0; round < 3 || (now() < stop && round < 2000); ++round)
      for (Solver& s : solvers) {
        auto& f = phase == 0 ? s.analyze : (phase == 1 ? s.factor : s.solve);
        if (s.best[phase] < 2e-2) f();  // bring its data back into the cache
        int calls = 0;
        const double start = now();
        double end = start;
        while (end - start < kSlice) {
          f();
          ++calls;
          end = now();
        }
        s.best[phase] = std::min(s.best[phase], (end - start) / calls);
      }
    if (phase == 0)
      for (Solver& s : solvers) s.factor();
  }
}

#ifdef HAPTOS_BENCH_CHOLMOD
struct Cholmod {
  Cholmod(const Sparse& a, bool supernodal, const Eigen::VectorXd& b, Eigen::VectorXd& x) : x_(x) {
    cholmod_start(&common);
    common.supernodal = supernodal ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
    common.final_ll = 1;
    view.nrow = view.ncol = static_cast<std::size_t>(a.rows());
    view.nzmax = static_cast<std::size_t>(a.nonZeros());
    view.p = const_cast<int*>(a.outerIndexPtr());
    view.i = const_cast<int*>(a.innerIndexPtr());
    view.x = const_cast<double*>(a.valuePtr());
    view.stype = -1;
    view.itype = CHOLMOD_INT;
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = view.packed = 1;
    side.nrow = side.nzmax = side.d = static_cast<std::size_t>(a.rows());
    side.ncol = 1;
    side.x = const_cast<double*>(b.data());
    side.xtype = CHOLMOD_REAL;
    side.dtype = CHOLMOD_DOUBLE;
  }
  ~Cholmod() {
    cholmod_free_factor(&factor, &common);
    cholmod_free_dense(&result, &common);
    cholmod_free_dense(&y, &common);
    cholmod_free_dense(&e, &common);
    cholmod_finish(&common);
  }
  Cholmod(const Cholmod&) = delete;
  void analyze() {
    cholmod_free_factor(&factor, &common);
    factor = cholmod_analyze(&view, &common);
  }
  void factorize() { cholmod_factorize(&view, factor, &common); }
  void solve() {
    cholmod_solve2(CHOLMOD_A, factor, &side, nullptr, &result, nullptr, &y, &e, &common);
    const double* r = static_cast<const double*>(result->x);
    std::copy(r, r + side.nrow, x_.data());
  }
  cholmod_common common;
  cholmod_sparse view{};
  cholmod_dense side{};
  cholmod_factor* factor = nullptr;
  cholmod_dense *result = nullptr, *y = nullptr, *e = nullptr;
  Eigen::VectorXd& x_;
};
#endif

void run(const Case& c, double seconds) {
  const BlockMatrix m = assemble(c);
  const Sparse a = scalar_matrix(m);
  const Eigen::Index n = a.rows();
  Eigen::VectorXd b(n), x(n);
  for (Eigen::Index i = 0; i < n; ++i) b[i] = std::sin(static_cast<double>(i * i % 1009));

  BlockCholesky ours;
  Eigen::SimplicialLDLT<Sparse> ldlt;
  Eigen::SimplicialLLT<Sparse> llt;
  std::vector<Solver> solvers;
  solvers.push_back({"haptos", [&] { ours.analyze(m.shared_pattern()); }, [&] { ours.factor(m); },
                     [&] {
                       x = b;
                       ours.solve(x.data());
                     }});
  // Its solve is one by conjugate gradients to 1e-10.
  SingleFactor single;
  Pcg pcg;
  int iterations = 0;
  solvers.push_back(
      {"haptos, single",
       [&] { single.analyze(std::make_shared<CholeskyPlan>(m.shared_pattern())); },
       [&] { single.factor(m); },
       [&] { iterations = pcg.solve(m, single, b.data(), x.data(), 1e-10, 20).iterations; }});
  const bool eigen = n < 25000;  // minutes beyond
  if (eigen) {
    solvers.push_back({"Eigen LDLT", [&] { ldlt.analyzePattern(a); }, [&] { ldlt.factorize(a); },
                       [&] { x = ldlt.solve(b); }});
    solvers.push_back({"Eigen LLT", [&] { llt.analyzePattern(a); }, [&] { llt.factorize(a); },
                       [&] { x = llt.solve(b); }});
  }
#ifdef HAPTOS_BENCH_CHOLMOD
  Cholmod simplicial(a, false, b, x), supernodal(a, true, b, x);
  if (eigen)
    solvers.push_back({"CHOLMOD simpl.", [&] { simplicial.analyze(); },
                       [&] { simplicial.factorize(); }, [&] { simplicial.solve(); }});
  solvers.push_back({"CHOLMOD super.", [&] { supernodal.analyze(); },
                     [&] { supernodal.factorize(); }, [&] { supernodal.solve(); }});
#endif
  measure(solvers, seconds);
  std::printf("\n%s: %d blocks, %d couplings, %d unknowns; nnz(L) %.3g, %.4g Mflop, %d fronts\n",
              c.name.c_str(), m.pattern().block_count(),
              m.pattern().entry_count() - m.pattern().block_count(), static_cast<int>(n),
              static_cast<double>(ours.nonzeros()), 1e-6 * ours.flops(),
              static_cast<int>(ours.plan()->nodes.size()));
  std::printf("  single precision: %d iterations to 1e-10\n", iterations);
  std::printf("  %-15s %11s %8s %11s %8s %9s %11s %8s %10s\n", "", "analyze us", "x", "factor us",
              "x", "GFLOP/s", "solve us", "x", "residual");
  for (Solver& s : solvers) {
    s.solve();
    std::vector<double> y(static_cast<std::size_t>(n));
    m.multiply(x.data(), y.data());
    double worst = 0;
    for (Eigen::Index i = 0; i < n; ++i)
      worst = std::max(worst, std::abs(y[static_cast<std::size_t>(i)] - b[i]));
    std::printf("  %-15s %11.1f %8.2f %11.2f %8.2f %9.2f %11.2f %8.2f %10.1e\n", s.name.c_str(),
                1e6 * s.best[0], s.best[0] / solvers[0].best[0], 1e6 * s.best[1],
                s.best[1] / solvers[0].best[1], 1e-9 * ours.flops() / s.best[1], 1e6 * s.best[2],
                s.best[2] / solvers[0].best[2], worst);
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace haptos

int main(int argc, char** argv) {
  using namespace haptos;
  const std::filesystem::path folder = argc > 1 ? argv[1] : "../shared/data";
  const double seconds = argc > 2 ? std::atof(argv[2]) : 2;
  const std::string only = argc > 3 ? argv[3] : "";
  set_thread_count(1);
  const auto wanted = [&](const std::string& name) { return name.find(only) != std::string::npos; };
  for (const char* name : {"pads/pad_20x25x4mm_139v.vtk", "pads/pad_40x40mm_1e-05.vtk",
                           "pads/pad_40x40mm_1e-07.vtk", "soft/teddy_410v.vtk"}) {
    if (!std::filesystem::exists(folder / name)) {
      std::printf("%s: not found, left out\n", name);
      continue;
    }
    const TetMesh mesh = read_volume(folder / name);
    if (wanted(name)) run(tets(name, mesh), seconds);
    if (wanted(std::string(name) + " refined"))
      run(macros(std::string(name) + " refined", mesh), seconds);
  }
  // Structured pads of about 1e3, 5e3 and 2e4 nodes.
  const int cells[][3] = {{14, 14, 4}, {28, 28, 5}, {50, 50, 7}};
  for (const auto& n : cells) {
    const std::string name =
        "box " + std::to_string((n[0] + 1) * (n[1] + 1) * (n[2] + 1)) + " nodes";
    if (wanted(name)) run(tets(name, box_pad(BoxPadShape{}, n[0], n[1], n[2]).mesh), seconds);
  }
  return 0;
}
