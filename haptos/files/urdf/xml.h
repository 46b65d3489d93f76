// XML text as a tree of elements that know their line and column.
//
// The part of XML that robot files need: elements, attributes with the five entities and character
// references, comments, CDATA. Document type declarations are refused, so there are no entities to
// expand and no external files to open. Text between elements is left out. An attribute given twice
// is an error, as is text that is not UTF-8.
//
// Limits hold before memory is taken: bytes, and elements counted by their opening brackets. Depth
// is checked on the parser's tree, which takes no stack.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace haptos::xml {

struct Limits {
  std::int64_t max_bytes = 16ll << 20;
  std::int64_t max_elements = 1'000'000;  ///< end tags and comments counted too
  int max_depth = 256;  ///< bodies of an MJCF model are nested as they hang on each other
};

struct Attribute {
  std::string name, value;
  int line = 0, column = 0;  ///< of the name, 1-based
};

struct Element {
  std::string name;
  int line = 0, column = 0;           ///< of the name, 1-based
  std::vector<Attribute> attributes;  ///< in the order of the text
  std::vector<const Element*> children;

  /// The attribute of this name; null where there is none.
  const Attribute* find(std::string_view attribute) const;
  /// The first child of this name; null where there is none.
  const Element* child(std::string_view element) const;
};

class Document {
 public:
  /// @param file stands for the text in errors. Throws InputError naming line and column.
  Document(std::string_view text, std::string file, const Limits& limits = {});
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const Element& root() const { return elements_.front(); }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::deque<Element> elements_;  // addresses stay valid
};

}  // namespace haptos::xml
