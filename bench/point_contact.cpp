// Time of a step of rigid bodies in frozen point contact: a stack of ten boxes at rest, a wall of
// 27 boxes at rest, and 216 balls in a pile that falls apart. Per law of contact: 0 SAP, 1 lagged,
// 2 similar.
//
// Usage: bench_point_contact [--benchmark_filter=stack]    counters: Newton iterations and contacts
// per step; time is CPU time per step
#include <benchmark/benchmark.h>

#include <memory>

#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/contact/frozen/point/point_contact.h"
#include "tests/scenes/frozen_scene.h"
#include "tests/support.h"

namespace haptos {
namespace {

struct Bench {
  FrozenScene scene;
  std::vector<std::unique_ptr<Link>> links;
  std::vector<PointShape> shapes;
  PointContact* term = nullptr;

  Bench() {
    Shape plane;
    plane.kind = ShapeKind::kHalfSpace;
    shapes.push_back({CollisionShape(plane), {}});
  }
  void add(const Shape& shape, double mass, const Mat3d& inertia, const Vec3d& p,
           double stiffness) {
    RigidBodySpec spec;
    spec.mass = mass;
    spec.inertia = inertia;
    spec.pose.p = p;
    auto* body = scene.add(std::make_unique<RigidBody>(scene.next_slots(), spec));
    links.push_back(std::make_unique<LinkOf<RigidBody>>(body));
    PointShape s{CollisionShape(shape), {}, links.back().get()};
    s.stiffness = stiffness;
    s.relaxation_time = 0.01;
    s.dissipation = 20;
    s.friction = 0.5;
    shapes.push_back(s);
  }
  void add_box(const Vec3d& p) {
    Shape s;
    s.kind = ShapeKind::kBox;
    s.size = {{0.05, 0.05, 0.05}};
    add(s, 1, solid_box_inertia(1, {{0.1, 0.1, 0.1}}), p, 1e6);
  }
  void add_ball(const Vec3d& p) {
    Shape s;
    s.size[0] = 0.1;
    add(s, 10, solid_sphere_inertia(10, 0.1), p, 1e8);
  }
  void run(benchmark::State& state, double h, int first) {
    PointContactOptions law;
    law.law = static_cast<int>(state.range(0));
    term = scene.add_term(std::make_unique<PointContact>(shapes, law));
    scene.h = h;
    scene.start();
    for (int n = 0; n < first; ++n) scene.step();
    scene.iterations = 0;
    double contacts = 0;
    for (auto _ : state) {
      scene.step();
      contacts += static_cast<double>(term->contacts().size());
    }
    if (scene.status != 0) state.SkipWithError("a step did not converge");
    state.counters["iterations"] =
        benchmark::Counter(scene.iterations, benchmark::Counter::kAvgIterations);
    state.counters["contacts"] = benchmark::Counter(contacts, benchmark::Counter::kAvgIterations);
  }
};

void stack(benchmark::State& state) {
  Bench b;
  for (int i = 0; i < 10; ++i) b.add_box({{0, 0, 0.05 + 0.1 * i}});
  b.run(state, 5e-3, 200);
}
BENCHMARK(stack)->DenseRange(0, 2)->Unit(benchmark::kMicrosecond);

void wall(benchmark::State& state) {
  Bench b;
  for (int i = 0; i < 27; ++i)
    b.add_box({{0.102 * (i % 3), 0.102 * (i / 3 % 3), 0.05 + 0.1 * static_cast<double>(i / 9)}});
  b.run(state, 5e-3, 200);
}
BENCHMARK(wall)->DenseRange(0, 2)->Unit(benchmark::kMicrosecond);

// Steps 31 to 60: the pile begins to fall apart, and every contact may stick or slip.
void pile(benchmark::State& state) {
  Bench b;
  test::Random random(666);
  for (int i = 0; i < 216; ++i)
    b.add_ball(
        Vec3d{{0.21 * (i % 6), 0.21 * (i / 6 % 6), 0.101 + 0.21 * static_cast<double>(i / 36)}} +
        1e-3 * random.vector());
  b.run(state, 1e-2, 30);
}
BENCHMARK(pile)->DenseRange(0, 2)->Iterations(30)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace haptos
