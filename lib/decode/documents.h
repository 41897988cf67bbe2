#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "decode/cluster_builder.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// Adds everything in one file's content: JSON (one value, or several behind each other) or YAML
/// (one document or several), told apart by content; an object, a `List`, or a list of one kind.
/// JSON is checked as a whole, so that no error hides in a part that nothing reads.
/// Errors: Malformed, `file:line:column` or the object and its field; for content that is neither
/// (compressed, binary, HTML), what it looks like. Warnings about the text go to `warnings`, those
/// about objects stay in the builder.
[[nodiscard]] base::Status read_documents(std::string content, const std::string& file,
                                          ClusterBuilder& into,
                                          std::vector<model::Warning>& warnings);

}  // namespace dsdoctor::decode
