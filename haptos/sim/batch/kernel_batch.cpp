#include "haptos/sim/batch/kernel_batch.h"

#include "haptos/base/launch.h"
#include "haptos/bodies/elastic/elastic_point.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "haptos/geometry/query/distance.h"

namespace haptos {
namespace {

template <class Law>
struct ElasticKernel {
  ElasticBatch b;
  ShearModuli<double> mu;
  HAPTOS_HD void operator()(std::ptrdiff_t i) const {
    Mat3d F;
    for (int k = 0; k < 9; ++k) F[k] = b.F[9 * i + k];
    using Point = ElasticPoint<Law, double>;
    const Point point(F, mu, Point::measure(F));
    b.energy[i] = point.energy();
    const Mat3d P = point.stress(0.0);
    const Vec3d ga{{1, 0, 0}}, gb{{0, 1, 0}};
    const auto tangent = point.projected(1.0, 0.0);
    const Mat3d H = tangent.block(tangent.node(ga), tangent.node(gb));
    for (int k = 0; k < 9; ++k) {
      b.stress[9 * i + k] = P[k];
      b.tangent[9 * i + k] = H[k];
    }
  }
};

struct ContactKernel {
  ContactBatch b;
  HAPTOS_HD void operator()(std::ptrdiff_t i) const {
    Vec3d x[4];
    for (int k = 0; k < 12; ++k) x[k / 3][k % 3] = b.points[12 * i + k];
    const Stencil<double> s = point_triangle_stencil(x[0], x[1], x[2], x[3]);
    const BarrierValue<double> v = barrier(s.d, b.support);
    b.distance[i] = s.d;
    b.barrier[3 * i] = v.value;
    b.barrier[3 * i + 1] = v.first;
    b.barrier[3 * i + 2] = v.second;
    const Mat<double, 12, 12> h = distance_hessian(s, x[0], x[1], x[2], x[3]);
    for (int k = 0; k < 144; ++k) b.hessian[144 * i + k] = h[k];
  }
};

}  // namespace

void evaluate_batch(ElasticLaw law, const ShearModuli<double>& mu, const ElasticBatch& b) {
  with_law(law, [&](auto l) {
    launch(b.F.space, b.energy.size, ElasticKernel<decltype(l)>{b, mu});
  });
}

void evaluate_batch(const ContactBatch& b) {
  launch(b.points.space, b.distance.size, ContactKernel{b});
}

}  // namespace haptos
