#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "decode/cluster/cluster_builder.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// What a path says of the content of a file.
struct Expected {
  std::optional<Kind> kind = std::nullopt;  // of objects that name none
  std::string ns = {};                      // that its lists are of; empty: it does not say
  /// Counts values without a kind, which are ignored. Null: they are errors.
  std::size_t* passed_over = nullptr;
};

/// Adds everything in one file's content: JSON (one value, or several behind each other) or YAML
/// (one document or several), told apart by content; an object, a `List`, a list of one kind, or a
/// bare array of objects.
/// JSON is checked as a whole, so that no error hides in a part that nothing reads.
/// `expected.kind` is the kind of objects that name none and are in no list that does: dumps have
/// them where their path says what they are; null then stands for an empty list.
/// Errors: Malformed, `file:line:column` or the object and its field; for content that is neither
/// (compressed, binary, HTML), what it looks like. Warnings about the text go to `warnings`, those
/// about objects stay in the builder.
[[nodiscard]] base::Status read_documents(std::string content, const std::string& file,
                                          ClusterBuilder& builder,
                                          std::vector<model::Warning>& warnings,
                                          const Expected& expected = {});

/// Of the first bytes of a content. Errors: Malformed, where they are of something else than JSON
/// or YAML, with what it looks like.
[[nodiscard]] base::Status check_content(std::string_view content, const std::string& file);

}  // namespace dsdoctor::decode
