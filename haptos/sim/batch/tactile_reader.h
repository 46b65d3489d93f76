// A tactile sensor of all environments at once: each reading goes into one array (env, ...).
//
// The sensor itself is the model's and shared; what a reading takes of an environment is that
// environment's alone, so env k among many reads what it reads alone, bit for bit, at a cost that
// does not depend on their number. Environments are read side by side; where there are fewer of
// them than threads, the threads share the pixels of each.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "haptos/sensors/gel/gel_reading.h"
#include "haptos/sim/batch/batch.h"

namespace haptos {

// Where readings are written, env after env; n markers, N vertices and T triangles of the coat.
struct MarkerArrays {
  double *position, *flow, *normal;          ///< (env, n, 3)
  double *pixel, *pixel_flow, *undistorted;  ///< (env, n, 2)
  std::uint8_t *in_view, *hidden, *lost;     ///< (env, n)
};
struct FieldArrays {
  double *position, *normal, *traction, *shear;  ///< (env, N, 3)
  double *area, *pressure, *touched;             ///< (env, N)
  double* off_coat;                              ///< (env, 3)
};
struct ForceImageArrays {
  double *force, *shear;              ///< (env, 3, height, width)
  double *area, *touched, *pressure;  ///< (env, height, width)
  double* outside;                    ///< (env, 3)
};
struct TouchArrays {
  double* area;                     ///< (env)
  double *force, *torque, *centre;  ///< (env, 3)
  double* centre_pixel;             ///< (env, 2)
  std::uint8_t* inside;             ///< (env, T)
};

class TactileReader {
 public:
  /// @param batch  must outlive the reader
  /// @param sensor  number in the scene
  /// @throws InputError for markers that the noise prints beside the coat
  TactileReader(Batch& batch, int sensor);
  TactileReader(TactileReader&&) = default;
  TactileReader(const TactileReader&) = delete;

  const GelSensor& sensor() const { return *sensor_; }
  int envs() const { return batch_->envs(); }
  const TactileNoise& noise() const { return noise_; }
  /// In place of the sensor's, for these readings.
  /// @throws InputError as the constructor
  void set_noise(const TactileNoise& noise);
  /// Contact fields smoothed over a length [m]; negative: the size of the elements. Made once.
  const ContactFieldSensor& field(double smoothing);

  /// R_WG (env, 3, 3), p_WG (env, 3) [m] and the time [s] (env) of what is read; now: of the
  /// present, whatever rate and delay say.
  void frames(bool now, double* turn, double* origin, double* time);
  void nodes(bool compensated, double* out);  ///< gel frame [m], (env, V, 3)
  /// Depth (env, height, width) [m]; normals (env, 3, height, width), or null.
  void surface(GelLook look, float* depth, float* normal);
  /// The points of the gel frame that the pixels of these depths see (env, height, width, 3) [m].
  void points(const float* depth, double* out);
  void colours(bool clean, std::uint8_t* out);  ///< (env, height, width, 3)
  void markers(bool clean, const MarkerArrays& out);
  void contact_field(const ContactFieldSensor& field, const FieldArrays& out);
  /// @param width, height  number of bins
  void force_image(const ContactFieldSensor& field, int width, int height,
                   const ForceImageArrays& out);
  void touch(const TouchArrays& out);

 private:
  struct Printed {
    std::uint64_t key = 0;
    std::unique_ptr<const MarkerSensor> markers;
    std::unique_ptr<const PrintedDots> dots;
  };
  template <class F>
  void each(bool contact, const F& f);
  void renew();
  void print();

  Batch* batch_;
  int number_;
  std::shared_ptr<const GelSensor> sensor_;
  TactileNoise noise_;
  std::map<double, std::unique_ptr<const ContactFieldSensor>> fields_;
  std::vector<GelScratch> scratch_;  // per worker
  std::vector<Printed> printed_;     // per environment, where the noise moves markers
  TactileNoise printed_with_;
  std::unique_ptr<std::mutex> reading_;  // scratch and prints serve one caller at a time
};

}  // namespace haptos
