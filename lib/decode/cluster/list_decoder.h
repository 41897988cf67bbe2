// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/cluster/cluster_builder.h"

namespace dsdoctor::decode {

/// The metadata of a list.
struct ListHead {
  std::string kind;              // "NodeList", "List"; empty if the body has none
  std::string resource_version;  // metadata.resourceVersion
  std::string continue_token;    // metadata.continue; empty on the last page
  std::optional<std::int64_t> remaining_items;
  std::size_t items = 0;
};

enum class Encoding { Json, Protobuf };

/// Protobuf for `application/vnd.kubernetes.protobuf`, else JSON. REQUIRES: `media_type` is in
/// lower case and has no parameters.
[[nodiscard]] Encoding encoding_of(std::string_view media_type);

/// Decodes the body of one list while it arrives: adds items to the builder one by one, and keeps
/// only the unfinished item in memory.
class ListDecoder {
 public:
  /// `into` must outlive the decoder. `kind` is the requested kind; absent: each item has its own
  /// kind. REQUIRES for protobuf: has_protobuf(*kind).
  ListDecoder(ClusterBuilder& into, std::optional<Kind> kind, Origin origin,
              Encoding encoding = Encoding::Json);
  ~ListDecoder();
  ListDecoder(ListDecoder&&) noexcept;
  ListDecoder& operator=(ListDecoder&&) noexcept;

  /// Consumes the next bytes of the body, cut anywhere. After an error every further call fails.
  [[nodiscard]] base::Status feed(std::string_view chunk);

  /// The number of items so far.
  [[nodiscard]] std::size_t items() const;

  /// The token of the next page as soon as it is known, which is before the first item if the
  /// metadata precedes the items; empty until then, and on the last page.
  [[nodiscard]] const std::string& early_token() const;

  /// Call at the end of the body. Errors: Malformed if it is cut off, has another encoding, or is
  /// not a list of that kind.
  [[nodiscard]] base::Result<ListHead> finish();

 private:
  struct State;  // one for each encoding
  struct JsonState;
  struct ProtobufState;
  std::unique_ptr<State> state_;
};

/// Finds the token of the next page in the first bytes of a body, independent of the decoding of
/// its items.
class TokenScout {
 public:
  explicit TokenScout(Encoding encoding);
  ~TokenScout();
  TokenScout(TokenScout&&) noexcept;
  TokenScout& operator=(TokenScout&&) noexcept;

  /// Consumes the next bytes of the body, cut anywhere; ignores them once the first item is
  /// complete. A body that is not a list has no token.
  void feed(std::string_view chunk);
  /// See ListDecoder::early_token.
  [[nodiscard]] const std::string& token() const;

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

}  // namespace dsdoctor::decode
