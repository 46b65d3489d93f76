// Batches of the element and contact kernels in either memory space: the same source on host and
// device. The device tests hold both against each other, and scripts/gpu_check times them.
#pragma once

#include "haptos/base/array.h"
#include "haptos/bodies/elastic/elastic_laws.h"

namespace haptos {

/// The part of a law that points evaluate, at n points.
struct ElasticBatch {
  ArrayView<const double> F;  ///< deformation gradients, row-major, (n, 9)
  ArrayView<double> energy;   ///< density [Pa], (n)
  ArrayView<double> stress;   ///< first Piola-Kirchhoff [Pa], (n, 9)
  ArrayView<double>
      tangent;  ///< projected tangent block of gradients (1,0,0), (0,1,0) [Pa], (n, 9)
};
/// @throws std::runtime_error for a device space in a build without CUDA
void evaluate_batch(ElasticLaw law, const ShearModuli<double>& mu, const ElasticBatch& batch);

/// Distance of n points and triangles, and the barrier of that distance.
struct ContactBatch {
  ArrayView<const double> points;  ///< (n, 12): p, a, b, c [m]
  double support = 1e-3;           ///< [m]
  ArrayView<double> distance;      ///< [m], (n)
  ArrayView<double> barrier;       ///< B, B', B'', (n, 3)
  ArrayView<double> hessian;       ///< of the distance, (n, 144)
};
void evaluate_batch(const ContactBatch& batch);

}  // namespace haptos
