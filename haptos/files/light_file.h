// Files of the RGB image of a tactile sensor: lights, background, table, noise, in YAML.
//
// docs/sensors/rgb.md describes the keys. The file is read as a whole or refused as a whole; every
// error is one InputError of one sentence with file, line and column. Images and tables are named
// by paths relative to the file that stay in its folder; whoever asked for the file opens them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "haptos/sensors/optics/photometric.h"
#include "haptos/sensors/optics/tactile_noise.h"

namespace haptos {

struct LightFile {
  int width = 0, height = 0;  ///< [pixel]; 0: any
  double pitch = 0;           ///< [m/pixel]; 0: any
  bool has_lights = false;    ///< whether the file describes lights
  LightRig rig;
  std::string background;                ///< a PNG, or an NPZ with an array `background`; "": none
  std::vector<std::string> backgrounds;  ///< others that a sensor may have instead, PNG or NPZ
  std::string table;                     ///< an NPZ in the table's layout; "": none
  std::string model;                     ///< "lights" or "table": which one the sensor shows
  double smoothing = 0;                  ///< of the table [pixel]
  TactileNoise noise;
};

/// @param name stands for the file in errors
LightFile parse_light_file(std::string_view text, const std::string& name);

}  // namespace haptos
