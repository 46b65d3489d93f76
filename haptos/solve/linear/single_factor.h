// A Cholesky factor in single precision, made good in double: the preconditioner of a solve by
// conjugate gradients. The factor takes half the time and memory of one in double precision; each
// iteration leaves about (condition number x 6e-8) of the error.
//
// What a pivot of single precision is worth: the factor is that of A + E, |E_kk| <= n 2^-24 a_kk
// (Higham, Accuracy and Stability of Numerical Algorithms, 10.1). So a pivot below -.01 a_kk says
// for up to 1.6e5 updates that A is not positive definite; a smaller one says nothing.
#pragma once

#include "haptos/solve/linear/cholesky.h"
#include "haptos/solve/linear/pcg.h"

namespace haptos {

class SingleFactor final : public Preconditioner {
 public:
  /// Takes room for factors of the plan's pattern; the only member that allocates.
  void analyze(std::shared_ptr<const CholeskyPlan> plan);
  enum class Outcome {
    kFactored,
    kIndefinite,  ///< A is not positive definite
    kUnsure,      ///< nearly so or not at all: ask a factor in double precision
  };
  Outcome factor(const BlockMatrix& a);
  void apply(const double* r, double* z) override;
  std::size_t bytes() const override { return factor_.bytes(); }

 private:
  CholeskyOf<float> factor_;
  std::ptrdiff_t size_ = 0;
};

}  // namespace haptos
