// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/release.h"

/// The fields that an API server accepts in a DaemonSet.
namespace dsdoctor::decode {

/// The form of a field's value.
enum class FieldShape : std::uint8_t { Scalar, ScalarList, Map, Object, ObjectList };

struct ObjectType;

struct TypeField {
  std::string_view name;
  FieldShape shape = FieldShape::Scalar;
  const ObjectType* type = nullptr;  // of Object and ObjectList
};

struct ObjectType {
  std::string_view name;          // "PodSpec"
  std::vector<TypeField> fields;  // sorted by name

  /// Null if there is no such field.
  [[nodiscard]] const TypeField* find(std::string_view field) const;
};

/// apps/v1 DaemonSet. Source of truth: daemon_set_fields.txt, which e2e/cmd/fields makes of the
/// OpenAPI of the release.
[[nodiscard]] const ObjectType& daemon_set_type();
/// The release of the table.
[[nodiscard]] model::Release daemon_set_fields_release();

/// All types, DaemonSet first.
[[nodiscard]] const std::vector<ObjectType>& daemon_set_types();

/// The text of daemon_set_fields.txt.
[[nodiscard]] std::string_view daemon_set_fields_text();

}  // namespace dsdoctor::decode
