// Arrays from Python to rows of the library.
#include <cstring>
#include <limits>

#include "bind.h"
#include "haptos/base/text/units.h"

namespace haptos::python {
namespace {

using Reals = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;

std::string shape_text(const nb::object& a) { return text_of(nb::object(a.attr("shape"))); }

// Texts with units, and numbers between them, as numbers.
nb::object parsed(const nb::object& a, const char* what, const char* unit) {
  nb::list numbers;
  for (nb::handle x : nb::object(a.attr("ravel")().attr("tolist")()))
    numbers.append(to_quantity(x, unit, what));
  return nb::module_::import_("numpy")
      .attr("array")(numbers, "float64")
      .attr("reshape")(nb::object(a.attr("shape")));
}

// The array behind `in`, of the kind asked for, with `columns` columns (0: one row of numbers).
nb::object as_array(const nb::object& in, const char* what, int columns, bool whole,
                    const char* unit = nullptr) {
  const std::string want = columns == 0 ? "a row of numbers, shape (n,)"
                                        : "an array of shape (n, " + std::to_string(columns) + ")";
  nb::module_ np = nb::module_::import_("numpy");
  nb::object a;
  std::string kind;
  try {
    a = np.attr("asarray")(in);
    kind = nb::cast<std::string>(a.attr("dtype").attr("kind"));
  } catch (const nb::python_error&) {
    refuse(what, "", "must be " + want, "pass a numpy array or a list of equal rows");
  }
  const auto size = nb::cast<std::int64_t>(a.attr("size"));
  if (size == 0) return np.attr("zeros")(nb::make_tuple(0, std::max(columns, 1)), "int64");
  if (unit && (kind == "U" || kind == "O")) {
    a = parsed(a, what, unit);
    kind = "f";
  }
  const bool ints = kind == "i" || kind == "u";
  if (!(ints || (!whole && kind == "f")))
    refuse(what, "dtype " + text_of(nb::object(a.attr("dtype"))),
           std::string("must hold ") + (whole ? "whole numbers" : "real numbers"),
           whole ? "use an integer dtype such as int32" : "use float64");
  const auto ndim = nb::cast<int>(a.attr("ndim"));
  if (ndim != (columns == 0 ? 1 : 2) ||
      (columns && nb::cast<int>(a.attr("shape")[nb::int_(1)]) != columns))
    refuse(what, "shape " + shape_text(a), "must be " + want, "reshape it");
  return np.attr("ascontiguousarray")(a, whole ? "int64" : "float64");
}

template <class Row>
std::vector<Row> real_rows(const nb::object& in, const char* what, int columns,
                           const char* unit = nullptr) {
  const nb::object a = as_array(in, what, columns, false, unit);
  const auto r = nb::cast<Reals>(nb::module_::import_("numpy").attr("ascontiguousarray")(a, "f8"));
  std::vector<Row> rows(r.shape(0));
  if (!rows.empty()) std::memcpy(rows.data(), r.data(), rows.size() * sizeof(Row));
  return rows;
}

template <class Row>
std::vector<Row> whole_rows(const nb::object& in, const char* what, int columns) {
  const auto r = nb::cast<Integers>(as_array(in, what, columns, true));
  std::vector<Row> rows(r.shape(0));
  auto* out = reinterpret_cast<int*>(rows.data());
  for (std::size_t i = 0; i < rows.size() * (sizeof(Row) / sizeof(int)); ++i) {
    const std::int64_t v = r.data()[i];
    if (v < 0 || v > std::numeric_limits<int>::max())
      refuse(what, std::to_string(v), "must be a vertex number, 0 or more", "count from 0");
    out[i] = static_cast<int>(v);
  }
  return rows;
}

}  // namespace

void refuse(const std::string& element, const std::string& value, const std::string& rule,
            const std::string& remedy) {
  Diagnostic d;
  d.element = element;
  d.value = value;
  d.rule = rule;
  d.remedy = remedy;
  throw InputError(d);
}

std::string text_of(nb::handle object) {
  return nb::cast<std::string>(nb::module_::import_("builtins").attr("str")(object));
}

std::vector<Vec3d> to_points(const nb::object& a, const char* what) {
  return real_rows<Vec3d>(a, what, 3);
}
std::vector<Vec2d> to_points2(const nb::object& a, const char* what) {
  return real_rows<Vec2d>(a, what, 2);
}
std::vector<Vec3i> to_triangles(const nb::object& a, const char* what) {
  return whole_rows<Vec3i>(a, what, 3);
}
std::vector<Vec2i> to_segments(const nb::object& a, const char* what) {
  return whole_rows<Vec2i>(a, what, 2);
}
std::vector<Vec4i> to_tets(const nb::object& a, const char* what) {
  return whole_rows<Vec4i>(a, what, 4);
}
std::vector<int> to_indices(const nb::object& a, const char* what) {
  return whole_rows<int>(a, what, 0);
}
std::vector<double> to_numbers(const nb::object& a, const char* what, const char* unit) {
  return real_rows<double>(a, what, 0, unit);
}

double to_quantity(nb::handle value, const char* unit, const std::string& what) {
  double number = 0;
  std::string text;
  Diagnostic where;
  where.element = what;
  if (nb::try_cast<std::string>(value, text)) return read_quantity(text, unit, where);
  if (!nb::isinstance<nb::bool_>(value) && nb::try_cast<double>(value, number)) return number;
  const auto kind = nb::cast<std::string>(
      nb::module_::import_("haptos.meshes.given").attr("kind_of")(nb::borrow(value)));
  refuse(what, kind, "must be a number" + (*unit ? " in " + std::string(unit) : ""),
         *unit ? "or a text with a unit, as \"1 " + known_units(unit).back() + "\"" : "");
}

PressureLaw to_pressure(nb::handle value, const std::string& what) {
  nb::dict given;
  if (!nb::try_cast<nb::dict>(value, given)) return to_quantity(value, "Pa/m", what);
  const bool table = given.contains("pressure");
  if (given.size() != 1 || table == given.contains("modulus"))
    refuse(what, text_of(nb::object(given)), "must have either modulus or pressure",
           "for example {\"pressure\": [(1e-3, 5e3), (2e-3, 2e4)]}");
  if (!table) return to_quantity(given["modulus"], "Pa/m", what + ", modulus");
  const nb::object rows = given["pressure"];
  const std::string name = what + ", pressure";
  std::vector<PressureLaw::Row> list;
  if (!nb::isinstance<nb::iterable>(rows)) refuse(name, text_of(rows), "must be rows", "");
  for (nb::handle row : rows) {
    nb::object both = nb::borrow(row);
    if (nb::isinstance<nb::str>(both) || !nb::hasattr(both, "__len__") || nb::len(both) != 2)
      refuse(name, text_of(both), "must be rows of a depth and a pressure",
             "for example [(\"1 mm\", \"5 kPa\"), (\"2 mm\", \"20 kPa\")]");
    list.emplace_back(to_quantity(nb::object(both[0]), "m", name),
                      to_quantity(nb::object(both[1]), "Pa", name));
  }
  return {name, list};
}

nb::object pressure_object(const PressureLaw& law) {
  if (!law.is_table()) return nb::float_(law.modulus());
  nb::list rows;
  for (const auto& [depth, pressure] : law.rows()) rows.append(nb::make_tuple(depth, pressure));
  nb::dict d;
  d["pressure"] = rows;
  return d;
}

std::vector<float> to_floats(const nb::object& a, const char* what) {
  const std::vector<double> v = to_numbers(nb::module_::import_("numpy").attr("ravel")(a), what);
  return {v.begin(), v.end()};
}

void require_below(std::span<const int> numbers, std::size_t width, std::size_t count,
                   const char* what, const char* of) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int n = numbers[i];
    if (n >= 0 && static_cast<std::size_t>(n) < count) continue;
    const std::string row = width > 1 ? ", row " + std::to_string(i / width) : "";
    refuse(what + row, std::to_string(n),
           count == 0 ? std::string("names one of the ") + of + ", and there are none"
                      : "must be from 0 to " + std::to_string(count - 1) + ", since there are " +
                            std::to_string(count) + " " + of,
           "count from 0, and take both from the same mesh");
  }
}

void require_index(int number, std::size_t count, const char* what) {
  if (number >= 0 && static_cast<std::size_t>(number) < count) return;
  refuse(what, std::to_string(number),
         count == 0 ? "is not there: there are none"
                    : "must be from 0 to " + std::to_string(count - 1),
         "count from 0");
}

Vec3d to_vec3(const nb::object& a, const char* what, const char* unit) {
  const std::vector<double> v = to_numbers(a, what, unit);
  if (v.size() != 3)
    refuse(what, std::to_string(v.size()) + " numbers", "must be three numbers", "give x, y, z");
  return {{v[0], v[1], v[2]}};
}

Pose to_pose(const nb::object& position, const nb::object& quaternion, const char* what) {
  Pose p;
  if (!position.is_none()) p.p = to_vec3(position, (std::string(what) + " position").c_str(), "m");
  if (quaternion.is_none()) return p;
  const std::string name = std::string(what) + " quaternion";
  const std::vector<double> q = to_numbers(quaternion, name.c_str());
  if (q.size() != 4)
    refuse(name, std::to_string(q.size()) + " numbers", "must be four numbers", "give w, x, y, z");
  p.q = {q[0], q[1], q[2], q[3]};
  return p;
}

nb::tuple vec3(const Vec3d& v) { return nb::make_tuple(v[0], v[1], v[2]); }

OutArray<double, 7> pose_row(const Pose& p) {
  return own<OutArray<double, 7>>(
      std::vector<double>{p.p[0], p.p[1], p.p[2], p.q.w, p.q.x, p.q.y, p.q.z}, {7});
}

}  // namespace haptos::python
