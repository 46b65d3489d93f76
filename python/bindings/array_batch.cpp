#include "array_batch.h"

#include <algorithm>

namespace haptos::python {

namespace {

nb::module_ numpy() { return nb::module_::import_("numpy"); }

nb::tuple as_tuple(const std::vector<std::size_t>& v) {
  nb::list l;
  for (std::size_t n : v) l.append(n);
  return nb::tuple(l);
}

}  // namespace

void ArrayBatch::add(const nb::object& array, const std::vector<std::size_t>& own,
                     const char* what) {
  nb::object a;
  try {
    a = numpy().attr("asarray")(array, "float64");
  } catch (const nb::python_error&) {
    refuse(what, "", "must be an array of real numbers", "pass a numpy array");
  }
  const auto shape = nb::cast<std::vector<std::size_t>>(a.attr("shape"));
  if (shape.size() < own.size() || !std::equal(own.rbegin(), own.rend(), shape.rbegin())) {
    std::string want = "(...";
    for (std::size_t n : own) want += ", " + std::to_string(n);
    refuse(what, "shape " + text_of(nb::object(a.attr("shape"))), "must have shape " + want + ")",
           "");
  }
  given_.push_back(
      {a, own, {shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(own.size())}, what});
}

void ArrayBatch::finish() {
  nb::list leads;
  for (const Given& g : given_) leads.append(as_tuple(g.lead));
  try {
    lead = nb::cast<std::vector<std::size_t>>(numpy().attr("broadcast_shapes")(*leads));
  } catch (const nb::python_error&) {
    std::string names, shapes;
    for (const Given& g : given_) {
      names += (names.empty() ? "" : ", ") + std::string(g.what);
      shapes += (shapes.empty() ? "" : ", ") + text_of(as_tuple(g.lead));
    }
    refuse(names, "leading axes " + shapes, "must have leading axes that go together", "");
  }
  for (std::size_t n : lead) count *= n;
  for (const Given& g : given_) {
    std::vector<std::size_t> shape = lead;
    shape.insert(shape.end(), g.own.begin(), g.own.end());
    const nb::object full = numpy().attr("ascontiguousarray")(
        numpy().attr("broadcast_to")(g.array, as_tuple(shape)), "float64");
    rows_.push_back(nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(full));
    std::size_t width = 1;
    for (std::size_t n : g.own) width *= n;
    widths_.push_back(width);
  }
}

}  // namespace haptos::python
