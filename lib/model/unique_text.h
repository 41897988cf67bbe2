// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "model/text.h"

namespace dsdoctor::model {

/// An immutable string that no other object has, in the size of two pointers. A UUID, such as a
/// UID, and a short text, such as a resourceVersion, are stored inside; other strings are in a
/// Text. Compares by content, as bytes.
class UniqueText {
 public:
  UniqueText() noexcept = default;
  // Implicit on purpose, as in Text.
  UniqueText(std::string_view value) {  // NOLINT(*-explicit-*)
    if (const auto uuid = uuid_of(value)) {
      bytes_ = *uuid;
    } else if (value.size() <= most_inside) {
      for (std::size_t i = 0; i < value.size(); ++i) bytes_[place_of(i)] = byte_of(value[i]);
      bytes_[mark] = static_cast<unsigned char>(value.size());
    } else {
      new (bytes_.data()) Text(value);
      bytes_[mark] = outside;
    }
  }
  UniqueText(const std::string& value)
      : UniqueText(std::string_view(value)) {}                            // NOLINT(*-explicit-*)
  UniqueText(const char* value) : UniqueText(std::string_view(value)) {}  // NOLINT(*-explicit-*)
  UniqueText(const Text& value) : UniqueText(value.view()) {}             // NOLINT(*-explicit-*)

  UniqueText(const UniqueText& other) noexcept {
    if (other.is_outside()) {
      new (bytes_.data()) Text(other.text());
      bytes_[mark] = outside;
    } else {
      bytes_ = other.bytes_;
    }
  }
  UniqueText(UniqueText&& other) noexcept {
    if (other.is_outside()) {
      new (bytes_.data()) Text(std::move(other.text()));
      bytes_[mark] = outside;
    } else {
      bytes_ = other.bytes_;
    }
  }
  UniqueText& operator=(const UniqueText& other) noexcept {
    if (this != &other) {
      this->~UniqueText();
      new (this) UniqueText(other);
    }
    return *this;
  }
  UniqueText& operator=(UniqueText&& other) noexcept {
    if (this != &other) {
      this->~UniqueText();
      new (this) UniqueText(std::move(other));
    }
    return *this;
  }
  ~UniqueText() {
    if (is_outside()) text().~Text();
  }

  [[nodiscard]] bool empty() const { return bytes_[mark] == 0; }
  [[nodiscard]] std::string str() const {
    if (is_outside()) return text().str();
    if (is_uuid()) return text_of(bytes_);
    std::string result(bytes_[mark], '\0');
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = static_cast<char>(bytes_[place_of(i)]);
    }
    return result;
  }

  // Equal texts have the same form.
  friend bool operator==(const UniqueText& a, const UniqueText& b) {
    if (a.is_outside() && b.is_outside()) return a.text() == b.text();
    return a.bytes_ == b.bytes_;
  }
  friend bool operator==(const UniqueText& a, std::string_view b) {
    return a.is_outside() ? a.text() == b : a == UniqueText(b);
  }
  friend bool operator==(const UniqueText& a, const Text& b) { return a == b.view(); }
  friend bool operator==(const UniqueText& a, const std::string& b) {
    return a == std::string_view(b);
  }
  friend bool operator==(const UniqueText& a, const char* b) { return a == std::string_view(b); }
  friend std::ostream& operator<<(std::ostream& out, const UniqueText& text) {
    return out << text.str();
  }

 private:
  using Bytes = std::array<unsigned char, 16>;

  /// The byte that determines the form: its first bits are 10 for a UUID, as in RFC 9562, and 01
  /// for a Text; else it is the number of bytes.
  static constexpr std::size_t mark = 8;
  static constexpr std::size_t most_inside = sizeof(Bytes) - 1;
  static constexpr unsigned char outside = 0x40;
  static_assert(sizeof(Text) <= mark);

  static unsigned char byte_of(char c) { return static_cast<unsigned char>(c); }
  static std::size_t place_of(std::size_t at) { return at < mark ? at : at + 1; }
  [[nodiscard]] bool is_uuid() const { return (bytes_[mark] & 0xC0U) == 0x80U; }
  [[nodiscard]] bool is_outside() const { return (bytes_[mark] & 0xC0U) == outside; }

  // REQUIRES: is_outside().
  [[nodiscard]] const Text& text() const {
    return *std::launder(reinterpret_cast<const Text*>(bytes_.data()));
  }
  [[nodiscard]] Text& text() { return *std::launder(reinterpret_cast<Text*>(bytes_.data())); }

  static bool is_dash(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }
  static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  }
  /// The bytes of a UUID in the API's form: 36 characters, in lower case. Null for other texts.
  static std::optional<Bytes> uuid_of(std::string_view value) {
    constexpr std::size_t size = 36;
    if (value.size() != size) return std::nullopt;
    Bytes result{};
    std::size_t digits = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (is_dash(i)) {
        if (value[i] != '-') return std::nullopt;
        continue;
      }
      const int digit = digit_of(value[i]);
      if (digit < 0) return std::nullopt;
      unsigned char& byte = result[digits++ / 2];
      byte = static_cast<unsigned char>(unsigned{byte} << 4U | static_cast<unsigned>(digit));
    }
    if ((result[mark] & 0xC0U) != 0x80U) return std::nullopt;
    return result;
  }
  static std::string text_of(const Bytes& uuid) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result;
    for (const unsigned byte : uuid) {
      if (is_dash(result.size())) result += '-';
      result += digits[byte >> 4U];
      result += digits[byte & 15U];
    }
    return result;
  }

  alignas(Text) Bytes bytes_{};
};

}  // namespace dsdoctor::model
