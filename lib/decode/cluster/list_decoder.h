#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/cluster/cluster_builder.h"

namespace dsdoctor::decode {

/// What a list says about itself.
struct ListHead {
  std::string kind;              // "NodeList", "List"; empty where the body does not say
  std::string resource_version;  // metadata.resourceVersion
  std::string continue_token;    // metadata.continue; empty on the last page
  std::optional<std::int64_t> remaining_items;
  std::size_t items = 0;
};

enum class Encoding { Json, Protobuf };

/// Protobuf for `application/vnd.kubernetes.protobuf`, else JSON. `media_type` in lower case and
/// without parameters.
[[nodiscard]] Encoding encoding_of(std::string_view media_type);

/// Decodes the body of one list while it arrives: items go into the builder one by one, and only
/// the unfinished item is kept in memory.
class ListDecoder {
 public:
  /// `into` must outlive the decoder. `kind` is what the request asked for; absent: the items say
  /// themselves what they are. REQUIRES for protobuf: a kind that has_protobuf.
  ListDecoder(ClusterBuilder& into, std::optional<Kind> kind, Origin origin,
              Encoding encoding = Encoding::Json);
  ~ListDecoder();
  ListDecoder(ListDecoder&&) noexcept;
  ListDecoder& operator=(ListDecoder&&) noexcept;

  /// Takes the next bytes of the body, cut anywhere. After an error every further call fails.
  [[nodiscard]] base::Status feed(std::string_view chunk);

  /// Items so far.
  [[nodiscard]] std::size_t items() const;

  /// The token of the next page, as soon as it is known, which is before the first item where the
  /// list says so first; empty until then, and on the last page.
  [[nodiscard]] const std::string& early_token() const;

  /// The body is complete. Errors: Malformed, when it is cut short, is not of its encoding, or is
  /// no list of that kind.
  [[nodiscard]] base::Result<ListHead> finish();

 private:
  struct State;  // one for each encoding
  struct JsonState;
  struct ProtobufState;
  std::unique_ptr<State> state_;
};

/// Finds the token of the next page in the first bytes of a body whose items somebody else decodes,
/// perhaps later.
class TokenScout {
 public:
  explicit TokenScout(Encoding encoding);
  ~TokenScout();
  TokenScout(TokenScout&&) noexcept;
  TokenScout& operator=(TokenScout&&) noexcept;

  /// Takes the next bytes of the body, cut anywhere; for nothing once the first item is complete.
  /// A body that is no list has no token.
  void feed(std::string_view chunk);
  /// As ListDecoder::early_token.
  [[nodiscard]] const std::string& token() const;

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

}  // namespace dsdoctor::decode
