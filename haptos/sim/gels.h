// Tactile sensors of a scene: compiled, and samples of their gels taken from state and records.
//
// A sensor without rate and delay is read from the present state and the records of the last step.
// One that has them is read from a sample that the state keeps, through the pipeline of robots'
// sensors (sensors/tactile/sensor_pipeline.h): step, frame, and position, force, contact area and
// way to the other surface of each vertex of the gel's surface, gel frame.
#pragma once

#include <vector>

#include "haptos/sensors/gel/gel_reading.h"
#include "haptos/sensors/tactile/sensor_pipeline.h"

namespace haptos {

struct Model;
struct Scene;
struct State;
struct Workspace;

/// Where a gel was at the start, and where its samples are.
struct GelSensing {
  Mat3d turn = Mat3d::identity();  ///< R_WG at the start
  Vec3d origin{{0, 0, 0}};         ///< p_WG at the start [m]
  Pose carrier;                    ///< at the start
  int signal = -1;                 ///< in the pipeline; -1: read from the present state
};

/// Refuses names that are taken or missing, and compiles; after soft bodies.
/// @throws InputError
void compile_gels(const Scene& scene, Model& model);

/// What the pipeline carries of a sensor with rate or delay.
SensorSignal gel_signal(const Model& model, int sensor);

/// Sets the velocities at the start of soft bodies that are given none, and are glued to an affine
/// body or a link first: those of what carries them. A path is taken to begin at rest.
void start_with_carriers(const Model& model, const Workspace& w, State& state);

/// Where the gels are at the start of a run.
void place_gels(const Model& model, const State& state, Workspace& w);

/// Which contacts a sample of a gel holds: those of the last step's records, none, or it is not
/// asked.
enum class GelContacts : std::uint8_t { kLast, kNone, kUnasked };

/// The gel as it is now.
void sample_gel(const Model& model, const State& state, const Workspace& w, int sensor,
                GelContacts contacts, GelSample& out);
struct GelAsk {
  bool contact = true;  ///< whether what touches the gel is wanted
  bool now = false;     ///< whatever rate and delay say
};

/// The gel as the sensor's reader sees it: now, or when the last sample was taken that has come
/// through. Vertices inside the gel, which no sample holds, are where they are at rest.
void read_gel(const Model& model, const State& state, const Workspace& w, int sensor,
              const GelAsk& ask, GelSample& out);

/// A sample as the numbers that the pipeline carries, and back.
void pack_gel(const Model& model, int sensor, const GelSample& sample, std::vector<double>& out);

}  // namespace haptos
