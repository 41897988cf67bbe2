#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/cluster/cluster_builder.h"
#include "decode/cluster/list_decoder.h"
#include "model/cluster.h"

/// What becomes of an input, in a form that can be compared.
namespace dsdoctor::fuzz {

/// A cluster as a snapshot, or why there is none.
struct Result {
  std::string cluster;
  std::string error;
};

/// More brackets within each other than YAML may have, and than is good for a library that calls
/// itself for each.
[[nodiscard]] bool is_deep(std::string_view json);

/// As a snapshot. Two clusters are the same where their texts are.
[[nodiscard]] std::string text_of(const model::Cluster& cluster);

/// Of what `builder` holds, where `status` is good.
[[nodiscard]] Result result_of(decode::ClusterBuilder& builder, const base::Status& status);

/// A file's content, JSON or YAML.
[[nodiscard]] base::Result<model::Cluster> read_whole(std::string_view input);
[[nodiscard]] Result documents(std::string_view input);

/// The body of an API server's answer, `piece` bytes at a time. REQUIRES: piece > 0.
[[nodiscard]] Result list_in_pieces(std::string_view input, std::size_t piece,
                                    std::optional<decode::Kind> kind, decode::Encoding encoding);

}  // namespace dsdoctor::fuzz
