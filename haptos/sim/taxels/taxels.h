// Taxels: what places on a body feel of hydroelastic contact.
//
// A taxel is a place x on the surface of a link or rigid body, with the outward unit normal n
// there. Where another body B covers it, it is pressed in to where both pressures agree:
//
//   p_own(x - s n) = p_B(x - s n),   0 <= s,   the first root;   s = 0 on a rigid body
//
// s is its displacement, p its pressure; at an edge s ends where another face is nearer. The
// surface of equal pressure there has the unit normal m, out of the own body. Shear is the friction
// of the contacts of both bodies, which goes on from step to step: each contact hands its friction
// to the taxels that are pressed, most to those next to it. So the sum of shear times area is the
// friction.
//
// The own pressure on the surface of equal pressure is that of the own depth. So its forces add up
// to those of its gradient over the own volume that is pressed away, along the own normals:
//
//   force = area (shear - p n (1 - H s + K s^2 / 3)),   H, K the mean and Gaussian curvature
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "haptos/contact/record.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/geometry/pressure/pressure_law.h"
#include "haptos/system/state.h"

namespace haptos {

struct Model;

/// Of each taxel, in the frame of the body; zero where nothing touches.
struct TaxelTouch {
  std::vector<double> pressure;      ///< [Pa]
  std::vector<double> displacement;  ///< s [m]
  std::vector<Vec3d> normal;         ///< m; n where nothing touches
  std::vector<Vec3d> shear;          ///< on the body, tangential [Pa]
};

/// Pose of a link of a robot of the model (by their numbers) in the world.
using LinkPose = std::function<Pose(int robot, int link)>;

class Taxels {
 public:
  /// @param model  must outlive the taxels
  /// @param body   a rigid body, or "robot/link"
  /// @param place  in its frame [m]; moved to the nearest surface of its collision shapes
  /// @param area   that each stands for [m2]
  /// @throws InputError for areas that are not above 0, for a body without a pressure field around
  ///         it, and for a place that is farther from its surface than `kFarthest` of its size
  Taxels(const Model& model, const std::string& body, const std::vector<Vec3d>& place,
         const std::vector<double>& area);

  const std::vector<Vec3d>& place() const { return place_; }    ///< on the surface [m]
  const std::vector<Vec3d>& normal() const { return normal_; }  ///< outward, unit
  const std::vector<double>& area() const { return area_; }     ///< [m2]
  /// H [1/m], above 0 where convex, and K [1/m2].
  const std::vector<std::array<double, 2>>& curvature() const { return curvature_; }

  /// @param paths     of prescribed bodies, as states have them
  /// @param contacts  of the last step, which left the bodies at these poses
  TaxelTouch read(const LinkPose& pose, const std::vector<PathState>& paths,
                  std::span<const ContactPoint> contacts) const;

  static constexpr double kFarthest = 0.1;

 private:
  /// A collision shape with a field.
  struct Pressed {
    const DistanceField* field;
    Pose frame;  ///< in the body; of a half-space in the world
    PressureLaw law;
  };
  std::vector<Pressed> shapes_of(const std::string& body) const;

  const Model* model_;
  std::string body_;
  int number_ = -1;  ///< of the body in contact records
  std::vector<Vec3d> place_, normal_;
  std::vector<double> area_;
  std::vector<std::array<double, 2>> curvature_;
  std::vector<int> shape_;  ///< that each taxel is on
  std::vector<Pressed> own_;
  DistanceField plane_;
};

}  // namespace haptos
