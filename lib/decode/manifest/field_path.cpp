// SPDX-License-Identifier: Apache-2.0
#include "decode/manifest/field_path.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <utility>

#include "base/edit_distance.h"

namespace dsdoctor::decode {
namespace {

constexpr std::size_t most_meant = 2;
constexpr std::size_t longest_name = 100;  // a longer name is not compared with known names

/// A template of a DaemonSet cannot have them, or only the API server writes them.
bool is_written_by_users(std::string_view field) {
  return field != "ephemeralContainers" && field != "managedFields" && field != "status";
}

/// Reports whether a field of this shape can have the value.
bool fits(FieldShape shape, const ManifestValue& value) {
  switch (value.kind) {
    case ManifestValue::Kind::Null: return true;
    case ManifestValue::Kind::Scalar: return shape == FieldShape::Scalar;
    case ManifestValue::Kind::List:
      return shape == FieldShape::ScalarList || shape == FieldShape::ObjectList;
    case ManifestValue::Kind::Map: return shape == FieldShape::Object || shape == FieldShape::Map;
  }
  return false;
}

/// The object in a field. An item of a list is written as `[0]` if it is the only one of the
/// manifest, else as `[]`.
PathStep step_into(const PathStep& from, const TypeField& field) {
  PathStep step{joined_path(from.path, field.name), field.type, nullptr, field.name};
  const ManifestValue* value = from.value == nullptr ? nullptr : from.value->find(field.name);
  if (field.shape != FieldShape::ObjectList) {
    step.value = value;
  } else if (value != nullptr && value->entries.size() == 1) {
    step.path += "[0]";
    step.value = &value->entries.front().value;
  } else {
    step.path += "[]";
    step.value = value;
  }
  return step;
}

/// A place where a field has the name that was searched for.
struct NamedPlace {
  std::string path;
  bool in_manifest = false;  // the object that would have it
};

/// Objects to search, all at the same distance from the unknown field. `skipped` is a field that
/// was searched already.
struct Searched {
  PathStep step;
  std::string_view skipped = {};
};

/// The places of a field in the objects of one distance.
std::vector<NamedPlace> places_in(const std::vector<Searched>& objects,
                                  const ManifestEntry& unknown) {
  std::vector<NamedPlace> places;
  for (const auto& [step, skipped] : objects) {
    const TypeField* field = step.type->find(unknown.key);
    if (field == nullptr || field->name == skipped || !fits(field->shape, unknown.value)) continue;
    places.push_back({joined_path(step.path, field->name), step.value != nullptr});
  }
  return places;
}

/// The objects in the fields of these objects.
std::vector<Searched> inner_objects(const std::vector<Searched>& objects) {
  std::vector<Searched> inner;
  for (const auto& [step, skipped] : objects) {
    for (const TypeField& field : step.type->fields) {
      if (field.type == nullptr || field.name == skipped || !is_written_by_users(field.name))
        continue;
      inner.push_back({step_into(step, field)});
    }
  }
  return inner;
}

/// The nearest places of the name, and the number of steps to them: each step leads to the parent
/// or to a child.
struct Nearest {
  std::size_t distance = 0;
  std::vector<NamedPlace> places;  // empty: none is near
};

Nearest nearest_places(const FieldPath& path, const ManifestEntry& unknown) {
  constexpr std::size_t farthest = 4;
  std::vector<Searched> objects;
  for (std::size_t distance = 0; distance <= farthest; ++distance) {
    objects = inner_objects(objects);
    if (distance < path.size()) {
      const std::size_t at = path.size() - 1 - distance;
      objects.push_back({path[at], distance == 0 ? std::string_view() : path[at + 1].field});
    }
    std::vector<NamedPlace> places = places_in(objects, unknown);
    if (!places.empty()) return {distance, std::move(places)};
  }
  return {};
}

/// The paths to print.
std::vector<std::string> paths_of(std::vector<NamedPlace> places) {
  if (std::ranges::any_of(places, &NamedPlace::in_manifest)) {
    std::erase_if(places, [](const NamedPlace& place) { return !place.in_manifest; });
  }
  std::vector<std::string> paths;
  for (NamedPlace& place : places) {
    if (paths.size() == most_meant) break;
    paths.push_back(std::move(place.path));
  }
  return paths;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Fields of the object with a similar name, nearest first, in any case. `close`: only names that
/// differ in at most one letter.
std::vector<std::string> similar_names(const ObjectType& type, std::string_view name, bool close) {
  constexpr std::size_t shortest = 3;  // shorter names resemble too many others
  if (name.size() < shortest) return {};
  const std::string wanted = in_lower_case(name);
  const std::size_t tolerance = close ? 1 : std::max<std::size_t>(1, name.size() / 3);
  std::vector<std::string> candidates;
  std::map<std::string, std::string_view> spellings;
  for (const TypeField& field : type.fields) {
    const std::string lower = in_lower_case(field.name);
    if (lower == wanted) return {std::string(field.name)};
    const bool contained = !close && lower.find(wanted) != std::string::npos;
    if (!contained && base::edit_distance(wanted, lower) > tolerance) continue;
    candidates.push_back(lower);
    spellings.emplace(lower, field.name);
  }
  std::vector<std::string> names;
  for (const std::string& near : base::near_words(wanted, candidates, most_meant)) {
    names.emplace_back(spellings[near]);
  }
  return names;
}

}  // namespace

std::string joined_path(const std::string& path, std::string_view field) {
  return path.empty() ? std::string(field) : path + "." + std::string(field);
}

std::vector<std::string> meant_fields(const FieldPath& path, const ManifestEntry& unknown) {
  if (unknown.key.size() > longest_name) return {};
  const PathStep& here = path.back();
  Nearest elsewhere = nearest_places(path, unknown);
  const bool next_to_it = !elsewhere.places.empty() && elsewhere.distance <= 1;
  std::vector<std::string> similar;
  if (!next_to_it) similar = similar_names(*here.type, unknown.key, true);
  if (similar.empty() && !elsewhere.places.empty()) return paths_of(std::move(elsewhere.places));
  if (similar.empty()) similar = similar_names(*here.type, unknown.key, false);
  for (std::string& name : similar) name = joined_path(here.path, name);
  return similar;
}

}  // namespace dsdoctor::decode
