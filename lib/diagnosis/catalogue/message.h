// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"

/// Messages as values: the id of a message in the catalogue, with the values of its parameters.
/// Only render/words makes the text, and no decision depends on the text.
namespace dsdoctor::diagnosis {

/// Reference to an object of the cluster in evidence and messages.
struct ObjectRef {
  std::string kind;  // "Pod"
  std::string ns;    // empty if the kind is not namespaced
  std::string name;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the comparison
  friend std::strong_ordering operator<=>(const ObjectRef&, const ObjectRef&) = default;
};

/// A value in an object that supports a finding.
struct Evidence {
  ObjectRef object;
  std::string path;   // JSON path in the object: "spec.taints[0].value"
  std::string value;  // as in the object, shortened if long; empty: absent in the object

  Evidence() = default;
  Evidence(ObjectRef its_object, std::string its_path, std::string its_value = {})
      : object(std::move(its_object)), path(std::move(its_path)), value(std::move(its_value)) {}

  friend bool operator==(const Evidence&, const Evidence&) = default;
};

/// Type of a parameter, as named in the catalogue.
enum class ParameterType {
  Condition,  // selects clauses and steps; is not printed
  Text,       // a name or a term of the API, or a quantity as in a manifest
  Foreign,    // a text from the cluster: an event's message, an error of a container
  Count,
  Duration,
  Time,
  Since,    // when it began, with its age if `now` is given
  Due,      // when it should have resolved
  Object,   // "namespace/name"
  Names,    // the first five, and how many more
  Phrases,  // a list of phrases of the catalogue
};

/// Text from the cluster, to be shown as untrusted text.
struct ForeignText {
  std::string text;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the comparison
  friend std::strong_ordering operator<=>(const ForeignText&, const ForeignText&) = default;
};

/// A time, optionally with its age.
struct Moment {
  base::Time at;
  std::optional<base::Time::duration> age = {};

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the comparison
  friend std::strong_ordering operator<=>(const Moment&, const Moment&) = default;
};

/// A value that differs between the placements of a problem: no title can contain it.
struct Varying {
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the comparison
  friend std::strong_ordering operator<=>(const Varying&, const Varying&) = default;
};

struct Argument;

/// Index into message_entries(); for a finding it is the FindingId.
enum class MessageId : std::uint16_t {};

/// A sentence as an entry of the catalogue and its arguments.
struct Message {
  MessageId id = {};
  std::vector<Argument> arguments;  // in the order of the entry's parameters
  std::vector<Message> notes;       // further clauses after the sentence

  Message();
  explicit Message(MessageId its_id);
  Message(MessageId its_id, std::vector<Argument> its_arguments);

  // An arbitrary order that is the same in each run.
  friend bool operator==(const Message& a, const Message& b);
  friend std::strong_ordering operator<=>(const Message& a, const Message& b);
};

/// The value of a parameter; monostate if it is not known.
struct Argument {
  using Names = std::vector<std::string>;
  using Value = std::variant<std::monostate, Varying, bool, std::int64_t, std::string, ForeignText,
                             base::Time::duration, Moment, ObjectRef, Names, std::vector<Message>>;
  Value value = {};

  friend bool operator==(const Argument& a, const Argument& b) { return a.value == b.value; }
  friend std::strong_ordering operator<=>(const Argument& a, const Argument& b) {
    return a.value <=> b.value;
  }

  [[nodiscard]] bool is_varying() const { return std::holds_alternative<Varying>(value); }
  /// The text; empty if the value is not known or has another type.
  [[nodiscard]] std::string_view text() const {
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr ? std::string_view() : std::string_view(*text);
  }
  /// Whether a condition is true, or a value of another type is known and not empty.
  [[nodiscard]] bool holds() const;
};

/// A part of a parsed message.
struct Token {
  enum class Kind : std::uint8_t {
    Text,    // literal
    Value,   // value of a parameter
    If,      // the clause applies if the parameter holds
    Unless,  // the clause applies if the parameter does not hold
    Open,    // start of a clause that is omitted if a value in it is not known
    Close,
    Colon,  // ends the term of Kubernetes at the start of a message
  };
  Kind kind;
  std::uint8_t parameter;  // index; for Value, If and Unless
  std::string_view text;   // the literal; or a count's noun, a list's separator
};

struct ParameterEntry {
  std::string_view name;
  ParameterType type;
};

/// A message of the catalogue. Everything has static lifetime.
struct MessageEntry {
  std::span<const ParameterEntry> parameters;
  std::span<const Token> message;  // empty: the title
  std::span<const Token> shared;   // for several nodes whose values differ; empty: the title
  std::string_view title;          // title of a finding; without parameters
};

/// Findings in the order of FindingId, verdicts and reasons, phrases.
[[nodiscard]] std::span<const MessageEntry> message_entries();
[[nodiscard]] const MessageEntry& entry_of(MessageId id);

/// The message with each argument that differs between `a` and `b` replaced by Varying. REQUIRES:
/// `a` and `b` have the same id.
[[nodiscard]] Message common(const Message& a, const Message& b);

/// Types of the parameters in the generated catalogue/findings/*.h. None has a default, so that
/// none can be left out.
namespace parameter {

class Condition {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): only a bool converts
  Condition(std::same_as<bool> auto holds) : holds_(holds) {}
  [[nodiscard]] Argument argument() const { return {holds_}; }

 private:
  bool holds_;
};

/// Empty: not known.
class Text {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a text is given
  template <std::convertible_to<std::string_view> T>
  Text(const T& text) : text_(std::string_view(text)) {}
  [[nodiscard]] Argument argument() const { return text_.empty() ? Argument() : Argument{text_}; }

 private:
  std::string text_;
};

/// Empty: not known.
class Foreign {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a text is given
  template <std::convertible_to<std::string_view> T>
  Foreign(const T& text) : text_{std::string(std::string_view(text))} {}
  [[nodiscard]] Argument argument() const {
    return text_.text.empty() ? Argument() : Argument{text_};
  }

 private:
  ForeignText text_;
};

class Count {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a number is given
  Count(std::integral auto count) : count_(static_cast<std::int64_t>(count)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): absent if not known
  Count(std::optional<std::int64_t> count) : count_(count) {}
  [[nodiscard]] Argument argument() const { return count_ ? Argument{*count_} : Argument(); }

 private:
  std::optional<std::int64_t> count_;
};

class Duration {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): absent if not known
  Duration(std::optional<base::Time::duration> duration) : duration_(duration) {}
  template <typename Rep, typename Period>
  // NOLINTNEXTLINE(google-explicit-constructor): any unit
  Duration(std::chrono::duration<Rep, Period> duration) : duration_(duration) {}
  [[nodiscard]] Argument argument() const { return duration_ ? Argument{*duration_} : Argument(); }

 private:
  std::optional<base::Time::duration> duration_;
};

/// For the types Time, Since and Due.
class Time {
 public:
  template <std::convertible_to<std::optional<base::Time>> T>
  // NOLINTNEXTLINE(google-explicit-constructor): absent if not known
  Time(const T& at) {
    if (const std::optional<base::Time> known = at) moment_ = Moment{*known};
  }
  /// With its age at `now`.
  Time(const std::optional<base::Time>& at, base::Time now) {
    if (at) moment_ = Moment{*at, now - *at};
  }
  [[nodiscard]] Argument argument() const { return moment_ ? Argument{*moment_} : Argument(); }

 private:
  std::optional<Moment> moment_;
};

/// Not known if the name is empty.
class Object {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): an object is given
  Object(ObjectRef object) : object_(std::move(object)) {}
  [[nodiscard]] Argument argument() const {
    return object_.name.empty() ? Argument() : Argument{object_};
  }

 private:
  ObjectRef object_;
};

/// Empty: not known.
class Names {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a list is given
  Names(Argument::Names names) : names_(std::move(names)) {}
  [[nodiscard]] Argument argument() const { return names_.empty() ? Argument() : Argument{names_}; }

 private:
  Argument::Names names_;
};

/// Empty: there is nothing to say.
class Phrases {
 public:
  Phrases() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a list is given
  Phrases(std::vector<Message> phrases) : phrases_(std::move(phrases)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): one alone
  Phrases(Message phrase) { phrases_.push_back(std::move(phrase)); }
  // NOLINTNEXTLINE(google-explicit-constructor): one alone, or none
  Phrases(std::optional<Message> phrase) {
    if (phrase) phrases_.push_back(*std::move(phrase));
  }
  /// From one of the generated structs.
  template <typename T>
  requires(!std::same_as<T, Message> && std::convertible_to<T, Message>)
      // NOLINTNEXTLINE(google-explicit-constructor): one alone
      Phrases(T phrase) {
    phrases_.push_back(std::move(phrase));
  }
  [[nodiscard]] Argument argument() const {
    return phrases_.empty() ? Argument() : Argument{phrases_};
  }

 private:
  std::vector<Message> phrases_;
};

}  // namespace parameter

/// The arguments of an entry, from its parameters in their order.
template <typename... Parameters>
[[nodiscard]] std::vector<Argument> arguments_of(const Parameters&... parameters) {
  std::vector<Argument> result;
  result.reserve(sizeof...(parameters));
  (result.push_back(parameters.argument()), ...);
  return result;
}

}  // namespace dsdoctor::diagnosis
