// Points of a body that others may touch, each a weighted sum of points of this step: what frozen
// contact asks of material points and of the surfaces of soft bodies, and knows nothing else of.
#pragma once

#include <cstdint>

#include "haptos/system/points.h"

namespace haptos {

struct StepContext;

class Cloud {
 public:
  static constexpr int kMostParts = 27;

  /// The place of a cloud's surface that is nearest to another one.
  struct Skin {
    double distance = 0;        ///< to it, below 0 inside [m]
    Vec3d n{{0, 0, 0}};         ///< out of the surface
    Vec3d velocity{{0, 0, 0}};  ///< at the start of the step [m/s]
    Points::Part part[3];
  };

  virtual ~Cloud() = default;
  /// The step starts.
  virtual void begin(const StepContext&) {}
  virtual int size() const = 0;
  /// Where a point is at the start of the step [m], and its velocity there [m/s].
  virtual Vec3d place(int i) const = 0;
  virtual Vec3d velocity(int i) const = 0;
  /// How far the surface is from it where it is at the surface [m], and how much of what faces a
  /// shape with the normal n (towards the body) it stands for [m2].
  virtual double radius(int i) const = 0;
  virtual double area(int i, const Vec3d& n) const = 0;
  /// Its number, the same in every step.
  virtual std::int64_t id(int i) const = 0;
  /// Writes what the place `aside` of it [m] is the sum of, kMostParts at most; returns how many.
  /// Weights are linear in `aside`, and add up to 1.
  virtual int parts(int i, const Vec3d& aside, Points::Part* out) const = 0;
  /// Of one of the parts, by its number: where it is [m], and the same number in every step for one
  /// there.
  virtual Vec3d node_place(int point) const = 0;
  virtual std::int64_t node_id(int point) const = 0;
  /// How far its points are from each other [m].
  virtual double spacing() const = 0;
  /// Looks for the surface about x, as far away as `reach` or as its points are from each other;
  /// false: none is there, or its points make none.
  virtual bool skin(const Vec3d& /*x*/, double /*reach*/, Skin&) const { return false; }
  /// Side of the cells that nodes are the corners of [m].
  virtual double cell() const = 0;
};

}  // namespace haptos
