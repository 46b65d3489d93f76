// YAML text as a tree of nodes that know their line and column.
//
// The part of YAML 1.2 that data needs: maps with plain words as keys, lists, scalars, anchors and
// aliases. Tags, merge keys, repeated keys, keys that are maps or lists, several documents, and
// text that is not UTF-8 are errors. Scalars stay text; yaml_value.h reads numbers out of them.
//
// Limits hold while the text is read, before memory is taken: bytes, depth, and nodes counted as
// if every alias were written out, so that a tree that is read once stays within them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace haptos::yaml {

struct Limits {
  std::int64_t max_bytes = 16ll << 20;
  std::int64_t max_nodes = 1'000'000;  ///< aliases written out
  int max_depth = 64;
};

enum class Kind { kNull, kScalar, kList, kMap };

struct Node;

struct Entry {
  std::string key;
  int line = 0, column = 0;  ///< of the key
  const Node* value = nullptr;
};

struct Node {
  Kind kind = Kind::kNull;
  int line = 0, column = 0;        ///< 1-based
  std::string text;                ///< of a scalar
  bool plain = false;              ///< a scalar without quotes
  std::vector<const Node*> items;  ///< of a list
  std::vector<Entry> entries;      ///< of a map, in the order of the text
};

class Document {
 public:
  /// @param file stands for the text in errors. Throws InputError naming line and column.
  Document(std::string_view text, std::string file, const Limits& limits = {});
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const Node& root() const { return *root_; }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::deque<Node> nodes_;  // addresses stay valid
  const Node* root_ = nullptr;
};

}  // namespace haptos::yaml
