// Reading text, and bytes mixed with text, without a locale and without surprises.
//
// Numbers are read by std::from_chars and must fill their whole token, so "1,5" and "12abc" are
// errors in every locale. TextScanner walks a file that is already in memory, knows the line it is
// on, and turns what is wrong into one InputError. Once raw bytes have been taken, lines mean
// nothing any more and errors name the byte offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "haptos/base/text/error.h"

namespace haptos {

/// Reads a decimal number that fills `token`; one leading '+' is allowed. "nan" and "inf" are read
/// as such, too large a number as infinity, too small a one as 0. Returns false for anything else.
bool parse_double(std::string_view token, double& value);

/// Reads a decimal integer that fills `token`; one leading '+' is allowed. Returns false for
/// anything else, and for numbers beyond 64 bits.
bool parse_integer(std::string_view token, std::int64_t& value);

/// The shortest decimal text that reads back as `value`.
std::string to_text(double value);

/// `text` made fit for an error message: cut at 40 bytes, unprintable bytes written as \xNN.
std::string printable(std::string_view text);

/// "vertex 12"; only `kind` where index is negative.
std::string element_name(const char* kind, std::int64_t index);

/// Throws InputError where `bytes` cannot be 8-bit text: empty, UTF-16, UTF-32, or holding NUL
/// bytes. Returns the number of bytes to skip: 3 after a UTF-8 byte order mark, 0 otherwise.
std::size_t check_text(std::string_view bytes, const std::string& file);

/// Walks bytes in memory that it does not own.
class TextScanner {
 public:
  TextScanner(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  /// From here on `mark` starts a comment that ends with its line.
  void set_comment(char mark) { comment_ = mark; }
  /// From here on a backslash at the end of a line joins it with the next one, for line_word().
  void set_continuation(bool on) { continuation_ = on; }

  const std::string& file() const { return file_; }
  std::size_t offset() const { return at_; }
  std::size_t remaining() const { return bytes_.size() - at_; }
  bool at_end() const { return at_ == bytes_.size(); }
  /// The line of the last word or line taken, 1-based; 0 once raw bytes were taken.
  int line() const { return binary_ ? 0 : taken_line_; }

  /// The next word on this line; empty at the end of the line.
  std::string_view line_word();
  /// The next word on this or a later line; empty at the end of the file.
  std::string_view word();
  /// The rest of this line without its end; moves to the next line.
  std::string_view take_line();
  /// The next n raw bytes, read as `what`; an error where fewer are left.
  std::string_view take_bytes(std::uint64_t n, const char* what);
  /// Moves to the first occurrence of `text` at or after here; false where there is none.
  bool seek(std::string_view text);
  void skip(std::size_t n) { at_ += n < remaining() ? n : remaining(); }

  /// The next word as a number, which may be infinite or not a number. An error names it as
  /// element_name(kind, index).
  double number(const char* kind, std::int64_t index = -1);
  /// The next word as an integer in [low, high].
  std::int64_t integer(const char* kind, std::int64_t index, std::int64_t low, std::int64_t high);
  /// The next word, which must be `expected`.
  void expect(std::string_view expected, const char* where);

  [[noreturn]] void fail(std::string element, std::string value, std::string rule,
                         std::string remedy = "") const {
    fail_at(line(), std::move(element), std::move(value), std::move(rule), std::move(remedy));
  }
  [[noreturn]] void fail_at(int line, std::string element, std::string value, std::string rule,
                            std::string remedy = "") const;

 private:
  void skip_blanks(bool lines_too);
  std::string_view token();

  std::string_view bytes_;
  std::string file_;
  std::size_t at_ = 0;
  int line_ = 1;
  int taken_line_ = 1;
  char comment_ = '\0';
  bool continuation_ = false;
  bool binary_ = false;
};

}  // namespace haptos
