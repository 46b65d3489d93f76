// Projection and visibility: which face each sample of a picture sees.
//
// View axes: right, up, forward. A point with view coordinates (X, Y, w), w forward, lands at
//   perspective   col = cx + fx X / w, row = cy - fy Y / w, key = -1 / w
//   orthographic  col = cx + fx X,     row = cy - fy Y,     key = w
// The key grows with the distance and is a plane over the picture for every plane in space, so the
// z-buffer, the clip plane and its cap need nothing but linear interpolation.
#pragma once

#include <optional>
#include <vector>

#include "haptos/geometry/query/raster.h"
#include "haptos/render/render_faces.h"

namespace haptos::internal {

struct View {
  Vec3d eye, right, up, forward;
  bool orthographic = false;
  double fx = 1, fy = 1, cx = 0, cy = 0;  ///< [pixel], scene to picture
  double near = 0, far = 1e300;           ///< perspective: smallest and largest w that is drawn

  Vec3d to_view(const Vec3d& x) const {
    const Vec3d d = x - eye;
    return {{dot(d, right), dot(d, up), dot(d, forward)}};
  }
  Vec2d pixel(const Vec3d& v) const {
    const double w = orthographic ? 1 : v[2];
    return {{cx + fx / w * v[0], cy - fy / w * v[1]}};
  }
  double key(double w) const { return orthographic ? w : -1 / w; }
  /// Origin and direction of the ray through a pixel: the point at depth w is origin + w dir.
  void ray(double col, double row, Vec3d& origin, Vec3d& dir) const {
    const Vec3d offset = right * ((col - cx) / fx) - up * ((row - cy) / fy);
    origin = orthographic ? eye + offset : eye;
    dir = orthographic ? forward : forward + offset;
  }
};

/// @throws InputError on a size or a camera that cannot be used
void check_view(const Camera& camera, const RenderOptions& options);

View make_view(const Camera& camera, int width, int height);

/// What the samples of a band of rows see. An id is a face, or kNothing, or a cap (cap_id).
struct SampleBuffer {
  std::vector<float> key, front_key;
  std::vector<int> id, front_id;  ///< opaque layer, and the translucent one in front of it
  std::vector<signed char> depth_count;
};
constexpr int kNothing = -1;
constexpr int cap_id(int surface) { return -2 - surface; }
constexpr int cap_surface(int id) { return -2 - id; }

class Visibility {
 public:
  /// Projects the faces for a picture of `width` x `height` pixels of `samples` x `samples`;
  /// `skip_translucent` leaves out surfaces thinner than an opacity of 1.
  Visibility(const FaceList& list, const View& view, int width, int height, int samples,
             const std::optional<ClipPlane>& clip, bool skip_translucent);

  int band_count() const { return static_cast<int>(band_begin_.size()) - 1; }
  int band_rows() const { return band_rows_; }  ///< in pixels
  int sample_width() const { return width_ * samples_; }
  /// Fills the buffer with the samples of the band's rows, row-major, sample_width() wide.
  void draw(int band, SampleBuffer& out) const;

 private:
  struct Projected {
    ScreenTriangle tri;
    double key[3], clip[3];
    int face;
    bool back;
  };
  void add(const Vec3d v[3], const double clip[3], int face, bool back);
  void bin();
  void draw_face(const Projected& p, bool clipped, bool count, const PixelWindow& window,
                 const float* behind, float* key, int* id, signed char* counter) const;

  const FaceList& list_;
  View view_;
  int width_, height_, samples_, band_rows_;
  bool capped_ = false;        ///< the cut is seen from outside
  double cap_[3] = {0, 0, 0};  ///< key of the clip plane: constant, per column, per row
  std::vector<Projected> projected_;
  std::vector<int> band_begin_, band_;
};

}  // namespace haptos::internal
