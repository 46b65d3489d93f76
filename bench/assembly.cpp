// Time per element of the elastic term, per sample of the search for closest features, and per
// active pair of the barrier: the parts of one Newton iteration beside the linear solve.
#include <benchmark/benchmark.h>

#include "haptos/base/parallel.h"
#include "haptos/bodies/elastic/elastic.h"
#include "haptos/contact/live/barrier/closest_features.h"
#include "haptos/contact/live/pairs/stencil_pair.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"

namespace {

using namespace haptos;

struct Elastic {
  Points points;
  SoftModel model;
  std::shared_ptr<SoftElements> elements;
  std::unique_ptr<Term> term;
  Assembly assembly;

  explicit Elastic(Element element) {
    set_thread_count(1);
    SoftBody body;
    body.name = "pad";
    body.mesh = box_pad(BoxPadShape{}, 10, 12, 3).mesh;
    body.element = element;
    model = compile_soft(body);
    int block = 0;
    for (const Vec3d& x : model.start) points.add_node(block++, 0, 0, x * 1.01);
    points.finish_permanent();
    elements = std::make_shared<SoftElements>(points, model, 0, body.material);
    term = make_elastic_term(elements, ElasticLaw::kLogNeoHookean);
    std::vector<std::array<int, 2>> couplings;
    term->couplings(points, Coupled::kAlways, couplings);
    assembly.reset(std::make_shared<BlockPattern>(
        std::vector<int>(static_cast<std::size_t>(block), 3), couplings));
  }

  void evaluate(bool hessian, bool project) {
    term->refresh(points, Sampling::kAnew);
    assembly.begin(points, hessian, nullptr);
    Evaluation e;
    e.points = &points;
    e.assembly = &assembly;
    e.project = project;
    benchmark::DoNotOptimize(term->evaluate(e));
  }
};

void run_elastic(benchmark::State& state, Element element, bool hessian, bool project) {
  Elastic c(element);
  for (auto _ : state) c.evaluate(hessian, project);
  const auto tets = static_cast<double>(c.elements->tets.size());
  state.counters["ns/tet"] = benchmark::Counter(
      tets * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(run_elastic, linear_gradient, Element::kLinear, false, false);
BENCHMARK_CAPTURE(run_elastic, linear_hessian, Element::kLinear, true, false);
BENCHMARK_CAPTURE(run_elastic, linear_projected, Element::kLinear, true, true);
BENCHMARK_CAPTURE(run_elastic, composite_gradient, Element::kComposite, false, false);
BENCHMARK_CAPTURE(run_elastic, composite_hessian, Element::kComposite, true, false);
BENCHMARK_CAPTURE(run_elastic, composite_projected, Element::kComposite, true, true);

// A point just above a finely meshed plane, with the triangles within a margin as candidates.
void closest(benchmark::State& state) {
  const TriMesh plane = box({{1e-2, 1e-2, 1e-2}}, {{50, 50, 1}});
  Points points;
  std::vector<int> ids;
  for (const Vec3d& x : plane.vertices) ids.push_back(points.add_driven(0, 0, x));
  const ContactSurface surface(plane, ids, 0, 0, true);
  const Vec3d p{{0.31e-3, 0.17e-3, 5e-3 + 1e-5}};
  std::vector<int> near;
  for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t)
    if (surface.cell_box(points.x, t).inflated(1e-4).contains(p)) near.push_back(t);
  std::vector<SeenFeature> seen;
  for (auto _ : state) {
    seen.clear();
    closest_features(surface, points.x, p, near, 2e-5, seen);
    benchmark::DoNotOptimize(seen.data());
  }
  state.counters["candidates"] = static_cast<double>(near.size());
}
BENCHMARK(closest);

void pair(benchmark::State& state) {
  Points points;
  points.add_node(0, 0, 0, {{0.2e-3, 0.2e-3, 1e-5}});
  for (const Vec3d& x : {Vec3d{{0, 0, 0}}, Vec3d{{1e-3, 0, 0}}, Vec3d{{0, 1e-3, 0}}})
    points.add_driven(1, 0, x);
  Assembly assembly;
  assembly.reset(std::make_shared<BlockPattern>(std::vector<int>{3}));
  BarrierPair p;
  p.source.count = 1;
  p.source.point[0] = 0;
  p.source.weight[0] = 1;
  p.target_count = 3;
  for (int k = 0; k < 3; ++k) p.target[k] = k + 1;
  p.gap = 1e-5;
  p.scale = 1;
  p.rigid_target = true;
  assembly.begin(points, true, nullptr);
  for (auto _ : state) benchmark::DoNotOptimize(evaluate_pair(p, 2e-5, points, &assembly, false));
}
BENCHMARK(pair);

}  // namespace
