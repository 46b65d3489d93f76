// A product with the matrix of material points: with the matrix, and from the points without one.
//
// Usage: bench_point_product [cells along an edge, default 12] [seconds each, default 2]
// A cube of points, eight in a cell, quadratic B-splines, linear elasticity of Poisson's ratio .3,
// mass / dt^2 and a floor that pushes back. One thread, thread CPU time. The product without a
// matrix is written for speed: points of a cell together, eight in a lane, tangents as 45 numbers.
// Iterations of PCG to 1e-8 by the inverse of diagonal blocks, all that a solver without a matrix
// has at hand, and by the hierarchy that the matrix gives.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "haptos/base/parallel.h"
#include "haptos/solve/multilevel/multilevel.h"

namespace haptos {
namespace {

double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr int kPoints = 8;  // in a cell
constexpr int kNodes = 27;  // that a cell's points see
constexpr double kCell = .02, kYoung = 5e4, kPoisson = .3, kDensity = 1000, kStep = 2e-3;

inline std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// The points of one cell, numbers of a kind side by side.
struct Cell {
  int node[kNodes];
  double slope[kNodes][3][kPoints];  // of the weights [1/m]
  double tangent[45][kPoints];       // lower triangle of volume times dP/dF [N m]
};

struct Grid {
  explicit Grid(int cells) : n(cells), nodes(cells + 2) {}
  int n, nodes;
  int count() const { return nodes * nodes * nodes; }
  int node(int i, int j, int k) const { return (k * nodes + j) * nodes + i; }
};

// Weights and slopes of a quadratic B-spline's three nodes, f in (-.5, .5) from the middle one.
void spline(double f, double (&w)[3], double (&d)[3]) {
  w[0] = .5 * (.5 - f) * (.5 - f);
  w[1] = .75 - f * f;
  w[2] = .5 * (.5 + f) * (.5 + f);
  d[0] = f - .5;
  d[1] = -2 * f;
  d[2] = f + .5;
}

int packed(int a, int b) { return a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a; }

std::vector<Cell> fill(const Grid& g, std::vector<double>& mass) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> jitter(-.1, .1);
  const double volume = kCell * kCell * kCell / kPoints;
  const double mu = kYoung / (2 * (1 + kPoisson));
  const double lambda = kYoung * kPoisson / ((1 + kPoisson) * (1 - 2 * kPoisson));
  std::vector<Cell> cells(at(g.n) * at(g.n) * at(g.n));
  mass.assign(at(g.count()), 0);
  for (int k = 0; k < g.n; ++k)
    for (int j = 0; j < g.n; ++j)
      for (int i = 0; i < g.n; ++i) {
        Cell& c = cells[at((k * g.n + j) * g.n + i)];
        for (int a = 0; a < kNodes; ++a) c.node[a] = g.node(i + a % 3, j + a / 3 % 3, k + a / 9);
        for (int p = 0; p < kPoints; ++p) {
          double w[3][3], d[3][3];
          for (int e = 0; e < 3; ++e)
            spline(((p >> e & 1) != 0 ? .25 : -.25) + jitter(random), w[e], d[e]);
          for (int a = 0; a < kNodes; ++a) {
            const int x = a % 3, y = a / 3 % 3, z = a / 9;
            c.slope[a][0][p] = d[0][x] * w[1][y] * w[2][z] / kCell;
            c.slope[a][1][p] = w[0][x] * d[1][y] * w[2][z] / kCell;
            c.slope[a][2][p] = w[0][x] * w[1][y] * d[2][z] / kCell;
            mass[at(c.node[a])] += kDensity * volume * w[0][x] * w[1][y] * w[2][z];
          }
          for (int r = 0; r < 9; ++r)
            for (int s = 0; s <= r; ++s) {
              double t = r == s ? mu : 0;
              if (r / 3 == s % 3 && r % 3 == s / 3) t += mu;
              if (r / 3 == r % 3 && s / 3 == s % 3) t += lambda;
              c.tangent[packed(r, s)][p] = volume * t;
            }
        }
      }
  return cells;
}

std::shared_ptr<const BlockPattern> pattern_of(const Grid& g) {
  std::vector<std::array<int, 2>> couplings;
  for (int k = 0; k < g.nodes; ++k)
    for (int j = 0; j < g.nodes; ++j)
      for (int i = 0; i < g.nodes; ++i)
        for (int c = std::max(0, k - 2); c <= k; ++c)
          for (int b = std::max(0, j - 2); b < std::min(g.nodes, j + 3); ++b)
            for (int a = std::max(0, i - 2); a < std::min(g.nodes, i + 3); ++a)
              if (g.node(a, b, c) < g.node(i, j, k))
                couplings.push_back({g.node(i, j, k), g.node(a, b, c)});
  return std::make_shared<const BlockPattern>(std::vector<int>(at(g.count()), 3), couplings);
}

// Mass and floor, per scalar.
std::vector<double> diagonal_of(const Grid& g, const std::vector<double>& mass) {
  std::vector<double> d(3 * mass.size());
  const double floor = 100 * kYoung / kCell * kCell * kCell;
  for (int v = 0; v < g.count(); ++v)
    for (int e = 0; e < 3; ++e)
      d[at(3 * v + e)] = mass[at(v)] / (kStep * kStep) + (v < g.nodes * g.nodes ? floor : 0);
  return d;
}

void assemble(const std::vector<Cell>& cells, const std::vector<double>& diagonal, BlockMatrix& m) {
  m.set_zero();
  for (const Cell& c : cells)
    for (int a = 0; a < kNodes; ++a)
      for (int b = 0; b <= a; ++b) {
        double block[9] = {};
        for (int r = 0; r < 3; ++r)
          for (int s = 0; s < 3; ++s)
            for (int x = 0; x < 3; ++x)
              for (int y = 0; y < 3; ++y) {
                const double* t = c.tangent[packed(3 * r + x, 3 * s + y)];
                for (int p = 0; p < kPoints; ++p)
                  block[3 * r + s] += c.slope[a][x][p] * t[p] * c.slope[b][y][p];
              }
        m.add(c.node[a], c.node[b], block);
      }
  const BlockPattern& p = m.pattern();
  for (int v = 0; v < p.block_count(); ++v)
    for (int e = 0; e < 3; ++e) m.entry(p.diagonal(v))[4 * e] += diagonal[at(3 * v + e)];
}

void multiply(const std::vector<Cell>& cells, const std::vector<double>& diagonal, const double* x,
              double* y) {
  for (std::size_t i = 0; i < diagonal.size(); ++i) y[i] = diagonal[i] * x[i];
  for (const Cell& c : cells) {
    alignas(64) double f[9][kPoints] = {}, s[9][kPoints] = {};
    for (int a = 0; a < kNodes; ++a) {
      const double* v = x + 3 * c.node[a];
      for (int r = 0; r < 3; ++r)
        for (int e = 0; e < 3; ++e)
          for (int p = 0; p < kPoints; ++p) f[3 * r + e][p] += v[r] * c.slope[a][e][p];
    }
    for (int r = 0; r < 9; ++r)
      for (int q = 0; q <= r; ++q) {
        const double* t = c.tangent[packed(r, q)];
        for (int p = 0; p < kPoints; ++p) s[r][p] += t[p] * f[q][p];
        if (q < r)
          for (int p = 0; p < kPoints; ++p) s[q][p] += t[p] * f[r][p];
      }
    for (int a = 0; a < kNodes; ++a) {
      double* v = y + 3 * c.node[a];
      for (int r = 0; r < 3; ++r) {
        double sum[kPoints] = {};
        for (int e = 0; e < 3; ++e)
          for (int p = 0; p < kPoints; ++p) sum[p] += s[3 * r + e][p] * c.slope[a][e][p];
        v[r] += ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
      }
    }
  }
}

template <class F>
double best_of(double seconds, const F& f) {
  double best = 1e300;
  for (const double stop = now() + seconds; now() < stop;) {
    const double start = now();
    f();
    best = std::min(best, now() - start);
  }
  return best;
}

void run(int cells_along, double seconds) {
  const Grid g(cells_along);
  std::vector<double> mass;
  const std::vector<Cell> cells = fill(g, mass);
  const std::vector<double> diagonal = diagonal_of(g, mass);
  BlockMatrix m(pattern_of(g));
  const double assembly = best_of(seconds, [&] { assemble(cells, diagonal, m); });
  const std::size_t n = diagonal.size();
  std::vector<double> x(n), y(n), z(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>(i * i % 1009));
  const double with = best_of(seconds, [&] { m.multiply(x.data(), y.data()); });
  const double without = best_of(seconds, [&] { multiply(cells, diagonal, x.data(), z.data()); });
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(y[i]));
    apart = std::max(apart, std::abs(y[i] - z[i]));
  }
  const double points = static_cast<double>(cells.size()) * kPoints;
  std::printf("%.0f points, %zu unknowns; products agree to %.1e\n", points, n, apart / largest);
  std::printf("  %-32s %8.2f ns a point, %5.0f bytes a point\n", "product with the matrix",
              1e9 * with / points, 8 * static_cast<double>(m.pattern().value_count()) / points);
  std::printf("  %-32s %8.2f ns a point, %5.0f bytes a point\n", "product from the points",
              1e9 * without / points, sizeof(Cell) / double(kPoints));
  std::printf("  %-32s %8.2f ns a point (plain loops)\n", "assembly", 1e9 * assembly / points);

  Pcg pcg;
  BlockJacobi blocks;
  const bool made = blocks.setup(m);
  double start = now();
  const PcgResult by_blocks =
      made ? pcg.solve(m, blocks, x.data(), y.data(), 1e-8, 5000) : PcgResult{};
  const double block_time = now() - start;
  start = now();
  Multilevel hierarchy;
  std::vector<Vec3d> place;
  for (int v = 0; v < g.count(); ++v)
    place.push_back({kCell * (v % g.nodes), kCell * (v / g.nodes % g.nodes),
                     kCell * (v / (g.nodes * g.nodes))});
  const std::vector<char> is_node(at(g.count()), 1);
  if (!hierarchy.restructure(m, rigid_motions(m.pattern(), is_node, place, {}))) return;
  const double setup = now() - start;
  start = now();
  const PcgResult by_levels = pcg.solve(m, hierarchy, x.data(), y.data(), 1e-8, 5000);
  const double level_time = now() - start;
  std::printf("  %-32s %5d iterations, %8.2f ms\n", "PCG, diagonal blocks", by_blocks.iterations,
              1e3 * block_time);
  std::printf("  %-32s %5d iterations, %8.2f ms and %.2f ms of setup\n", "PCG, hierarchy",
              by_levels.iterations, 1e3 * level_time, 1e3 * setup);
}

}  // namespace
}  // namespace haptos

int main(int argc, char** argv) {
  haptos::set_thread_count(1);
  const int cells = argc > 1 ? std::max(2, std::atoi(argv[1])) : 12;
  haptos::run(cells, argc > 2 ? std::atof(argv[2]) : 2);
  return 0;
}
