// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "decode/cluster/cluster_builder.h"
#include "decode/manifest/manifest_fields.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// The expected content of a file, from its path.
struct Expected {
  std::optional<Kind> kind = std::nullopt;  // of objects without kind
  std::string ns = {};                      // the namespace of its lists; empty: unknown
  /// Counts values without a kind, which are ignored. Null: they are errors.
  std::size_t* passed_over = nullptr;
  /// Receives the unknown and duplicate fields of DaemonSets. Null: they are ignored.
  ManifestFields* fields = nullptr;
};

/// Adds all objects in the content of a file: JSON (one value or several) or YAML (one document or
/// several), detected by content; each is an object, a `List`, a list of one kind, or an array of
/// objects. JSON is checked as a whole, so that errors in unused parts are detected, too.
/// `expected.kind` is the kind of objects without one, which dumps contain in files named by kind;
/// null is then an empty list. Errors: Malformed, `file:line:column` or the object and its field;
/// for other content (compressed, binary, HTML), the detected format. Warnings about the text are
/// added to `warnings`, those about objects to the builder.
[[nodiscard]] base::Status read_documents(std::string content, const std::string& file,
                                          ClusterBuilder& builder,
                                          std::vector<model::Warning>& warnings,
                                          const Expected& expected = {});

/// Checks the first bytes of a file. Errors: Malformed, with the detected format, if they are not
/// JSON or YAML.
[[nodiscard]] base::Status check_content(std::string_view content, const std::string& file);

}  // namespace dsdoctor::decode
