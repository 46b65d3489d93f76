#include "haptos/bodies/particles/particle_law.h"

#include <Eigen/Dense>

namespace haptos {
namespace {

// Least cosine of the turn in a step for which the published mapping is solved.
constexpr double kLeastCosine = 0.1;

Mat3d symmetric(const Mat3d& m) { return 0.5 * (m + transpose(m)); }

// Scales the deviator of S back to a radius; returns by how much, 0: it lies within.
double scale_back(double radius, Mat3d& S) {
  const double mean = trace(S) / 3;
  const Mat3d dev = S - mean * Mat3d::identity();
  const double size = sqrt(inner(dev, dev));
  if (!(size > radius)) return 0;
  S = mean * Mat3d::identity() + (radius / size) * dev;
  return size - radius;
}

// The symmetric V with (Q V + V Q^T) / 2 = S; Q a rotation.
Mat3d solve_stretch(const Mat3d& Q, const Mat3d& S) {
  constexpr int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  Eigen::Matrix<double, 6, 6> A;
  Eigen::Matrix<double, 6, 1> s;
  for (int c = 0; c < 6; ++c) {
    Mat3d unit = Mat3d::zero();
    unit(at[c][0], at[c][1]) = unit(at[c][1], at[c][0]) = 1;
    const Mat3d image = symmetric(Q * unit);
    for (int r = 0; r < 6; ++r) A(r, c) = image(at[r][0], at[r][1]);
    s[c] = S(at[c][0], at[c][1]);
  }
  const Eigen::Matrix<double, 6, 1> v = A.partialPivLu().solve(s);
  Mat3d V;
  for (int c = 0; c < 6; ++c) V(at[c][0], at[c][1]) = V(at[c][1], at[c][0]) = v[c];
  return V;
}

// F with the deviator of its squared stretch scaled back to a radius.
double scale_squares(double radius, Mat3d& F) {
  Mat3d U, V;
  Vec3d s;
  rotation_svd(F, U, s, V);
  const Vec3d squares = {{s[0] * s[0], s[1] * s[1], s[2] * s[2]}};
  const double mean = (squares[0] + squares[1] + squares[2]) / 3;
  const Vec3d dev = squares - Vec3d{{mean, mean, mean}};
  const double size = norm(dev);
  if (!(size > radius)) return 0;
  Mat3d stretch = Mat3d::zero();
  for (int k = 0; k < 3; ++k) stretch(k, k) = sqrt(mean + radius / size * dev[k]);
  F = U * stretch * transpose(V);
  return 0.5 * (size - radius);
}

}  // namespace

bool map_back(const ParticleMaterial& material, const Mat3d& R_n, Mat3d& F, double& flow) {
  flow = 0;
  if (!(material.yield > 0)) return true;
  const double radius = material.yield / (2 * material.lame.mu);
  if (material.law == ParticleLaw::kNeoHookean) {
    flow = scale_squares(2 * radius, F);
    return true;
  }
  const Mat3d R = rotation_of(F);
  bool solvable = true;
  if (material.published) {
    Mat3d S = symmetric(transpose(R_n) * F);
    const Mat3d Q = transpose(R_n) * R;
    solvable = 0.5 * (trace(Q) - 1) > kLeastCosine;
    if (solvable) {
      flow = scale_back(radius, S);
      if (flow > 0) F = R * solve_stretch(Q, S);
      return true;
    }
  }
  Mat3d S = symmetric(transpose(R) * F);
  flow = scale_back(radius, S);
  if (flow > 0) F = R * S;
  return solvable;
}

}  // namespace haptos
