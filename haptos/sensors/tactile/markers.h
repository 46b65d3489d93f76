// The markers printed under the coat of a tactile gel, and the flow that shear makes of them.
//
//   p_k = sum_u alpha_u x_u     over the three nodes u of marker k's triangle
// The triangle and the weights alpha are fixed when the grid is laid out at rest. Positions are in
// the gel frame; pixels follow tactile_camera.h; the flow is p - p_rest in metres and in pixels.
// A coat that has not moved has a flow of exactly zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "haptos/geometry/mesh.h"
#include "haptos/scene/tactile/tactile_sensor.h"

namespace haptos {

/// Where the markers of a grid are, gel frame x and y [m], row by row. Throws InputError.
std::vector<Vec2d> marker_places(const MarkerGrid& grid);

/// Where the markers are now, one entry per marker, row by row of the grid.
struct MarkerReading {
  std::vector<Vec3d> position;        ///< gel frame [m]
  std::vector<Vec3d> flow;            ///< position - rest position, gel frame [m]
  std::vector<Vec3d> normal;          ///< of the coat there, unit, outward, gel frame
  std::vector<Vec2d> pixel;           ///< (column, row) [pixel]
  std::vector<Vec2d> pixel_flow;      ///< pixel - rest pixel [pixel]
  std::vector<std::uint8_t> in_view;  ///< 1 where the pixel lies inside the image
  std::vector<std::uint8_t> hidden;   ///< 1 where a fold of the coat lies before it; when asked for
};

class MarkerSensor {
 public:
  /// Fixes each marker to the outermost coat triangle above it, seen along z at rest.
  /// `rest`: the gel's nodes at rest, gel frame [m]; `coat`: triangles into them.
  /// Throws InputError when a marker of the grid lies outside the coat.
  MarkerSensor(const TactileCamera& camera, std::span<const Vec3d> rest,
               std::span<const Vec3i> coat, const MarkerGrid& grid);
  /// The same of markers at these places, gel frame x and y [m].
  MarkerSensor(const TactileCamera& camera, std::span<const Vec3d> rest,
               std::span<const Vec3i> coat, std::span<const Vec2d> at);

  /// Reads the markers of the gel whose nodes are now at `nodes` (gel frame [m]). What hides one is
  /// a triangle that crosses its ray nearer to the camera inside the gel and shares no node with
  /// its own.
  void measure(std::span<const Vec3d> nodes, MarkerReading& out, bool with_hidden = false) const;
  MarkerReading measure(std::span<const Vec3d> nodes, bool with_hidden = false) const;

  std::size_t count() const { return triangle_.size(); }
  const TactileCamera& camera() const { return camera_; }
  const std::vector<Vec3i>& nodes() const { return nodes_; }       ///< of each marker's triangle
  const std::vector<Vec3d>& weights() const { return weights_; }   ///< sum to one
  const std::vector<int>& triangles() const { return triangle_; }  ///< index into the coat
  const std::vector<Vec3d>& rest_positions() const { return rest_; }
  const std::vector<Vec2d>& rest_pixels() const { return rest_pixel_; }

 private:
  void find_hidden(std::span<const Vec3d> nodes, MarkerReading& out) const;

  TactileCamera camera_;
  std::size_t node_count_;
  std::vector<Vec3i> coat_;
  std::vector<int> triangle_;
  std::vector<Vec3i> nodes_;
  std::vector<Vec3d> weights_;
  std::vector<Vec3d> rest_;
  std::vector<Vec2d> rest_pixel_;
};

}  // namespace haptos
