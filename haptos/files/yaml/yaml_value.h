// Typed reading of a YAML tree: words, numbers with units, vectors.
//
// Numbers may carry units (base/text/units.h). A Value carries the path of its node, so every error
// names line, column and path.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "haptos/base/math/math.h"
#include "haptos/base/text/error.h"
#include "haptos/files/yaml/yaml_reader.h"

namespace haptos::yaml {

class Value {
 public:
  explicit Value(const Document& d) : document_(&d), node_(&d.root()) {}

  const Node& node() const { return *node_; }
  const std::string& path() const { return path_; }  ///< "soft[0].pose"; "" for the root
  bool is_scalar() const { return node_->kind == Kind::kScalar; }
  bool is_list() const { return node_->kind == Kind::kList; }
  bool is_map() const { return node_->kind == Kind::kMap; }

  /// File, line, column and path of this node.
  Diagnostic where() const;
  [[noreturn]] void fail(const std::string& value, const std::string& rule,
                         const std::string& remedy) const;

  /// Demands a map.
  void map() const;
  /// Demands a map whose keys are among `known`; names the nearest known key otherwise.
  void keys(std::initializer_list<const char*> known) const {
    keys(std::vector<const char*>(known));
  }
  void keys(const std::vector<const char*>& known) const;
  [[noreturn]] void fail_unknown(const Entry& entry, const std::vector<std::string>& known) const;
  /// The value of a key of a map; none where the map has no such key.
  std::optional<Value> find(const char* key) const;
  /// As find(); an error with `remedy` where there is no such key.
  Value at(const char* key, const std::string& remedy) const;
  /// Demands a map and returns the value of its entry i.
  Value entry(std::size_t i) const;

  /// Demands a list of `least` to `most` items and returns their number.
  std::size_t list(std::size_t least, std::size_t most) const;
  Value item(std::size_t i) const;

  /// A word or sentence of at most 1000 printable characters.
  std::string text() const;
  /// true or false, nothing else.
  bool boolean() const;
  /// A finite number in the SI unit `unit`: "m", "Pa", "" for none. An angle, unit "rad", that is
  /// not 0 must name its unit.
  double number(const std::string& unit) const;
  double number(const std::string& unit, double low, double high) const;
  /// As number(), but infinities and not-a-number pass.
  double any_number(const std::string& unit) const;
  int integer(int low, int high) const;
  /// A list of three numbers.
  Vec3d vector(const std::string& unit) const;

 private:
  Value(const Document* d, const Node* n, std::string path)
      : document_(d), node_(n), path_(std::move(path)) {}
  std::string shown() const;  // the node as an error quotes it

  const Document* document_;
  const Node* node_;
  std::string path_;
};

/// Metres in one `unit`: m, cm, mm, um or in. Throws InputError at v for anything else.
double length_unit(const Value& v);

}  // namespace haptos::yaml
