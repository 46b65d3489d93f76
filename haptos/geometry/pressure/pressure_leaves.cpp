#include "haptos/geometry/pressure/pressure_leaves.h"

#include "haptos/base/launch.h"

namespace haptos {
namespace {

// What is of no use here.
struct PatchesAlone {
  static constexpr bool kChoosing = false;
  HAPTOS_HD void cell() {}
  HAPTOS_HD void pressed(double, double) {}
  HAPTOS_HD bool keeps_triangles() const { return false; }
  HAPTOS_HD void triangle(const PressurePair::Corner&, const PressurePair::Corner&,
                          const PressurePair::Corner&) {}
};

struct CountSink : PatchesAlone {
  int count = 0;
  HAPTOS_HD void patch(const PressurePatch&) { ++count; }
};

struct WriteSink : PatchesAlone {
  PressurePatch* out = nullptr;
  HAPTOS_HD void patch(const PressurePatch& p) { *out++ = p; }
};

struct CountKernel {
  PressurePair pair;
  PressureGrid grid;
  ArrayView<PressureLeaf> leaf;
  ArrayView<int> count;
  HAPTOS_HD void operator()(std::ptrdiff_t i) const {
    CountSink sink;
    LeafCutter<CountSink> cutter(pair, grid, sink);
    cutter.cut(leaf[i]);
    count[i] = sink.count;
  }
};

struct WriteKernel {
  PressurePair pair;
  PressureGrid grid;
  ArrayView<PressureLeaf> leaf;
  ArrayView<int> first;
  ArrayView<PressurePatch> patch;
  HAPTOS_HD void operator()(std::ptrdiff_t i) const {
    WriteSink sink;
    sink.out = patch.data + first[i];
    LeafCutter<WriteSink> cutter(pair, grid, sink);
    cutter.cut(leaf[i]);
  }
};

struct SampleKernel {
  FieldView field;
  ArrayView<const double> place;
  ArrayView<double> phi;
  HAPTOS_HD void operator()(std::ptrdiff_t i) const {
    phi[i] = field.phi({{place[3 * i], place[3 * i + 1], place[3 * i + 2]}});
  }
};

}  // namespace

LeafKernels::LeafKernels(const DistanceField& own, const DistanceField& other, MemorySpace space)
    : space_(space),
      own_(own, space),
      other_(other, space),
      cases_(std::vector<CellPolygons>(&cell_polygons(0), &cell_polygons(0) + kCellCases), space) {}

std::vector<PressurePatch> LeafKernels::cut(const PressurePair& pair, const PressureGrid& grid,
                                            const std::vector<PressureLeaf>& leaves) const {
  PressurePair p = pair;
  Array<PressureLawView::Row> rows[3];
  PressureLawView* const laws[3] = {&p.law_own, &p.law_other, &p.law_both};
  for (int k = 0; k < 3 && p.by_table; ++k) {
    const PressureLawView::Row* of = laws[k]->rows;
    rows[k] = Array<PressureLawView::Row>({of, of + laws[k]->count}, space_);
    laws[k]->rows = rows[k].view().data;
  }
  PressureGrid g = grid;
  p.own = own_.view(), p.other = other_.view();
  g.cases = cases_.view().data;
  const Array<PressureLeaf> leaf(leaves, space_);
  const Array<int> count(leaf.size(), space_);
  launch(space_, leaf.size(), CountKernel{p, g, leaf.view(), count.view()});
  std::vector<int> first = count.to_host();
  int all = 0;
  for (int& n : first) {
    const int own = n;
    n = all, all += own;
  }
  const Array<int> starts(first, space_);
  const Array<PressurePatch> patch(all, space_);
  launch(space_, leaf.size(), WriteKernel{p, g, leaf.view(), starts.view(), patch.view()});
  return patch.to_host();
}

void sample_field(const KernelField& field, ArrayView<const double> places, ArrayView<double> phi) {
  launch(phi.space, phi.size, SampleKernel{field.view(), places, phi});
}

}  // namespace haptos
