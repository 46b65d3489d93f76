// Sensors of the robots of a scene file.
#include "haptos/files/scene/scene_file_parts.h"

namespace haptos::scene_file {
namespace {

constexpr double kArea = 1e-6;         // of a taxel of a list [m2]
constexpr std::size_t kMost = 10'000;  // of places

void read_noise(const Value& v, const char* key, SensorNoise& n) {
  const auto found = v.find(key);
  if (!found) return;
  const Value& m = *found;
  m.keys({"std", "bias", "bias_std", "walk", "quantum", "range"});
  constexpr double kMost = 1e12;
  read_if(m, "std", "", 0, kMost, n.std);
  read_if(m, "bias", "", -kMost, kMost, n.bias);
  read_if(m, "bias_std", "", 0, kMost, n.bias_std);
  read_if(m, "walk", "", 0, kMost, n.walk);
  read_if(m, "quantum", "", 0, kMost, n.quantum);
  if (const auto range = m.find("range")) {
    range->list(2, 2);
    n.lower = range->item(0).number("", -kMost, kMost);
    n.upper = range->item(1).number("", -kMost, kMost);
  }
}

// Where taxels are: a grid with a pitch, or a list.
void read_taxels(const Value& v, Sensor& s) {
  const auto grid = v.find("grid"), pitch = v.find("pitch"), places = v.find("places");
  double area = kArea;
  if (grid) {
    if (places) places->fail("", "is not known beside grid", "write one of the two");
    grid->list(2, 2);
    const auto count = [&](std::size_t i) {
      return grid->item(i).integer(1, static_cast<int>(kMost));
    };
    const double d = v.at("pitch", "give the distance of neighbours, for example pitch: 2 mm")
                         .number("m", kSmallestLength, kLargestLength);
    const int rows = count(0), columns = count(1);
    if (static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) > kMost)
      grid->fail("", "must have 1 to 10000 places", "give fewer rows or columns");
    s.places = taxel_grid(rows, columns, d);
    area = d * d;
  } else if (pitch) {
    pitch->fail("", "needs a grid", "write for example grid: [8, 6]");
  } else if (places) {
    for (std::size_t i = 0, n = places->list(1, kMost); i < n; ++i)
      s.places.push_back(read_position(places->item(i)));
  }
  if (const auto given = v.find("area")) {
    if (s.places.empty()) given->fail("", "is only for taxels", "leave it out");
    area = given->number("m2", kSmallestLength * kSmallestLength, kLargestLength);
  }
  s.areas.assign(s.places.size(), area);
}

Sensor read_sensor(const Value& v) {
  v.keys({"name", "kind", "target", "pose", "against", "torque_constant", "acts_on", "rate",
          "delay", "noise", "angular_noise", "grid", "pitch", "places", "area"});
  Sensor s;
  s.name = v.at("name", "name the sensor, to read it").text();
  std::vector<std::string> kinds;
  kinds.reserve(kSensorKinds);
  for (int k = 0; k < kSensorKinds; ++k)
    kinds.emplace_back(sensor_kind_name(static_cast<SensorKind>(k)));
  s.kind = static_cast<SensorKind>(read_word(v.at("kind", "write for example kind: imu"), kinds));
  if (const auto target = v.find("target")) s.target = target->text();
  if (const auto pose = v.find("pose")) s.frame = read_pose(*pose);
  if (const auto against = v.find("against")) s.reference = against->text();
  read_taxels(v, s);
  read_if(v, "torque_constant", "", -1e12, 1e12, s.torque_constant);
  if (const auto side = v.find("acts_on"))
    s.child_on_parent = read_word(*side, {"child", "parent"}) == 1;
  read_if(v, "rate", "1/s", 0, 1e6, s.rate);
  read_if(v, "delay", "s", 0, 100, s.delay);
  read_noise(v, "noise", s.noise);
  read_noise(v, "angular_noise", s.angular_noise);
  located(v, [&] { check_sensor(s, "sensor \"" + s.name + "\""); });
  return s;
}

}  // namespace

void read_sensors(const Value& v, std::vector<Sensor>& out) {
  const auto sensors = v.find("sensors");
  if (!sensors) return;
  for (std::size_t i = 0, n = sensors->list(1, 10'000); i < n; ++i)
    out.push_back(read_sensor(sensors->item(i)));
}

}  // namespace haptos::scene_file
