#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "decode/cluster/cluster_builder.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// Adds everything in one file's content: JSON (one value, or several behind each other) or YAML
/// (one document or several), told apart by content; an object, a `List`, a list of one kind, or a
/// bare array of objects.
/// JSON is checked as a whole, so that no error hides in a part that nothing reads.
/// `untyped` is the kind of objects that name none and stand in no list that does: dumps have them
/// where their path says what they are; null then stands for an empty list.
/// Errors: Malformed, `file:line:column` or the object and its field; for content that is neither
/// (compressed, binary, HTML), what it looks like. Warnings about the text go to `warnings`, those
/// about objects stay in the builder.
[[nodiscard]] base::Status read_documents(std::string content, const std::string& file,
                                          ClusterBuilder& builder,
                                          std::vector<model::Warning>& warnings,
                                          std::optional<Kind> untyped = std::nullopt);

}  // namespace dsdoctor::decode
