#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/fields.h"

/// Visits every text of a cluster with the path of its field: its names in the model.
namespace dsdoctor::redaction::testing {

inline void fields(model::ServerVersion& of, const auto& visit) {
  auto& [major, minor, patch, git_version] = of;
  visit("major minor patch git_version", major, minor, patch, git_version);
}
inline void fields(model::Omission& of, const auto& visit) {
  auto& [resource, ns, reason, message, consequence] = of;
  visit("resource ns reason message consequence", resource, ns, reason, message, consequence);
}
inline void fields(model::Warning& of, const auto& visit) {
  auto& [where, what] = of;
  visit("where what", where, what);
}
inline void fields(model::SourceInfo& of, const auto& visit) {
  auto& [kind, context, server, paths, server_version, read_at, saved_from, as_of] = of;
  visit("kind context server paths server_version read_at saved_from as_of", kind, context, server,
        paths, server_version, read_at, saved_from, as_of);
}

/// "node_name" of `&model::Pod::node_name`
template <auto Member>
std::string member_name() {
  const std::string_view function = __PRETTY_FUNCTION__;
  const std::size_t start = function.find("Member = ");
  const std::string_view pointer =
      function.substr(start, function.find_first_of(";]", start) - start);
  const std::string_view name = pointer.substr(pointer.rfind(':') + 1);
  return std::string(name.substr(0, name.find(')')));
}
template <auto Member, typename Form>
std::string member_name(const model::description::Field<Member, Form>& /*field*/) {
  return member_name<Member>();
}
template <template <auto> typename Kind, auto Member>
std::string member_name(const Kind<Member>& /*member*/) {
  return member_name<Member>();
}

/// Makes one element in every list, a value in every optional, and one entry in every map; then
/// replaces every text by what `text_for(path)` gives. Keys of maps end in ".key".
template <typename TextFor>
class Filler {
 public:
  explicit Filler(TextFor text_for) : text_for_(std::move(text_for)) {}

  template <typename T>
  void fill(T& value, const std::string& path) {
    if constexpr (std::is_same_v<T, model::Text> || std::is_same_v<T, model::UniqueText> ||
                  std::is_same_v<T, std::string>) {
      value = T(text_for_(path));
    } else if constexpr (model::description::Described<T>) {
      model::description::each_member(value, [&](auto& member, const auto& described) {
        fill(member, path + "." + member_name(described));
      });
    } else if constexpr (requires { fields(value, *this); }) {
      fields(value, [&](std::string_view names, auto&... members) {
        (fill(members, path + "." + next(names)), ...);
      });
    }
  }
  template <typename T>
  void fill(std::vector<T>& list, const std::string& path) {
    if (list.empty()) list.emplace_back();
    for (T& element : list) fill(element, path);
  }
  template <model::description::KeptList List>
  void fill(List& list, const std::string& path) {
    if (list.empty()) list.emplace_back();
    for (auto& element : list) fill(element, path);
  }
  template <typename T>
  void fill(std::optional<T>& value, const std::string& path) {
    if constexpr (std::is_class_v<T>) fill(value ? *value : value.emplace(), path);
  }
  template <typename T>
  void fill(model::SharedOptional<T>& value, const std::string& path) {
    std::optional<T> filled = value;
    fill(filled, path);
    value = std::move(filled);
  }
  template <typename T>
  void fill(model::Shared<T>& shared, const std::string& path) {
    T copy = *shared;
    fill(copy, path);
    shared = std::move(copy);
  }
  void fill(model::Labels& labels, const std::string& path) {
    model::Text key(text_for_(path + ".key"));
    model::Text value(text_for_(path + ".value"));
    labels = {{std::move(key), std::move(value)}};
  }

 private:
  static std::string next(std::string_view& names) {
    const std::size_t end = std::min(names.find(' '), names.size());
    std::string first(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
    return first;
  }

  TextFor text_for_;
};

}  // namespace dsdoctor::redaction::testing
