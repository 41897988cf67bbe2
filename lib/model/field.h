// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

/// The vocabulary with which `fields.h` describes the model's types.
namespace dsdoctor::model::description {

/// The kind of name that a field's texts can contain; redaction replaces them by kind.
enum class Holds : std::uint8_t {
  Nothing,  // quantities, versions, and words that the API defines
  OwnName,  // of the object itself, of its owner, or of the object of an event
  Node,
  Namespace,
  Object,  // of another kind
  Container,
  Volume,
  VolumeSource,  // a path, an object or a driver, by the volume's kind
  User,
  Program,
  Driver,
  Handler,  // of containers
  Image,
  Uid,
  Address,
  Path,     // of a file or a URL, and other targets of probes
  Key,      // of a label, a taint or a resource; keys of maps need no declaration
  Value,    // of a label, a selector or a taint: some are names
  Message,  // a text for people
  ByHand,   // none of the above: redaction/redact.cpp has a function for the field
};

/// The default form of a field in JSON: its type alone determines it.
struct Plain {};
/// An integer of 32 bits, like most in the API: a sum of several fits into 64 bits.
struct Int32 {};
/// Quantities by resource; they may be written as numbers. If the member is optional, an empty map
/// is read as absent.
struct Quantities {};
/// A flag that is set if the field exists, whatever its text.
struct Existence {};
/// A text that rarely occurs twice, such as a UID: it is not shared between objects.
struct Unique {};
/// An object with the quantities in its field "requests"; the member is set, maybe empty, if the
/// object exists.
struct Requests {};
/// A list of objects with one field of this name.
struct EachNamed {
  std::string_view key;
};
/// A list or object whose fields have the names of `fields<T, Names>`.
template <typename Names>
struct CalledAs {};
/// A time; an invalid one is read as absent.
struct AnyTime {};
/// A list of texts; other values are read as absent.
struct AnyTexts {};
/// A member without a JSON field of its own: another part of the description reads it.
struct Hidden {};

template <typename Pointer>
struct MemberOf;
template <typename OwnerOf, typename TypeOf>
struct MemberOf<TypeOf OwnerOf::*> {
  using Owner = OwnerOf;
  using Type = TypeOf;
};

/// A member and the field from which it is read.
template <auto Member, typename Form>
struct Field {
  using Type = typename MemberOf<decltype(Member)>::Type;
  std::string_view key;
  Holds holds;
  Form form;

  static constexpr auto& of(auto& owner) { return owner.*Member; }
};

/// A field of the JSON for a member of a member; the type of the outer member describes it.
template <auto Outer, auto Member>
struct Inner {
  std::string_view key;

  static constexpr auto& of(auto& owner) { return owner.*Outer.*Member; }
};

/// A member whose fields are in the same JSON object.
template <auto Member>
struct Part {
  using Type = typename MemberOf<decltype(Member)>::Type;
  Holds holds = Holds::Nothing;

  static constexpr auto& of(auto& owner) { return owner.*Member; }
};

/// An object of the JSON without a struct in the model.
template <typename... Fields>
struct Object {
  std::string_view key;
  std::tuple<Fields...> fields;
};

/// The text of the annotation `key`, the only one that is read of the object.
template <auto Member>
struct Annotation {
  using Type = typename MemberOf<decltype(Member)>::Type;
  std::string_view key;
  Holds holds;

  static constexpr auto& of(auto& owner) { return owner.*Member; }
};

/// Fields that a function of the reader and one of the writer handle: their overloads for `Tag`.
template <typename Tag>
struct ByHand {};

/// The objects of one kind in a cluster.
template <auto Member>
struct List {
  using Type = typename MemberOf<decltype(Member)>::Type;
  std::string_view api_version;
  std::string_view kind;
  Holds names;  // the kind of the objects' own names

  static constexpr auto& of(auto& owner) { return owner.*Member; }
};

template <auto Member, typename Form = Plain>
constexpr auto field(std::string_view key, Holds holds = Holds::Nothing, Form form = {}) {
  return Field<Member, Form>{key, holds, form};
}
template <auto Member>
constexpr auto hidden(Holds holds = Holds::Nothing) {
  return Field<Member, Hidden>{{}, holds, {}};
}
template <auto Member>
constexpr auto quantities(std::string_view key) {
  return Field<Member, Quantities>{key, Holds::Nothing, {}};
}
template <auto Member>
constexpr auto each_named(std::string_view key, std::string_view name, Holds holds) {
  return Field<Member, EachNamed>{key, holds, {name}};
}
template <auto Member, typename Names>
constexpr auto called_as(std::string_view key) {
  return Field<Member, CalledAs<Names>>{key, Holds::Nothing, {}};
}
template <auto Outer, auto Member>
constexpr auto inner(std::string_view key) {
  return Inner<Outer, Member>{key};
}
template <auto Member>
constexpr auto part() {
  return Part<Member>{};
}
template <auto Member>
constexpr auto annotation(std::string_view key, Holds holds = Holds::Nothing) {
  return Annotation<Member>{key, holds};
}
template <typename... Fields>
constexpr auto object(std::string_view key, Fields... fields) {
  return Object<Fields...>{key, {fields...}};
}

struct UsualNames {};

/// The description of a type of the model: a tuple of the structs above.
template <typename T, typename Names = UsualNames>
inline constexpr auto fields = nullptr;

template <typename T, typename Names = UsualNames>
concept Described = !std::is_same_v<decltype(fields<T, Names>), const std::nullptr_t>;

/// A list of the API that the model stores in a type other than std::vector.
template <typename List>
concept KeptList = requires(const List& list, std::vector<typename List::value_type> read) {
  List(read);
  std::vector<typename List::value_type>(list.begin(), list.end());
}
&&!std::is_same_v<List, std::vector<typename List::value_type>>;

/// Calls `visit(value, description)` for each member of `of`, with its Field, Part, Annotation or
/// List; also for members in nested objects of the JSON.
template <typename Names = UsualNames, typename T, typename Visit>
constexpr void each_member(T& of, Visit&& visit);

namespace detail {

template <typename T, typename Visit, typename... Parts>
constexpr void each_member_in(T& of, Visit& visit, const std::tuple<Parts...>& parts);

template <typename T, typename Visit, typename Member>
constexpr void visit_member(T& of, Visit& visit, const Member& member) {
  if constexpr (requires {
                  member.of(of);
                  typename Member::Type;
                })
    visit(member.of(of), member);
}
template <typename T, typename Visit, typename... Parts>
constexpr void visit_member(T& of, Visit& visit, const Object<Parts...>& object) {
  each_member_in(of, visit, object.fields);
}
template <typename T, typename Visit, typename... Parts>
constexpr void each_member_in(T& of, Visit& visit, const std::tuple<Parts...>& parts) {
  std::apply([&](const auto&... each) { (visit_member(of, visit, each), ...); }, parts);
}

template <typename Member>
constexpr std::size_t count(const Member&) {
  if constexpr (requires { typename Member::Type; }) return 1;
  return 0;
}
template <typename... Parts>
constexpr std::size_t count(const Object<Parts...>& object) {
  return std::apply([](const auto&... each) { return (count(each) + ... + 0); }, object.fields);
}

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Two types, because an optional is also constructible from its value's initializer: one
/// conversion to any type would be ambiguous.
struct AnyOptional {
  template <typename T>
  operator std::optional<T>() const;  // NOLINT(*-explicit-*)
};
struct AnyOther {
  template <typename T>
  requires(!is_optional<T>) operator T() const;  // NOLINT(*-explicit-*)
};

template <typename T, typename... Members>
constexpr std::size_t member_count() {
  if constexpr (requires { T{Members{}..., AnyOther{}}; }) {
    return member_count<T, Members..., AnyOther>();
  } else if constexpr (requires { T{Members{}..., AnyOptional{}}; }) {
    return member_count<T, Members..., AnyOptional>();
  } else {
    return sizeof...(Members);
  }
}

}  // namespace detail

template <typename Names, typename T, typename Visit>
constexpr void each_member(T& of, Visit&& visit) {
  detail::each_member_in(of, visit, fields<std::remove_const_t<T>, Names>);
}

/// True if each member of the struct is described: new members are then read, written and redacted.
template <typename T>
inline constexpr bool is_complete =
    std::apply([](const auto&... each) { return (detail::count(each) + ... + 0); },
               fields<T>) == detail::member_count<T>();

}  // namespace dsdoctor::model::description
