// SPDX-License-Identifier: Apache-2.0

// Manifests whose fields are checked.

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "decode/cluster/documents.h"
#include "decode/manifest/manifest_fields.h"
#include "decode/yaml/yaml_to_json.h"
#include "fuzz/test_fuzz.h"
#include "fuzz/test_reading.h"

namespace dsdoctor::fuzz {
namespace {

struct Checked {
  Result result;
  decode::ManifestFields fields;
};

Checked checked(std::string_view input) {
  Checked of;
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  const auto status = decode::read_documents(std::string(input), "input", builder, warnings,
                                             {.fields = &of.fields});
  of.result = result_of(builder, status);
  return of;
}

/// Reports whether a DaemonSet has the field; `path` has no key of a map.
bool is_known(std::string_view path) {
  const decode::ObjectType* type = &decode::daemon_set_type();
  for (const std::string_view step : base::split(path, ".")) {
    const decode::TypeField* field =
        type == nullptr ? nullptr : type->find(step.substr(0, step.find('[')));
    if (field == nullptr) return false;
    type = field->type;
  }
  return true;
}

/// JSON without escapes is YAML with the same keys.
bool is_plain_json(std::string_view input) {
  const bool plain = std::ranges::all_of(input, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\n' || (byte >= 0x20 && byte < 0x7f && byte != '\\');
  });
  return plain && input.starts_with('{');
}

}  // namespace

void manifest(std::string_view input) {
  const Checked first = checked(input);
  const Result lenient = documents(input);
  require(first.result.cluster == lenient.cluster && first.result.error == lenient.error,
          "a manifest is read like any file");
  for (const decode::FieldFault& fault : first.fields.faults()) {
    require(fault.meant.size() <= 2, "at most two fields are suggested");
    for (const std::string& path : fault.meant) require(is_known(path), "a field exists: " + path);
  }
  std::vector<model::Warning> warnings;
  const bool whole = first.result.error.empty() && is_plain_json(input);
  if (!whole || !decode::yaml_to_json(input, "input", warnings)) return;
  decode::ManifestFields as_yaml;
  if (!as_yaml.check_yaml(input, "input")) return;
  require(as_yaml.faults().size() == first.fields.faults().size(),
          "the same text has the same faults as YAML");
}

}  // namespace dsdoctor::fuzz
