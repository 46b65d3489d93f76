// Direct (block Cholesky) against iterative (multilevel PCG) on pads of composite tetrahedra: time
// and memory against nodes.
//
// Usage: bench_linear [largest nodes, default 30000] [threads, default 1] [relative residual,
// default 1e-8]
// The smaller of two runs; CPU time with one thread, else wall time. "first" is what a new pattern
// costs (symbolic factorisation; aggregates), "again" what every Newton iteration costs (factor and
// solve; values and PCG).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "haptos/base/parallel.h"
#include "haptos/solve/multilevel/linear_solver.h"
#include "tests/scenes/pad_system.h"

namespace haptos {
namespace {

// CPU time with one thread, so that other programs do not count; else wall time.
double now() {
  timespec t;
  clock_gettime(thread_count() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Cost {
  double first = 0, again = 1e300;
  double mebibytes = 0;
  int iterations = 0;
};

Cost measure(const test::PadSystem& pad, int method, double tolerance) {
  const BlockMatrix& a = pad.matrix();
  const auto n = static_cast<std::size_t>(a.pattern().scalar_count());
  std::vector<double> x(n);
  SolverOptions options;
  options.method = method;
  options.precision = SolverOptions::kDouble;  // the table is about methods
  options.tolerance = tolerance;
  LinearSolver solver;
  solver.configure(options);
  Cost c;
  double start = now();
  solver.analyze(a.shared_pattern());
  c.first = now() - start;
  for (int run = 0; run < 3; ++run) {
    for (std::size_t i = 0; i < n; ++i)
      x[i] = i % 3 == 2 ? -1.0 : std::sin(700 * pad.position[i / 3][0]);
    start = now();
    if (solver.wants_geometry()) solver.set_geometry(pad.near_null());
    if (!solver.solve(a, x.data(), tolerance, nullptr)) std::printf("not positive definite\n");
    // The first solve of the iterative one finds the aggregates too.
    if (run == 0)
      c.first += now() - start;
    else
      c.again = std::min(c.again, now() - start);
  }
  c.first = std::max(0.0, c.first - c.again);
  c.iterations = solver.iterations();
  c.mebibytes = static_cast<double>(solver.bytes()) / (1 << 20);
  return c;
}

}  // namespace
}  // namespace haptos

int main(int argc, char** argv) {
  using namespace haptos;
  const int largest = argc > 1 ? std::atoi(argv[1]) : 30000;
  set_thread_count(argc > 2 ? std::atoi(argv[2]) : 1);
  const double tolerance = argc > 3 ? std::atof(argv[3]) : 1e-8;
  std::printf("%5s %8s %8s %8s | %8s %8s %8s | %8s %8s %8s %5s\n", "nu", "tets", "nodes", "A MiB",
              "direct", "again s", "MiB", "PCG", "again s", "MiB", "iter");
  const int cells[][2] = {{8, 2}, {12, 3}, {16, 4}, {20, 5}, {24, 6}, {28, 7}, {32, 8}, {36, 9}};
  for (const double poisson : {0.3, 0.49})
    for (const auto& c : cells) {
      test::PadSystemSpec spec;
      spec.nx = spec.ny = c[0];
      spec.nz = c[1];
      spec.poisson = poisson;
      const int nodes = (2 * c[0] + 1) * (2 * c[0] + 1) * 2 * c[1];
      if (nodes > largest) break;
      const test::PadSystem pad(spec);
      const Cost d = measure(pad, SolverOptions::kDirect, tolerance);
      const Cost i = measure(pad, SolverOptions::kIterative, tolerance);
      std::printf("%5.2f %8d %8d %8.1f | %8.2f %8.3f %8.1f | %8.2f %8.3f %8.1f %5d\n", poisson,
                  pad.tets, pad.matrix().pattern().block_count(),
                  static_cast<double>(pad.matrix().pattern().value_count()) * 8 / (1 << 20),
                  d.first, d.again, d.mebibytes, i.first, i.again, i.mebibytes, i.iterations);
      std::fflush(stdout);
    }
  return 0;
}
