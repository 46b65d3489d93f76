// Motions of joints over time, recorded or designed, that motors play.
//
// Between rows a value goes straight, or along the cubic of Hermite through both whose slopes are
// those of the parabolas through each row and its neighbours (at the ends through the first and the
// last three rows): smooth to first order, of third order in the distance of rows, exact for
// parabolas, and local, so that a jump in a recording spreads over two rows on either side. Beyond
// the ends values are held, or the motion starts again: then the last row takes the place of the
// first of the next round, slopes too, and should equal it.
//
// File: CSV, a header `time,NAME,NAME,...`, then a row of numbers each, time in s and rising, the
// rest in the joints' units (rad, m). Blank lines and lines that start with # are passed over, a
// name may stand in double quotes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace haptos {

struct TrajectorySample {
  double value = 0;  ///< [rad] or [m]
  double rate = 0;   ///< [rad/s] or [m/s]; 0 where the value is held
};

enum class Interpolation : std::uint8_t { kLinear, kCubic };

class Trajectory {
 public:
  /// @param times  rising [s], at least one
  /// @param values  row by row, times.size() x names.size()
  /// @throws InputError naming the row or column, for sizes that do not agree, names that are empty
  ///     or given twice, numbers that are not finite, and times that do not rise
  Trajectory(std::vector<std::string> names, std::vector<double> times, std::vector<double> values,
             Interpolation interpolation = Interpolation::kLinear, bool loop = false);

  const std::vector<std::string>& names() const { return names_; }
  int columns() const { return static_cast<int>(names_.size()); }
  int rows() const { return static_cast<int>(times_.size()); }
  double start() const { return times_.front(); }
  double end() const { return times_.back(); }
  bool loops() const { return loop_; }
  /// Number of the column of this name. @throws InputError naming the nearest one
  int column(const std::string& name) const;

  /// The value of a column and its rate at a time [s].
  TrajectorySample at(int column, double time) const;

 private:
  double value(std::size_t row, std::size_t column) const {
    return values_[row * names_.size() + column];
  }
  double slope(std::size_t row, std::size_t column) const;

  std::vector<std::string> names_;
  std::vector<double> times_, values_;
  Interpolation interpolation_;
  bool loop_;
};

/// Reads a file of up to 256 MB. @throws InputError naming file, line and column of what is wrong
Trajectory read_trajectory(const std::filesystem::path& path,
                           Interpolation interpolation = Interpolation::kLinear, bool loop = false);
/// The same from text; `file` stands for it in errors.
Trajectory parse_trajectory(std::string_view text, const std::string& file,
                            Interpolation interpolation = Interpolation::kLinear,
                            bool loop = false);

}  // namespace haptos
