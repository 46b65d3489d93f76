#include "haptos/base/text/text.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace haptos {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::string_view without_plus(std::string_view t) {
  if (t.size() > 1 && t[0] == '+' && t[1] != '-' && t[1] != '+') t.remove_prefix(1);
  return t;
}

}  // namespace

bool parse_double(std::string_view token, double& value) {
  const std::string_view t = without_plus(token);
  const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
  if (end != t.data() + t.size() || t.empty()) return false;
  if (error == std::errc::result_out_of_range) {
    const bool tiny = t.find("e-") != t.npos || t.find("E-") != t.npos;
    value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return true;
  }
  return error == std::errc();
}

bool parse_integer(std::string_view token, std::int64_t& value) {
  const std::string_view t = without_plus(token);
  const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
  return error == std::errc() && end == t.data() + t.size() && !t.empty();
}

std::string to_text(double value) {
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  constexpr char kHex[] = "0123456789abcdef";
  std::string s;
  for (const char c : text.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~') {
      s += c;
    } else {
      const auto b = static_cast<unsigned char>(c);
      s += {'\\', 'x', kHex[b >> 4], kHex[b & 15]};
    }
  }
  if (text.size() > kLongest) s += "...";
  return s;
}

std::string element_name(const char* kind, std::int64_t index) {
  return index < 0 ? std::string(kind) : kind + (" " + std::to_string(index));
}

std::size_t check_text(std::string_view bytes, const std::string& file) {
  const auto fail = [&](int line, std::string element, std::string rule, std::string remedy) {
    throw InputError(
        Diagnostic{file, line, 0, std::move(element), "", std::move(rule), std::move(remedy)});
  };
  if (bytes.empty()) fail(0, "", "the file is empty", "export it again");
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv))
    fail(0, "", "the file is UTF-32 text", "save it as ASCII or UTF-8");
  if (bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv))
    fail(0, "", "the file is UTF-16 text", "save it as ASCII or UTF-8");
  const std::size_t nul = bytes.find('\0');
  if (nul != bytes.npos) {
    const auto lines = std::count(bytes.begin(), bytes.begin() + static_cast<long>(nul), '\n');
    fail(static_cast<int>(lines) + 1, "byte " + std::to_string(nul),
         "a NUL byte stands inside the text", "the file is damaged or not text; export it again");
  }
  return bytes.starts_with("\xef\xbb\xbf"sv) ? 3 : 0;
}

void TextScanner::skip_blanks(bool lines_too) {
  while (at_ < bytes_.size()) {
    const char c = bytes_[at_];
    if (is_blank(c)) {
      ++at_;
    } else if (c == '\n' && lines_too) {
      ++at_;
      ++line_;
    } else if (comment_ != '\0' && c == comment_) {
      while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
    } else if (c == '\\' && continuation_) {
      std::size_t end = at_ + 1;
      while (end < bytes_.size() && bytes_[end] == '\r') ++end;
      if (end >= bytes_.size() || bytes_[end] != '\n') return;
      at_ = end + 1;
      ++line_;
    } else {
      return;
    }
  }
}

std::string_view TextScanner::token() {
  taken_line_ = line_;
  const std::size_t start = at_;
  while (at_ < bytes_.size() && !is_blank(bytes_[at_]) && bytes_[at_] != '\n') {
    if (comment_ != '\0' && bytes_[at_] == comment_) break;
    // A backslash that ends the line also ends the word, but never makes an empty one.
    if (continuation_ && bytes_[at_] == '\\' && at_ > start && at_ + 1 < bytes_.size() &&
        (bytes_[at_ + 1] == '\n' || bytes_[at_ + 1] == '\r'))
      break;
    ++at_;
  }
  return bytes_.substr(start, at_ - start);
}

std::string_view TextScanner::line_word() {
  skip_blanks(false);
  return token();
}

std::string_view TextScanner::word() {
  skip_blanks(true);
  return token();
}

std::string_view TextScanner::take_line() {
  taken_line_ = line_;
  const std::size_t start = at_;
  const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
  at_ = end;
  if (at_ < bytes_.size()) {
    ++at_;
    ++line_;
  }
  std::string_view s = bytes_.substr(start, end - start);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

std::string_view TextScanner::take_bytes(std::uint64_t n, const char* what) {
  binary_ = true;
  if (n > remaining())
    fail(what, "",
         "needs " + std::to_string(n) + " bytes, but the file ends after " +
             std::to_string(remaining()),
         "the file is cut short or its counts are wrong; export it again");
  const std::string_view s = bytes_.substr(at_, n);
  at_ += n;
  return s;
}

bool TextScanner::seek(std::string_view text) {
  const std::size_t found = bytes_.find(text, at_);
  if (found == bytes_.npos) return false;
  if (!binary_)
    line_ += static_cast<int>(std::count(bytes_.begin() + static_cast<long>(at_),
                                         bytes_.begin() + static_cast<long>(found), '\n'));
  at_ = found;
  return true;
}

double TextScanner::number(const char* kind, std::int64_t index) {
  const std::string_view w = word();
  double value = 0;
  if (w.empty())
    fail(element_name(kind, index), "", "the file ends where a number must follow",
         "the file is cut short or its counts are wrong");
  if (!parse_double(w, value))
    fail(element_name(kind, index), printable(w), "must be a number with a decimal point",
         "check that line and the counts that the file gives");
  return value;
}

std::int64_t TextScanner::integer(const char* kind, std::int64_t index, std::int64_t low,
                                  std::int64_t high) {
  const std::string_view w = word();
  std::int64_t value = 0;
  if (w.empty())
    fail(element_name(kind, index), "", "the file ends where an integer must follow",
         "the file is cut short or its counts are wrong");
  if (!parse_integer(w, value))
    fail(element_name(kind, index), printable(w), "must be an integer",
         "check that line and the counts that the file gives");
  if (value < low || value > high)
    fail(element_name(kind, index), std::to_string(value),
         "must lie between " + std::to_string(low) + " and " + std::to_string(high));
  return value;
}

void TextScanner::expect(std::string_view expected, const char* where) {
  const std::string_view w = word();
  if (w != expected)
    fail(where, w.empty() ? "the end of the file" : printable(w),
         "must be " + std::string(expected), "check the counts that the file gives");
}

void TextScanner::fail_at(int line, std::string element, std::string value, std::string rule,
                          std::string remedy) const {
  if (binary_ && line == 0)
    element += (element.empty() ? "byte " : " (byte ") + std::to_string(at_) +
               (element.empty() ? "" : ")");
  throw InputError(Diagnostic{file_, line, 0, std::move(element), std::move(value), std::move(rule),
                              std::move(remedy)});
}

}  // namespace haptos
