// Sensors of a scene in the step: what of the workspace they see, and when.
#pragma once

#include <vector>

#include "haptos/sensors/robot/robot_sensors.h"
#include "haptos/sim/gels.h"

namespace haptos {

struct Model;
struct Scene;
struct State;
struct Workspace;

struct Sensing {
  std::vector<RobotSensors> robots;  ///< as in the scene
  std::vector<int> first;            ///< number of each robot's first sensor in the pipeline
  std::vector<int> first_body;       ///< number of each robot's first link in contact records
  std::vector<GelSensing> gels;      ///< tactile sensors, as in the scene
  SensorPipeline pipeline;
  const Model* model = nullptr;
  std::uint32_t env = 0;  ///< of the noise

  // Scratch.
  std::vector<LinkForce> forces;
  std::vector<double> effort, motor_effort, ideal;
  GelSample gel;
};

/// Finds what the sensors of the model's robots refer to; after all bodies have their numbers.
void compile_sensors(const Scene& scene, Model& model);
void build_sensing(const Model& model, Workspace& w);
/// Begins the readings of a run at the state.
void start_sensing(const Model& model, std::uint64_t seed, State& state, Workspace& w);
/// Takes the samples that are due, after a step that led to the state.
void sense(const Scene& scene, State& state, Workspace& w);

}  // namespace haptos
