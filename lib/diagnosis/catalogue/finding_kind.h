#pragma once

#include <array>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "diagnosis/catalogue/finding_id.h"

namespace dsdoctor::diagnosis {

/// A parameter that a finding cannot be made without. Empty: it is not known, and what would be
/// done with it is left out.
class TextParameter {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a text is given
  template <std::convertible_to<std::string_view> T>
  TextParameter(const T& text) : text_(std::string_view(text)) {}
  [[nodiscard]] std::string_view value() const { return text_; }

 private:
  std::string text_;
};

/// A parameter that decides what is to be done.
class Condition {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): nothing else than a bool converts
  Condition(std::same_as<bool> auto holds) : holds_(holds) {}
  [[nodiscard]] std::string_view value() const { return holds_ ? "true" : ""; }

 private:
  bool holds_;
};

/// Which finding, with its parameters as findings.h has them. Refers to these: an argument, not to
/// be kept.
class FindingKind {
 public:
  /// One that has no parameters; another does not compile.
  // NOLINTNEXTLINE(google-explicit-constructor): the id is all there is to it
  consteval FindingKind(FindingId id) : id_(id) {
    if (has_parameters(id)) throw "its parameters are missing: see diagnosis/catalogue/findings.h";
  }
  template <std::size_t N, std::convertible_to<std::string_view>... Values>
  constexpr FindingKind(FindingId id, const std::string_view (&names)[N], Values... values)
      : id_(id), names_(names), values_{values...} {
    static_assert(sizeof...(Values) == N && N <= most_parameters);
  }

  [[nodiscard]] constexpr FindingId id() const { return id_; }
  /// Empty where it has none of that name, or its condition does not hold.
  [[nodiscard]] std::string_view parameter(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return values_[i];
    }
    return {};
  }

 private:
  static constexpr std::size_t most_parameters = 28;
  FindingId id_;
  std::span<const std::string_view> names_ = {};
  std::array<std::string_view, most_parameters> values_ = {};
};

}  // namespace dsdoctor::diagnosis
