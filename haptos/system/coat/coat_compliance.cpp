#include "haptos/system/coat/coat_compliance.h"

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"

namespace haptos {

void CoatCompliance::displace(const std::vector<int>& pressed, const std::vector<Vec3d>& force,
                              std::vector<Vec3d>& out) const {
  out.assign(rest.size(), Vec3d::zero());
  const std::size_t row = 3 * rest.size();
  for_each(
      nodes(),
      [&](std::ptrdiff_t i) {
        double u[3] = {0, 0, 0};
        for (int r = 0; r < 3; ++r) {
          const float* p = matrix.data() + (3 * at_index(i) + at_index(r)) * row;
          for (std::size_t k = 0; k < pressed.size(); ++k) {
            const float* c = p + 3 * at_index(pressed[k]);
            const Vec3d& f = force[k];
            u[r] = fma(double(c[0]), f[0], fma(double(c[1]), f[1], fma(double(c[2]), f[2], u[r])));
          }
        }
        out[at_index(i)] = {{u[0], u[1], u[2]}};
      },
      32);
}

}  // namespace haptos
