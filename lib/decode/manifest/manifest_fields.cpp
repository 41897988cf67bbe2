// SPDX-License-Identifier: Apache-2.0
#include "decode/manifest/manifest_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/printable.h"
#include "decode/objects/kind.h"

namespace dsdoctor::decode {
namespace {

constexpr int most_nested_lists = 8;
constexpr std::size_t longest_shown = 300;  // bytes of a path or a name

/// API versions that only servers before 1.16 have.
bool is_old(std::string_view api_version) { return api_version != "apps/v1"; }

/// The field that only extensions/v1beta1 has.
constexpr std::string_view old_field = "templateGeneration";

/// Adds the lines of the fields below `path`.
void add_lines(const ManifestValue& value, const std::string& path, model::ManifestPlace& to) {
  for (std::size_t i = 0; i < value.entries.size(); ++i) {
    const ManifestEntry& entry = value.entries[i];
    const std::string below = value.kind == ManifestValue::Kind::List
                                  ? fmt::format("{}[{}]", path, i)
                                  : joined_path(path, entry.key);
    to.lines.insert_or_assign(below, entry.line);
    add_lines(entry.value, below, to);
  }
}

}  // namespace

std::string to_string(const FieldFault& fault) {
  std::string text =
      fmt::format("{} field \"{}\"",
                  fault.kind == FieldFault::Kind::Unknown ? "unknown" : "duplicate", fault.path);
  if (!fault.meant.empty()) {
    text += fmt::format("; did you mean {}", fmt::join(fault.meant, " or "));
  }
  return text;
}

const ManifestValue* ManifestValue::find(std::string_view key) const {
  if (kind != Kind::Map) return nullptr;
  const auto at = std::ranges::find(entries.rbegin(), entries.rend(), key, &ManifestEntry::key);
  return at == entries.rend() ? nullptr : &at->value;
}

std::string_view ManifestValue::text_of(std::string_view key) const {
  const ManifestValue* value = find(key);
  return value == nullptr ? std::string_view() : std::string_view(value->text);
}

bool ManifestFields::check_json(std::string_view json, const std::string& file,
                                std::size_t first_line) {
  if (json.size() > most_bytes) return false;
  file_ = file;
  return read_manifest_json(json, first_line,
                            [&](const ManifestValue& value) { check_value(value, {}, {}, 0); });
}

bool ManifestFields::check_yaml(std::string_view yaml, const std::string& file) {
  if (yaml.size() > most_bytes) return false;
  file_ = file;
  return read_manifest_yaml(yaml,
                            [&](const ManifestValue& value) { check_value(value, {}, {}, 0); });
}

/// Checks an object, or the objects of a list. `kind` and `api_version` are those of the items of a
/// typed list.
void ManifestFields::check_value(const ManifestValue& value, std::string_view kind,
                                 std::string_view api_version, int depth) {
  if (depth > most_nested_lists) return;
  if (value.kind == ManifestValue::Kind::List) {
    for (const ManifestEntry& item : value.entries) {
      check_value(item.value, kind, api_version, depth + 1);
    }
    return;
  }
  const std::string_view own_kind = value.text_of("kind");
  if (!own_kind.empty()) {
    kind = own_kind;
    api_version = value.text_of("apiVersion");
  }
  const ManifestValue* items = value.find("items");
  if (items != nullptr && (kind.empty() || kind.ends_with("List"))) {
    const bool typed = kind == "DaemonSetList";
    check_value(*items, typed ? "DaemonSet" : "", typed ? api_version : "", depth + 1);
  } else if (kind_of(api_version, kind) == Kind::DaemonSet) {
    check_daemon_set(value, is_old(api_version));
  }
}

void ManifestFields::check_daemon_set(const ManifestValue& object, bool old_api_version) {
  const ManifestValue* metadata = object.find("metadata");
  object_ = "DaemonSet";
  if (metadata != nullptr) {
    const std::string_view ns = metadata->text_of("namespace");
    object_ += fmt::format(" {}{}{}", ns, ns.empty() ? "" : "/", metadata->text_of("name"));
  }
  object_ = base::limited(object_, longest_shown);
  old_api_version_ = old_api_version;
  path_ = {{"", &daemon_set_type(), &object, {}}};
  first_fault_ = faults_.size();
  check_object(object, daemon_set_type());
  note_place(object);
}

void ManifestFields::note_place(const ManifestValue& object) {
  model::ManifestPlace place{.file = file_};
  if (const ManifestValue* metadata = object.find("metadata")) {
    place.ns = metadata->text_of("namespace");
    place.name = metadata->text_of("name");
  }
  if (!object.entries.empty()) place.line = object.entries.front().line;
  add_lines(object, "", place);
  places_.push_back(std::move(place));
}

/// Checks the last object of the path.
void ManifestFields::check_object(const ManifestValue& value, const ObjectType& type) {
  if (value.kind != ManifestValue::Kind::Map) return;
  std::set<std::string_view> seen;
  std::set<std::string_view> reported;
  const std::string path = path_.back().path;
  for (const ManifestEntry& entry : value.entries) {
    const TypeField* field = type.find(entry.key);
    const bool first = seen.insert(entry.key).second;
    const bool old = old_api_version_ && path == "spec" && entry.key == old_field;
    if (field == nullptr && !old) {
      if (first) report(FieldFault::Kind::Unknown, entry);
      continue;
    }
    if (!first && reported.insert(entry.key).second) report(FieldFault::Kind::Duplicate, entry);
    if (field == nullptr || field->shape == FieldShape::Scalar) continue;
    path_.push_back({joined_path(path, field->name), field->type, &entry.value, field->name});
    switch (field->shape) {
      case FieldShape::Object: check_object(entry.value, *field->type); break;
      case FieldShape::ObjectList: check_list(*field, entry.value); break;
      case FieldShape::Map: check_map(entry.value); break;
      case FieldShape::Scalar:
      case FieldShape::ScalarList: break;
    }
    path_.pop_back();
  }
}

void ManifestFields::check_list(const TypeField& field, const ManifestValue& list) {
  if (list.kind != ManifestValue::Kind::List) return;
  const std::string path = path_.back().path;
  for (std::size_t i = 0; i < list.entries.size(); ++i) {
    path_.back().path = fmt::format("{}[{}]", path, i);
    path_.back().value = &list.entries[i].value;
    check_object(list.entries[i].value, *field.type);
  }
}

/// A map has any keys, but each once. fieldsV1 is not compared, as in Kubernetes.
void ManifestFields::check_map(const ManifestValue& value) {
  if (value.kind != ManifestValue::Kind::Map || path_.back().field == "fieldsV1") return;
  std::set<std::string_view> seen;
  std::set<std::string_view> reported;
  for (const ManifestEntry& entry : value.entries) {
    if (seen.insert(entry.key).second || !reported.insert(entry.key).second) continue;
    report(FieldFault::Kind::Duplicate, entry);
  }
}

/// Reports a path once for an object, as Kubernetes does: a duplicate field may contain it again.
void ManifestFields::report(FieldFault::Kind kind, const ManifestEntry& entry) {
  if (faults_.size() == most_faults) {
    ++further_;
    return;
  }
  std::string path = base::limited(joined_path(path_.back().path, entry.key), longest_shown);
  const auto first = faults_.begin() + static_cast<std::ptrdiff_t>(first_fault_);
  const bool reported = std::any_of(first, faults_.end(), [&](const FieldFault& fault) {
    return fault.kind == kind && fault.path == path;
  });
  if (reported) return;
  std::vector<std::string> meant;
  if (kind == FieldFault::Kind::Unknown) meant = meant_fields(path_, entry);
  faults_.push_back({kind, fmt::format("{}:{}: {}", file_, entry.line, object_), std::move(path),
                     std::move(meant), old_api_version_});
}

}  // namespace dsdoctor::decode
