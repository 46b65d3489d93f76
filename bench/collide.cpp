// Time of one pair of shapes, per kind of pair: contact samples of pairs that touch (overlap by
// 1 % of their size), distance of pairs apart; the broad phase.
#include <benchmark/benchmark.h>

#include <random>

#include "haptos/geometry/collide/collide.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/query/broad_phase.h"

namespace haptos {
namespace {

constexpr int kPairs = 256;

struct Pair {
  CollisionShape a, b;
  Pose pose_a, pose_b;
};

std::mt19937& rng() {
  static std::mt19937 g(1);
  return g;
}
double uniform(double lo, double hi) {
  return std::uniform_real_distribution<double>(lo, hi)(rng());
}
double normal() { return std::normal_distribution<double>()(rng()); }
Vec3d direction() { return normalized(Vec3d{{normal(), normal(), normal()}}); }

CollisionShape shape(ShapeKind kind, int hull_points) {
  Shape s;
  s.kind = kind;
  s.size = {{uniform(.05, .15), uniform(.05, .15), uniform(.05, .15)}};
  if (kind == ShapeKind::kHull) {
    auto m = std::make_shared<TriMesh>();
    for (int i = 0; i < hull_points; ++i) m->vertices.push_back(direction() * .1);
    s.mesh = m;
  }
  if (kind == ShapeKind::kHeightField) {
    auto f = std::make_shared<HeightField>();
    f->rows = f->columns = 101;
    f->spacing[0] = f->spacing[1] = .02;
    for (int i = 0; i < 101 * 101; ++i) f->height.push_back(uniform(0, 2e-3));
    s.field = f;
  }
  return CollisionShape(s);
}

// Pairs turned at random and pressed together by `press` of their size along a random line.
std::vector<Pair> touching(ShapeKind ka, ShapeKind kb, double press, int hull_points) {
  std::vector<Pair> pairs;
  for (int k = 0; k < kPairs; ++k) {
    Pair p{shape(ka, hull_points), shape(kb, hull_points), {}, {}};
    p.pose_a = {direction(), normalized(Quat{normal(), normal(), normal(), normal()})};
    if (kb == ShapeKind::kHalfSpace || kb == ShapeKind::kHeightField) {
      p.pose_a.p = {{uniform(-.2, .2), uniform(-.2, .2), 0}};
      p.pose_a.p[2] = -p.a.bounds(p.pose_a).lo[2] - press * p.a.convex().extent;
    } else {
      p.pose_b.q = normalized(Quat{normal(), normal(), normal(), normal()});
      const double size = p.a.convex().extent + p.b.convex().extent;
      p.pose_b.p = p.pose_a.p + direction() * 1.5 * size;
      const ShapeDistance d = distance(p.a, p.pose_a, p.b, p.pose_b);
      p.pose_b.p += d.n * (d.distance + press * size);
    }
    pairs.push_back(p);
  }
  return pairs;
}

void per_pair(benchmark::State& state, ShapeKind ka, ShapeKind kb, double press, int hull_points) {
  const auto pairs = touching(ka, kb, press, hull_points);
  std::vector<ContactSample> out;
  std::size_t samples = 0, rounds = 0;
  for (auto _ : state) {
    samples = 0;
    for (const Pair& p : pairs) {
      out.clear();
      collide(p.a, p.pose_a, p.b, p.pose_b, 1e-3, out);
      samples += out.size();
      benchmark::DoNotOptimize(out.data());
    }
    ++rounds;
  }
  state.counters["ns_per_pair"] = benchmark::Counter(
      1e-9 * kPairs, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["samples"] = static_cast<double>(samples) / kPairs;
}

void broad(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  std::vector<Aabb> boxes;
  const double side = std::cbrt(static_cast<double>(n));
  for (int i = 0; i < n; ++i) {
    const Vec3d p{{uniform(0, side), uniform(0, side), uniform(0, side)}};
    boxes.push_back(Aabb::of(p, p + Vec3d{{1, 1, 1}}));
  }
  BroadPhase phase;
  std::vector<std::array<int, 2>> out;
  for (auto _ : state) {
    phase.pairs(boxes, 0, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["pairs"] = static_cast<double>(out.size());
  state.counters["us_per_call"] = benchmark::Counter(
      1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

const int kRegistered = [] {
  const ShapeKind kinds[] = {ShapeKind::kSphere,   ShapeKind::kBox,       ShapeKind::kCapsule,
                             ShapeKind::kCylinder, ShapeKind::kCone,      ShapeKind::kEllipsoid,
                             ShapeKind::kHull,     ShapeKind::kHalfSpace, ShapeKind::kHeightField};
  const char* names[] = {"sphere",    "box",    "capsule",    "cylinder",    "cone",
                         "ellipsoid", "hull20", "half_space", "height_field"};
  for (int i = 0; i < 7; ++i)
    for (int j = i; j < 9; ++j)
      benchmark::RegisterBenchmark(
          (std::string(names[i]) + "/" + names[j] + "/touching").c_str(),
          [=](benchmark::State& s) { per_pair(s, kinds[i], kinds[j], .01, 20); });
  for (const int points : {20, 100, 500}) {
    const std::string name = "hull" + std::to_string(points) + "/hull" + std::to_string(points);
    benchmark::RegisterBenchmark((name + "/touching").c_str(), [=](benchmark::State& s) {
      per_pair(s, ShapeKind::kHull, ShapeKind::kHull, .01, points);
    });
    benchmark::RegisterBenchmark((name + "/apart").c_str(), [=](benchmark::State& s) {
      per_pair(s, ShapeKind::kHull, ShapeKind::kHull, -1e-4, points);
    });
  }
  benchmark::RegisterBenchmark("box/box/apart", [=](benchmark::State& s) {
    per_pair(s, ShapeKind::kBox, ShapeKind::kBox, -1e-4, 0);
  });
  return 0;
}();
BENCHMARK(broad)->Name("broad_phase")->Arg(100)->Arg(1000)->Arg(10000);

}  // namespace
}  // namespace haptos
