// Time of the dynamics of kinematic trees, per environment: one environment at a time, and four or
// eight in the lanes of a pack. Every time holds the kinematics at new coordinates.
//
// Usage: bench_tree [--benchmark_filter=aba]     "time per environment" is the counter ns
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "haptos/base/math/lanes.h"
#include "haptos/bodies/tree/tree_dynamics.h"

namespace haptos {
namespace {

// Random mass properties; joints turn about random axes, as no robot allows to exploit more.
class Builder {
 public:
  Robot robot;

  int add(int parent, JointKind kind) {
    RobotLink l;
    l.mass = 1.5 + u_(rng_);
    l.centre = {{0.1 * u_(rng_), 0.1 * u_(rng_), 0.1 * u_(rng_)}};
    l.inertia = {{0.010, 0, 0, 0, 0.014, 0, 0, 0, 0.020}};
    RobotJoint j;
    j.kind = kind;
    j.parent = parent;
    j.child = static_cast<int>(robot.links.size());
    j.frame.p = {{0.2 * u_(rng_), 0.2 * u_(rng_), 0.2 * u_(rng_)}};
    j.frame.q = rotation_by({{u_(rng_), u_(rng_), u_(rng_)}});
    j.axis = normalized(Vec3d{{u_(rng_), u_(rng_), u_(rng_)}});
    j.armature = kind == JointKind::kRevolute ? 0.01 : 0;
    robot.links.push_back(l);
    robot.joints.push_back(j);
    return j.child;
  }
  void chain(int parent, int count) {
    for (int i = 0; i < count; ++i) parent = add(parent, JointKind::kRevolute);
  }

 private:
  std::mt19937 rng_{1};
  std::uniform_real_distribution<double> u_{-1, 1};
};

// 0: an arm of 7; 1: a quadruped, free base and four legs of 3; 2: a humanoid, free base, two legs
// of 6, a waist of 1 with two arms of 4.
Tree make(int which) {
  Builder b;
  if (which == 0) b.chain(-1, 7);
  if (which > 0) b.add(-1, JointKind::kFree);
  for (int leg = 0; which == 1 && leg < 4; ++leg) b.chain(0, 3);
  if (which == 2) {
    for (int leg = 0; leg < 2; ++leg) b.chain(0, 6);
    const int waist = b.add(0, JointKind::kRevolute);
    for (int arm = 0; arm < 2; ++arm) b.chain(waist, 4);
  }
  return compile_tree(b.robot);
}

template <class T>
struct Input {
  Tree tree;
  TreeData<T> data;
  std::vector<T> q, v, a, tau, m;
  Vec3<T> gravity{{T(0), T(0), T(-9.81)}};

  explicit Input(int which) : tree(make(which)), data(tree) {
    std::mt19937 rng(2);
    std::uniform_real_distribution<double> u(-1, 1);
    const auto number = [&] { return T(u(rng)); };
    for (double x : tree.start) q.push_back(T(x) + T(0.5) * number());
    for (int k = 0; k < tree.v_count; ++k) {
      v.push_back(number());
      a.push_back(number());
      tau.push_back(number());
    }
    m.resize(v.size() * v.size());
  }
};

template <class T, class F>
void run(benchmark::State& state, const F& work) {
  Input<T> in(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    update(in.tree, in.q.data(), in.data);
    work(in);
    benchmark::DoNotOptimize(in.a.data());
    benchmark::ClobberMemory();
  }
  state.SetLabel(std::string(state.range(0) == 0   ? "arm"
                             : state.range(0) == 1 ? "quadruped"
                                                   : "humanoid") +
                 ", " + std::to_string(in.tree.v_count) + " unknowns");
  state.counters["ns"] =
      benchmark::Counter(1e-9 * static_cast<double>(state.iterations()) * ScalarTraits<T>::kLanes,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <class T>
void kinematics(benchmark::State& state) {
  run<T>(state, [](Input<T>&) {});
}
template <class T>
void rnea(benchmark::State& state) {
  run<T>(state, [](Input<T>& in) {
    rnea<T>(in.tree, in.data, in.v.data(), in.a.data(), in.gravity, nullptr, in.tau.data());
  });
}
template <class T>
void crba(benchmark::State& state) {
  run<T>(state, [](Input<T>& in) { crba<T>(in.tree, in.data, in.m.data()); });
}
template <class T>
void aba(benchmark::State& state) {
  run<T>(state, [](Input<T>& in) {
    aba<T>(in.tree, in.data, in.v.data(), in.tau.data(), in.gravity, nullptr, in.a.data());
  });
}

using Pack4 = Pack<double, 4>;
using Pack8 = Pack<double, 8>;
#define HAPTOS_TREE_BENCHMARK(F)          \
  BENCHMARK(F<double>)->DenseRange(0, 2); \
  BENCHMARK(F<Pack4>)->DenseRange(0, 2);  \
  BENCHMARK(F<Pack8>)->DenseRange(0, 2)
HAPTOS_TREE_BENCHMARK(kinematics);
HAPTOS_TREE_BENCHMARK(rnea);
HAPTOS_TREE_BENCHMARK(crba);
HAPTOS_TREE_BENCHMARK(aba);

}  // namespace
}  // namespace haptos
