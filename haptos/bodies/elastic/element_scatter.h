// Scatter of what elements compute into gradient and matrix.
//
// Elements write their own slots in parallel; then every point and every coupled pair of points
// sums its contributions in a fixed order. So the result has the same bits for any number of
// threads and nothing is searched for while stepping.
//
// What is glued to a link moves with all its unknowns, J_q z. A point p first sums sum_q h_pq J_q
// over such neighbours q, and adds that once. Couplings with points of affine bodies go through
// Assembly::add_hessian.
#pragma once

#include <array>
#include <vector>

#include "haptos/system/assembly.h"

namespace haptos {

/// Values that elements leave behind, in lanes of eight elements: component c of element e is at
/// [(e / 8 * components + c) * 8 + e % 8].
struct ElementSlots {
  static constexpr int kLanes = 8;
  int components = 0;
  std::vector<double> values;
  /// Room for so many elements at least.
  void resize(int elements, int components_) {
    components = components_;
    const std::size_t size = static_cast<std::size_t>((elements + kLanes - 1) / kLanes * kLanes) *
                             static_cast<std::size_t>(components_);
    if (values.size() < size) values.resize(size);
  }
  double* group(std::ptrdiff_t g) { return values.data() + g * components * kLanes; }
  const double* element(int e) const {
    return values.data() + static_cast<std::ptrdiff_t>(e / kLanes) * components * kLanes +
           e % kLanes;
  }
};

class ElementScatter {
 public:
  /// @param nodes  points of the elements, n consecutive per element
  ElementScatter(const Points& points, std::vector<int> nodes, int n);

  int nodes_per_element() const { return n_; }
  int element_count() const { return static_cast<int>(nodes_.size()) / n_; }
  int node(int element, int a) const {
    return nodes_[static_cast<std::size_t>(element) * static_cast<std::size_t>(n_) +
                  static_cast<std::size_t>(a)];
  }
  /// Components of a gradient slot: n nodes x 3.
  int gradient_components() const { return 3 * n_; }
  /// Components of a tangent slot: blocks (a, b), a >= b, in rows, 3 x 3 row-major each.
  int tangent_components() const { return 9 * n_ * (n_ + 1) / 2; }
  static constexpr int block(int a, int b) { return a * (a + 1) / 2 + b; }

  void couplings(const Points& points, std::vector<std::array<int, 2>>& out) const;
  /// Adds the nodal gradients to the assembly.
  void add_gradient(const ElementSlots& slots, Assembly& assembly) const;
  /// Adds the tangent blocks, and the effect of driven motion.
  void add_tangent(const ElementSlots& slots, const Points& points, Assembly& assembly) const;

 private:
  struct Pair {
    int p, q;  // p's block row >= q's when both are free; a driven or a carried point comes second
    int begin, end;
  };
  void build_pairs(const Points& points);
  std::vector<Pair>& list_of(const Points& points, const Pair& pair);
  Mat3d sum(const ElementSlots& slots, const Pair& pair) const;
  void add_carried(const ElementSlots& slots, const Points& points, Assembly& assembly) const;

  int n_;
  std::vector<int> nodes_;
  std::vector<int> touched_, corner_begin_, corners_;  // per touched point: element * n + a
  std::vector<Pair> pairs_;                            // of nodes, and of a node and a driven point
  std::vector<Pair> carried_;                // of a node or a carried point and a carried one, by p
  std::vector<Pair> others_;                 // with a point of an affine or a guided body
  std::vector<std::array<int, 2>> sources_;  // element, 2 block + transposed
};

}  // namespace haptos
