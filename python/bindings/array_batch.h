// Several numpy arrays that go together row by row: each has axes of its own at the end, and
// leading axes that broadcast.
#pragma once

#include "bind.h"

namespace haptos::python {

using Numbers = nb::ndarray<nb::numpy, double, nb::c_contig>;

class ArrayBatch {
 public:
  /// Adds an argument whose last axes are `own`: (nq), or (links, 6); `what` names it in errors.
  void add(const nb::object& array, const std::vector<std::size_t>& own, const char* what);
  /// Lays the arguments out row by row; an error where their leading axes do not go together.
  void finish();
  /// Row i of an argument, after finish().
  const double* row(std::size_t argument, std::size_t i) const {
    return rows_[argument].data() + i * widths_[argument];
  }

  std::vector<std::size_t> lead;  ///< leading axes of all together
  std::size_t count = 1;          ///< of rows

 private:
  struct Given {
    nb::object array;
    std::vector<std::size_t> own, lead;
    const char* what;
  };
  std::vector<Given> given_;
  std::vector<nb::ndarray<const double, nb::c_contig, nb::device::cpu>> rows_;
  std::vector<std::size_t> widths_;
};

}  // namespace haptos::python
