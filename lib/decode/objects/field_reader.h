// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "decode/json/json_reader.h"
#include "decode/objects/fields_by_hand.h"
#include "model/fields.h"

namespace dsdoctor::decode {

/// Reads the JSON of an object into the model by the descriptions in `model/fields.h`. Skips fields
/// without a description.
class FieldReader {
 public:
  using Value = JsonReader::Value;

  explicit FieldReader(JsonReader& reader) : reader_(reader) {}

  /// Reads the field `key` of `into`. Returns false if it has no such field.
  template <typename Names = description::UsualNames, typename T>
  bool read_field(std::string_view key, Value value, T& into) {
    static_assert(description::is_complete<T>, "its description lacks a member");
    return read_any(key, value, into, description::fields<T, Names>);
  }

 private:
  /// Faster than ==: most compared keys differ in their length or their last letter.
  static bool is_same(std::string_view key, std::string_view wanted) {
    return key.size() == wanted.size() && (key.empty() || key.back() == wanted.back()) &&
           key == wanted;
  }

  template <typename T, typename... Parts>
  bool read_any(std::string_view key, Value& value, T& into, const std::tuple<Parts...>& parts) {
    return std::apply([&](const auto&... part) { return (read(key, value, into, part) || ...); },
                      parts);
  }

  // Each overload reads the field if it is that part of a T, and returns true in this case.

  template <typename T, auto Member, typename Form>
  bool read(std::string_view key, Value& value, T& into,
            const description::Field<Member, Form>& field) {
    if (!is_same(key, field.key)) return false;
    read_as(field.form, value, field.of(into));
    return true;
  }
  template <typename T, auto Member>
  bool read(std::string_view /*key*/, Value& /*value*/, T& /*into*/,
            const description::Field<Member, description::Hidden>& /*field*/) {
    return false;
  }
  template <typename T, auto Outer, auto Member>
  bool read(std::string_view key, Value& value, T& into,
            const description::Inner<Outer, Member>& field) {
    if (!is_same(key, field.key)) return false;
    read_as(description::Plain{}, value, field.of(into));
    return true;
  }
  template <typename T, typename... Parts>
  bool read(std::string_view key, Value& value, T& into,
            const description::Object<Parts...>& object) {
    if (!is_same(key, object.key)) return false;
    reader_.object(value, [&](std::string_view name, Value field) {
      const bool is_read = read_any(name, field, into, object.fields);
      if (!is_read && object.key == "annotations") reader_.expect_text(field);
    });
    return true;
  }
  template <typename T, auto Member>
  bool read(std::string_view key, Value& value, T& into, const description::Part<Member>& part) {
    using Type = typename description::Part<Member>::Type;
    return read_field(key, value, static_cast<Type&>(part.of(into)));
  }
  template <typename T, auto Member>
  bool read(std::string_view key, Value& value, T& into,
            const description::Annotation<Member>& annotation) {
    if (key != "annotations") return false;
    reader_.object(value, [&](std::string_view name, Value text) {
      if (name == annotation.key) {
        annotation.of(into) = reader_.text(text);
      } else {
        reader_.expect_text(text);
      }
    });
    return true;
  }
  template <typename T, typename Tag>
  bool read(std::string_view key, Value& value, T& into, const description::ByHand<Tag>& tag) {
    return read_by_hand(reader_, key, value, into, tag);
  }
  /// The fields of a pod's spec outside PodSpec are in the Pod itself, as in a PodTemplate.
  bool read(std::string_view key, Value& value, model::Pod& into,
            const description::ByHand<description::SpecOfPod>& /*tag*/) {
    if (key != "spec") return false;
    model::PodTemplate spec;
    read_field(key, value, spec);
    into.node_name = std::move(spec.node_name);
    into.node_selector = std::move(spec.node_selector);
    into.node_affinity = std::move(spec.node_affinity);
    into.tolerations = std::move(spec.tolerations);
    into.host_network = spec.host_network;
    into.spec = std::move(spec.spec);
    return true;
  }

  // Overloads by the form and the type of a field.

  void read_as(description::Plain /*form*/, Value& value, model::Text& into) {
    into = reader_.text(value);
  }
  template <typename T>
  void read_as(description::Unique /*form*/, Value& value, T& into) {
    into = T(reader_.unique_text(value));
  }
  void read_as(description::Plain /*form*/, Value& value, bool& into) {
    into = reader_.boolean(value);
  }
  void read_as(description::Plain /*form*/, Value& value, std::int64_t& into) {
    into = reader_.integer(value);
  }
  void read_as(description::Int32 /*form*/, Value& value, std::int64_t& into) {
    into = reader_.int32(value);
  }
  void read_as(description::Int32 form, Value& value, std::optional<std::int64_t>& into) {
    if (!reader_.is_null(value)) read_as(form, value, into.emplace());
  }
  void read_as(description::Plain /*form*/, Value& value, model::OptionalTime& into) {
    into = reader_.time(value);
  }
  void read_as(description::AnyTime /*form*/, Value& value, model::OptionalTime& into) {
    into = parse_rfc3339(reader_.text(value));
  }
  void read_as(description::Plain /*form*/, Value& value,
               std::optional<model::IntOrPercent>& into) {
    into = reader_.int_or_percent(value);
  }
  void read_as(description::Plain /*form*/, Value& value, model::Labels& into) {
    into = reader_.string_map(value);
  }
  void read_as(description::Plain /*form*/, Value& value, std::vector<model::Text>& into) {
    into = reader_.texts(value);
  }
  void read_as(description::AnyTexts /*form*/, Value& value, std::vector<model::Text>& into) {
    using simdjson::ondemand::json_type;
    const auto is_a = [](Value& what, json_type wanted) {
      json_type type{};
      return what.type().get(type) == simdjson::SUCCESS && type == wanted;
    };
    into.clear();
    if (!is_a(value, json_type::array)) return;
    reader_.array(value, [&](Value element) {
      if (!is_a(element, json_type::string)) return;
      into.push_back(reader_.text(element));
      reader_.keep(2 * sizeof(model::Text));
    });
    into.shrink_to_fit();
  }
  void read_as(description::EachNamed form, Value& value, std::vector<model::Text>& into) {
    into.clear();
    reader_.array(value, [&](Value element) {
      reader_.object(element, [&](std::string_view key, Value name) {
        if (key != form.key) return;
        into.push_back(reader_.text(name));
        reader_.keep(2 * sizeof(model::Text));
      });
    });
  }
  void read_as(description::Existence /*form*/, Value& value, bool& into) {
    into = true;
    reader_.expect_text(value);
  }
  void read_as(description::Quantities /*form*/, Value& value, model::Labels& into) {
    into = read_quantities(reader_, value);
  }
  void read_as(description::Quantities /*form*/, Value& value, std::optional<model::Labels>& into) {
    model::Labels quantities = read_quantities(reader_, value);
    into = quantities.empty() ? std::nullopt : std::optional(std::move(quantities));
  }
  void read_as(description::Requests /*form*/, Value& value, std::optional<model::Labels>& into) {
    if (reader_.is_null(value)) return;
    model::Labels& requests = into.emplace();
    reader_.object(value, [&](std::string_view name, Value list) {
      if (name == "requests") requests = read_quantities(reader_, list);
    });
  }
  void read_as(description::Requests form, Value& value,
               model::SharedOptional<model::Labels>& into) {
    std::optional<model::Labels> read;
    read_as(form, value, read);
    into = std::move(read);
  }
  template <typename T>
  void read_as(description::Plain form, Value& value, std::optional<T>& into) {
    if (!reader_.is_null(value)) read_as(form, value, into.emplace());
  }
  template <typename T>
  void read_as(description::Plain form, Value& value, model::SharedOptional<T>& into) {
    std::optional<T> read = std::move(into);
    read_as(form, value, read);
    into = std::move(read);
  }
  template <description::Described T>
  void read_as(description::Plain /*form*/, Value& value, T& into) {
    read_as(description::CalledAs<description::UsualNames>{}, value, into);
  }
  template <typename Names, description::Described T>
  void read_as(description::CalledAs<Names> /*form*/, Value& value, T& into) {
    reader_.object(value,
                   [&](std::string_view key, Value field) { read_field<Names>(key, field, into); });
  }
  template <typename Form, description::Described T>
  void read_as(Form form, Value& value, std::vector<T>& into) {
    into.clear();
    reader_.array(value, [&](Value element) {
      read_as(form, element, into.emplace_back());
      if constexpr (requires { is_kept(into.back()); }) {
        if (!is_kept(into.back())) return into.pop_back();
      }
      reader_.keep(2 * sizeof(T));  // twice, because of the growing list
    });
    into.shrink_to_fit();  // lists are short: spare capacity can be half of their memory
  }
  template <typename Form, typename List>
  requires description::KeptList<List>
  void read_as(Form form, Value& value, List& into) {
    std::vector<typename List::value_type> read;
    read_as(form, value, read);
    into = std::move(read);
  }

  JsonReader& reader_;
};

}  // namespace dsdoctor::decode
