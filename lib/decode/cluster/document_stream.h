#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "decode/bytes/byte_stream.h"
#include "decode/cluster/documents.h"

namespace dsdoctor::decode {

/// A file that is read piece by piece.
struct StreamedFile {
  static constexpr std::uint64_t no_limit = ~std::uint64_t{0};
  static constexpr std::size_t checked_as_a_whole = std::size_t{4} << 20U;

  ByteStream& bytes;
  std::string name;      // what errors call it
  std::size_t size = 0;  // that it comes to; 0: not known
  std::uint64_t most_in_memory = no_limit;
  /// Input other than a JSON object or list has to be held whole; a device or a pipe may be
  /// endless.
  std::uint64_t most_at_once = std::uint64_t{1} << 30U;
  /// Up to so many bytes it is held whole, and checked before anything is added.
  std::size_t held = checked_as_a_whole;
  bool* in_pieces = nullptr;  // set to true where it was not held whole
};

/// Adds what `read_documents` adds of the content. Objects and lists of JSON that are larger than
/// `held` are decoded while they arrive, so that little more than the unfinished item is in memory;
/// an error in what no answer reads stays unseen there, and what came before an error has been
/// added. Anything else that is larger is held whole, up to `most_in_memory`. Errors: those of the
/// stream, and of `read_documents`; Malformed, where a limit is exceeded, and
/// early for what is neither JSON nor YAML.
[[nodiscard]] base::Status read_document_stream(const StreamedFile& file, ClusterBuilder& builder,
                                                std::vector<model::Warning>& warnings,
                                                const Expected& expected = {});

/// The whole stream. Errors: as above.
[[nodiscard]] base::Result<std::string> content_of(const StreamedFile& file);

}  // namespace dsdoctor::decode
