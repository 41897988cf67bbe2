#pragma once

#include <compare>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_set>

namespace dsdoctor::model {

/// An immutable string that is shared instead of copied. A cluster repeats the same label keys,
/// taint keys and reasons thousands of times; TextPool makes those repeats one allocation.
/// Owns its share: no lifetime to think of. Bytes, not characters; compares by content.
class Text {
 public:
  Text() = default;
  // Implicit on purpose: a Text stands wherever the API has a string.
  Text(std::string_view value)  // NOLINT(*-explicit-*)
      : value_(value.empty() ? nullptr : std::make_shared<const std::string>(value)) {}
  Text(const std::string& value) : Text(std::string_view(value)) {}  // NOLINT(*-explicit-*)
  Text(const char* value) : Text(std::string_view(value)) {}         // NOLINT(*-explicit-*)

  [[nodiscard]] std::string_view view() const {
    return value_ ? std::string_view(*value_) : std::string_view();
  }
  operator std::string_view() const { return view(); }  // NOLINT(*-explicit-*)
  [[nodiscard]] std::string str() const { return std::string(view()); }
  [[nodiscard]] bool empty() const { return !value_; }

  friend bool operator==(const Text& a, const Text& b) {
    return a.value_ == b.value_ || a.view() == b.view();
  }
  friend std::strong_ordering operator<=>(const Text& a, const Text& b) {
    if (a.value_ == b.value_) return std::strong_ordering::equal;
    return a.view() <=> b.view();
  }
  friend bool operator==(const Text& a, std::string_view b) { return a.view() == b; }
  friend bool operator==(const Text& a, const char* b) { return a.view() == b; }
  friend bool operator==(const Text& a, const std::string& b) { return a.view() == b; }
  friend std::ostream& operator<<(std::ostream& out, const Text& text) {
    return out << text.view();
  }

 private:
  std::shared_ptr<const std::string> value_;  // null for the empty string; shared by equal texts
};

/// Hands out one shared Text for equal strings. Not thread-safe: one pool a decoding thread.
/// The texts outlive the pool.
class TextPool {
 public:
  [[nodiscard]] Text intern(std::string_view value) {
    if (value.empty()) return {};
    if (const auto found = texts_.find(value); found != texts_.end()) return *found;
    return *texts_.insert(Text(value)).first;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view value) const {
      return std::hash<std::string_view>{}(value);
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
  };
  std::unordered_set<Text, Hash, Equal> texts_;
};

}  // namespace dsdoctor::model
