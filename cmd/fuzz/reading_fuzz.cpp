// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include "decode/cluster/documents.h"
#include "decode/cluster/snapshot.h"
#include "fuzz/test_fuzz.h"
#include "fuzz/test_reading.h"

namespace dsdoctor::fuzz {

bool is_deep(std::string_view json) {
  int depth = 0;
  int deepest = 0;
  for (const char c : json) {  // counts brackets in strings as well
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest > 400;
}

std::string text_of(const model::Cluster& cluster) {
  decode::SnapshotHead head;
  head.source.kind = "files";
  head.source.read_at = std::chrono::sys_days{std::chrono::year{2026} / 11 / 21};
  head.scope = decode::scope_of(cluster);
  std::string text;
  const auto written =
      decode::write_snapshot(head, cluster, [&](std::string_view piece) -> base::Status {
        text += piece;
        return std::monostate{};
      });
  require(written.has_value(), "a cluster that was read can be written");
  return text;
}

Result result_of(decode::ClusterBuilder& builder, const base::Status& status) {
  if (!status) return {"", base::to_string(status.error())};
  return {text_of(builder.build()), ""};
}

base::Result<model::Cluster> read_whole(std::string_view input) {
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  auto status = decode::read_documents(std::string(input), "input", builder, warnings);
  if (!status) return std::move(status).error();
  return builder.build();
}

Result documents(std::string_view input) {
  const auto cluster = read_whole(input);
  return cluster ? Result{text_of(*cluster), ""} : Result{"", base::to_string(cluster.error())};
}

Result list_in_pieces(std::string_view input, std::size_t piece, std::optional<decode::Kind> kind,
                      decode::Encoding encoding) {
  decode::ClusterBuilder builder;
  decode::ListDecoder decoder(builder, kind, {"input"}, encoding);
  for (std::size_t at = 0; at < input.size(); at += piece) {
    const std::string chunk(
        input.substr(at, piece));  // a copy, so that a sanitizer detects reads past its end
    if (auto status = decoder.feed(chunk); !status) return result_of(builder, status.error());
  }
  const auto head = decoder.finish();
  return result_of(builder, head ? base::Status(std::monostate{}) : base::Status(head.error()));
}

}  // namespace dsdoctor::fuzz
