// Laws of material points: energy, stress and tangent at a trial deformation, and what yields.
//
// The grid moves its nodes from X to x; a point's deformation follows with one gradient,
//
//   G = sum_i (x_i - X_i) grad w_i^T,   F = (I + G) F_n,   J = (1 + tr G) J_n,
//
// where F_n is the elastic part at the start of the step, with rotation R_n (polar).
//
//   corotated   e = sym(R_n^T F) - I:    psi = mu |e|^2 + lambda/2 (tr e)^2
//               P = 2 mu R_n e + lambda tr(e) R_n          quadratic: the rotation is lagged
//   liquid      p = K (J^-7 - 1):        psi = K/6 (J^-6 - 1) + K (J - 1)
//               convex in J; below J = 1/2 continued by its second-order expansion. K = rho c^2/7
//               with the speed of sound c
//   neo-Hookean psi = mu/2 (|F|^2 - 3 - 2 ln J) + lambda/2 ln^2 J,   J = det F
//               not convex; elastic_laws.h has it
//
// The first two have tangents of one form. With a_i of a node, the block of nodes j (row) and i is
//
//   alpha (a_i . a_j) I + beta a_i a_j^T + gamma a_j a_i^T.
//
// Sources: Zong et al. 2024 (arXiv 2403.13783), section IV (corotated, lagged); Monaghan 1994 and
// Tampubolon et al. 2017 (pressure of a weakly compressible liquid).
#pragma once

#include "haptos/bodies/elastic/elastic_kernel.h"

namespace haptos {

enum class ParticleLaw : std::uint8_t { kCorotated, kLiquid, kNeoHookean };

/// What a point is made of, with the energy per volume at rest.
struct ParticleMaterial {
  ParticleLaw law = ParticleLaw::kCorotated;
  Lame lame;               ///< [Pa]
  double bulk = 0;         ///< K of a liquid [Pa]
  double viscosity = 0;    ///< [Pa s]
  double yield = 0;        ///< largest |dev tau| (Frobenius) [Pa]; 0: none
  bool published = false;  ///< return mapping with the lagged rotation
};

/// The rotation of the polar decomposition, for any F.
inline Mat3d rotation_of(const Mat3d& F) {
  Mat3d U, V;
  Vec3d s;
  rotation_svd(F, U, s, V);
  return U * transpose(V);
}

/// psi and its derivatives by J of a liquid.
inline Curve<double> liquid_energy(double bulk, double J) {
  constexpr double kLeast = 0.5;
  const double at = vmax(J, kLeast), i = 1 / at, i2 = i * i, i6 = i2 * i2 * i2;
  const Curve<double> c = {bulk * ((i6 - 1) / 6 + at - 1), bulk * (1 - i6 * i), 7 * bulk * i6 * i2};
  const double d = J - at;
  return {c.value + d * (c.first + 0.5 * d * c.second), c.first + d * c.second, c.second};
}

/// alpha, beta and gamma of a point's tangent, times its volume.
struct IsoTangent {
  double alpha = 0, beta = 0, gamma = 0;
};

/// The elastic part F after what yields has flowed, so that |dev tau| <= eta with
/// tau = 2 mu (S - I) + ..., S the stretch: its deviator is scaled back and its trace kept.
///
/// published: S = sym(R_n^T F) with the rotation at the start of the step, and F is set to R V with
/// sym(R_n^T R V) = S (Zong et al. 2024, algorithm 1); what only turns by an angle a then appears
/// stretched by cos a. Otherwise S is the stretch of F itself, F = R S, which no rotation changes.
/// Of the neo-Hookean law, whose tau = mu (b - I) + ..., b = F F^T, the deviator of S^2 is scaled.
/// @param flow  receives how much of the deviator is gone (Frobenius); 0: it did not flow
/// @returns false where the published mapping has no answer: the step turned it by 84 degrees or
///          more; F is then mapped by its own stretch
bool map_back(const ParticleMaterial& material, const Mat3d& R_n, Mat3d& F, double& flow);

}  // namespace haptos
