// Boundary-layer contact: where two triangle soups, each thickened by a layer, touch.
//
// A surface with a layer of width r is all that is within r of its triangles. Two of them touch
// where their triangles are nearer than R = r_a + r_b, and the depth there is R less the distance.
// Nothing is asked of the triangles (soup.h), and while the triangles themselves do not meet,
// nothing needs to know an inside from an outside.
//
// The answer is a measure of area over both surfaces, cut up into samples: the sum over samples of
// area times depth is the integral of depth over the surface. It does not depend on how surfaces
// are cut into triangles, on their order, or on which surface is named first; and it changes
// continuously as they move: a sample comes and goes with no depth or no area.
//
//   faces that face each other (facing.cpp): up to 30 degrees from parallel in full, from 60 on not
//     at all. Both are projected along the mean of their normals and intersected; what overlaps is
//     cut where depth is zero. All of two planes makes one outline, whatever the triangles.
//   edges and vertices that stand out (sharp.cpp): those whose own faces all lead away from the
//     other surface. They carry what a rounded edge or corner of radius R would: R times length,
//     R squared. In a flat or hollow place they stand out by nothing and carry nothing.
//
// Samples within `reach` beyond the layers are returned too, for contact that comes within a step.
//
// Source: Hauser 2013, Robust contact generation for robot simulation with unstructured meshes
// (the layer and its depth); the set of contacts and their areas are our own.
// Limits: quadrature of edges has the ends of segments, of outlines the corners: exact for the
// force of depth that varies linearly. A surface hidden behind another one of the same body within
// R counts too where neither is known to enclose anything.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "haptos/base/math/lanes.h"
#include "haptos/base/math/rotation.h"
#include "haptos/geometry/collide/collide.h"
#include "haptos/geometry/layer/outline.h"
#include "haptos/geometry/soup/soup.h"

namespace haptos {

/// A soup with its layer, somewhere.
struct LayerSurface {
  const TriangleSoup* soup = nullptr;
  Pose pose;
  double width = 0;  ///< r [m]
};

/// Finds the samples of pairs. Holds memory to work in: one for each thread.
class LayerContacts {
 public:
  /// Appends the samples of a pair whose gap is at most `reach` [m]: gap is the distance less R,
  /// areas are those of the contact measure [m2], shares those areas over the area that touches,
  /// or where nothing touches over the area that would by then.
  /// Points lie on the layers, where they overlap by half the depth from each. A pose that is not
  /// finite touches nothing.
  /// @throws InputError where neither has a layer
  void find(const LayerSurface& a, const LayerSurface& b, double reach,
            std::vector<ContactSample>& out);

  /// Whether a triangle of a and one of b share a point.
  bool crosses(const LayerSurface& a, const LayerSurface& b);

  /// Whether nothing of a is nearer to b than a distance [m], layers left out, as far as boxes of
  /// triangles tell: true is certain.
  bool apart(const LayerSurface& a, const LayerSurface& b, double distance);

  /// Appends samples that push a and b apart where crosses() holds and both have an inside: at the
  /// corners of each that are inside the other, all along one direction, with gaps of -2 R, since
  /// how deep they are is not known. Nothing where one of the two is an open sheet.
  void find_crossed(const LayerSurface& a, const LayerSurface& b, std::vector<ContactSample>& out);

  /// The same along a direction that is known, `away` (from b to a, unit, world), and for open
  /// sheets too: one wherever a triangle of a and one of b meet.
  void find_crossed(const LayerSurface& a, const LayerSurface& b, const Vec3d& away,
                    std::vector<ContactSample>& out);

  /// Four faces side by side, in the frame of b.
  struct FourFaces {
    static constexpr int kLanes = 4;
    using Lanes = Pack<double, kLanes>;
    Vec3<Lanes> x[3], n;
    Lanes offset, sided;  ///< sided: 1, else 0
  };

 private:
  struct FacePair {
    int plane[2], face[2];
    bool operator<(const FacePair& o) const {
      return std::tie(plane[0], plane[1], face[0], face[1]) <
             std::tie(o.plane[0], o.plane[1], o.face[0], o.face[1]);
    }
    bool same_planes(const FacePair& o) const {
      return plane[0] == o.plane[0] && plane[1] == o.plane[1];
    }
  };
  // Two groups of eight in the trees that come near each other, and which of a's eight do.
  struct Meeting {
    int group;
    unsigned mask;
    int other;
  };
  // A face of a in the frame of b, and the box of what it may face.
  struct OneFace {
    Vec3d x[3], n;
    double offset;
    int face = -1;
    WideTree::Box reach;
  };
  // Two planes that face each other.
  struct Facing {
    Vec3d n[2];        // towards the other one
    Vec3d m, t1, t2;   // mean normal, from b to a, and across it
    double offset[2];  // of the planes, along n
    double cosine;     // of m with the normals
    double weight;     // by how far they are from parallel
    double behind;     // gap from which on it counts
  };
  struct Pushed {
    Vec3d x_a, x_b, n;  // on the cores, n from b to a
  };
  struct Sample {
    Vec3d x_a, x_b, n;  // on the cores, in the frame of b
    double gap, area;   // gap: of the cores
    bool near;          // of what is beyond the layers
    std::int64_t feature_a, feature_b;
  };
  // The nearest point to a vertex of a part of the other surface.
  struct NearPoint {
    Vec3d x, n;
    double gap, out;  // out: by how much the vertex stands out
    std::int64_t feature;
  };

  bool take(const LayerSurface& a, const LayerSurface& b);
  bool take_coarser_first(const LayerSurface& a, const LayerSurface& b);
  void find_in_parts();
  /// Calls f(part, k) for parts of the work on this pair, side by side. Each works in memory of its
  /// own, which it finds empty.
  template <class F>
  void each_part(std::size_t count, F&& f);
  void share_by_turns();
  void write(std::vector<ContactSample>& out);

  // crossed.cpp
  bool inside(int other, const Vec3d& x) const;
  /// Calls f(face, other, x) for faces of the first and second side that share the point x, until f
  /// returns false.
  template <class F>
  void each_meeting(F&& f);

  // face_pairs.cpp
  void make_room();
  void clear_room();
  void find_pairs();
  void pair_up_all(std::span<const Meeting> meetings);
  void take_face(int face, OneFace& one) const;
  OneFace* faces_of(int group);
  const FourFaces* lanes_of(int group);
  void pair_up(const OneFace& one, int group, unsigned mask);

  // facing.cpp
  void find_facing(std::span<const FacePair> pairs);
  bool face_each_other(const FacePair& pair, Facing& f) const;
  bool overlap(const FacePair& pair, const Facing& f);
  void cut_by_depth(const FacePair& pair, const Facing& f, double from, double to,
                    std::vector<OutlineCorner>& out);
  void emit_outline(const Facing& f, const FacePair& pair, Outline& outline, bool near);
  static Pushed pushed(const Facing& f, double u, double v, double za, double zb, bool by_a,
                       bool by_b);
  void emit_middle(const Facing& f, const FacePair& pair, const Outline& outline, double u,
                   double v, double weight, std::int64_t mark);

  // sharp.cpp
  class EdgeReach;
  std::array<Vec3d, 2> ends_across(int side, int edge) const;
  bool clip_to_other(int side, int edge, Aabb& box) const;
  void find_sharp(int side);
  void add_vertex(int side, int vertex);
  void add_edge_on_faces(int side, int edge);
  void add_edge_on_plane(int side, int edge, std::span<const int> faces);
  void add_edge_pair(int a, int b);
  double vertex_stands_out(int side, int v, const Vec3d& away) const;
  double edge_stands_out(int side, int e, const Vec3d& away) const;
  bool is_nearest(int side, const Vec3i& corners, const Vec3d& beta, const Vec3d& to) const;
  void emit(int side, const Vec3d& own, const Vec3d& other, const Vec3d& n, double gap, double area,
            std::int64_t own_feature, std::int64_t other_feature, bool near);

  const TriangleSoup& soup(int side) const { return *surface_[side].soup; }
  // In the frame of b.
  Vec3d at(int side, int vertex) const;
  Vec3d turned(int side, const Vec3d& v) const { return side == 0 ? r_ * v : v; }
  Vec3d plane_normal(int side, int plane) const;
  double plane_offset(int side, int plane) const;
  // From the frame of a side to that of the other.
  Vec3d across(int side, const Vec3d& x) const {
    return side == 0 ? r_ * x + p_ : transpose(r_) * (x - p_);
  }
  double far() const { return R_ + vmax(reach_, 0.0); }
  /// Calls f(item, box) for items of a tree of `side` that are near the other one, with the item's
  /// box in the frame of the other.
  template <class Corners, class F>
  void each_near(int side, const WideTree& tree, Corners&& corners, F&& f) const;

  LayerSurface surface_[2];
  bool exchanged_ = false;  // the second one was named first
  Mat3d r_;                 // turns a into the frame of b
  Vec3d p_;
  double R_ = 0, reach_ = 0;
  std::vector<std::unique_ptr<LayerContacts>> parts_;
  std::vector<Meeting> meetings_;
  std::vector<std::size_t> starts_;  // of what one part looks at
  std::vector<FacePair> faces_;
  std::vector<FourFaces> group_faces_;
  std::vector<OneFace> own_faces_;
  // By groups of both trees, -1 where not asked yet; and which were.
  std::vector<int> group_place_[2], groups_[2];
  std::vector<int> close_;
  std::vector<NearPoint> near_;
  std::vector<Sample> samples_;
  std::vector<double> share_;
  std::vector<OutlineCorner> polygon_, scratch_, part_;
  Outline touching_, beyond_;
};

template <class Corners, class F>
void LayerContacts::each_near(int side, const WideTree& tree, Corners&& corners, F&& f) const {
  // The other one's box in the frame of this one.
  const Aabb& other = soup(1 - side).box();
  Aabb all;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3d x;
    for (int k = 0; k < 3; ++k) x[k] = corner >> k & 1 ? other.hi[k] : other.lo[k];
    all.merge(across(1 - side, x));
  }
  tree.query(all.inflated(far()), [&](int i) {
    const Vec3i c = corners(i);
    Aabb box;
    for (int k = 0; k < 3; ++k)
      box.merge(across(side, soup(side).vertices()[static_cast<std::size_t>(c[k])]));
    f(i, box);
  });
}

/// Cosine of the angle between faces up to which they count in full, and from which on not at all.
constexpr double kParallel = 0.86602540378443865, kOblique = 0.5;

}  // namespace haptos
