// Fewer contacts that do what the patches of a pressure surface do.
//
// Seen along the way that all of them push, each patch hands its force to the four corners of the
// square of a lattice that it is in, by the weights of bilinear interpolation. The weights add up
// to 1, and the corners by them to the patch's place. So force, centre of pressure and moment stay,
// whatever way the patches face: a thread goes on pushing a nut around. What a corner has been
// handed is one contact: its force by the patches' own, its height their mean, its stiffness their
// sum. What pushes forward and what pushes back are kept apart. What the mean heights leave of the
// moment is taken up by moving the contacts a little.
//
// The lattice is centred on the centre of the pressure, moves with it, and its spacing is a part of
// the patch's size: all of it follows the motion without steps.
//
// There are root(most / 2) squares across a patch. What changes: grip against turning grows by
// about 1 / across^2, 1 % where most is 200 and 4 % where it is 50; stiffness against tilting of
// patches that lie over each other.
#pragma once

#include <vector>

#include "haptos/geometry/collide/collide.h"

namespace haptos {

/// Holds memory to work in: one for each thread.
class PatchMerge {
 public:
  /// Merges the samples of one pair where they are more than `most`, all of which touch. The result
  /// has some 1.5 times as many at most, and fewer than there were.
  /// @param turn  of the body whose axes the lattice follows
  /// @param most  0: never
  /// @return whether they were
  bool merge(std::vector<ContactSample>& samples, const Mat3d& turn, int most);

 private:
  // Where a patch is on the lattice: its square, where in that, and its height [m].
  struct Place {
    int low[2];
    double part[2], height;
  };
  // What a corner has been handed.
  struct Handed {
    Vec3d force{{0, 0, 0}};  // [N]
    double sum = 0, height = 0, stiffness = 0, area = 0, share = 0;
  };
  bool lay(const std::vector<ContactSample>& samples, const Mat3d& turn);
  void hand_out(const std::vector<ContactSample>& samples);
  void gather(const std::vector<ContactSample>& samples);
  void mend_moment(const Vec3d& moment);

  std::vector<Place> places_;
  std::vector<Handed>
      handed_;        // of each corner what pushes forward and what pushes back, y fastest
  Vec2i first_{};     // corner
  int across_y_ = 0;  // corners
  std::vector<ContactSample> merged_;
  Mat3d lattice_;  // columns: its axes, the third the way of the push, world
  Vec3d origin_;
  double across_ = 0;  // squares along a patch
  double spacing_ = 0;
};

}  // namespace haptos
