// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "decode/bytes/byte_stream.h"
#include "decode/cluster/documents.h"

namespace dsdoctor::decode {

/// A file that is read in pieces.
struct StreamedFile {
  static constexpr std::uint64_t no_limit = ~std::uint64_t{0};
  static constexpr std::size_t checked_as_a_whole = std::size_t{4} << 20U;

  ByteStream& bytes;
  std::string name;      // for errors
  std::size_t size = 0;  // of the content; 0: unknown
  std::uint64_t most_in_memory = no_limit;
  /// Limit for input other than a JSON object or list, which has to be in memory as a whole; a
  /// device or a pipe can be endless.
  std::uint64_t most_at_once = std::uint64_t{1} << 30U;
  /// Up to this size, the file is read into memory and checked before anything is added.
  std::size_t held = checked_as_a_whole;
  bool* in_pieces = nullptr;  // set to true if the file was not in memory as a whole
};

/// Adds the content like `read_documents`. JSON objects and lists larger than `held` are decoded
/// while they arrive, so that little more than the unfinished item is in memory; then errors in
/// unused fields are not detected, and objects before an error stay added. Other large content is
/// in memory as a whole, up to `most_in_memory`. Errors: those of the stream and of
/// `read_documents`; Malformed if a limit is exceeded, and early for content that is neither JSON
/// nor YAML.
[[nodiscard]] base::Status read_document_stream(const StreamedFile& file, ClusterBuilder& builder,
                                                std::vector<model::Warning>& warnings,
                                                const Expected& expected = {});

/// The content of the whole stream. Errors: as above.
[[nodiscard]] base::Result<std::string> content_of(const StreamedFile& file);

}  // namespace dsdoctor::decode
