// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/cluster/cluster_builder.h"
#include "decode/cluster/list_decoder.h"
#include "model/cluster.h"

/// The result of reading an input, in a form that can be compared.
namespace dsdoctor::fuzz {

/// A cluster as a snapshot, or the error.
struct Result {
  std::string cluster;
  std::string error;
};

/// More nested brackets than YAML permits, or than a recursive library should get.
[[nodiscard]] bool is_deep(std::string_view json);

/// Formats a cluster as a snapshot. Two clusters are equal if their texts are.
[[nodiscard]] std::string text_of(const model::Cluster& cluster);

/// The result with the contents of `builder` if `status` is good.
[[nodiscard]] Result result_of(decode::ClusterBuilder& builder, const base::Status& status);

/// Read a file's content, JSON or YAML.
[[nodiscard]] base::Result<model::Cluster> read_whole(std::string_view input);
[[nodiscard]] Result documents(std::string_view input);

/// Reads the body of an API server's answer, `piece` bytes at a time. REQUIRES: piece > 0.
[[nodiscard]] Result list_in_pieces(std::string_view input, std::size_t piece,
                                    std::optional<decode::Kind> kind, decode::Encoding encoding);

}  // namespace dsdoctor::fuzz
