#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/cluster_builder.h"

namespace dsdoctor::decode {

/// What a list says about itself.
struct ListHead {
  std::string kind;              // "NodeList", "List"; empty where the body does not say
  std::string resource_version;  // metadata.resourceVersion
  std::string continue_token;    // metadata.continue; empty on the last page
  std::optional<std::int64_t> remaining_items;
  std::size_t items = 0;
};

/// Decodes the JSON body of one list while it arrives: items go into the builder one by one, and
/// only the unfinished item is kept in memory.
class ListDecoder {
 public:
  /// `into` must outlive the decoder. `kind` is what the request asked for.
  ListDecoder(ClusterBuilder& into, std::optional<Kind> kind, Origin origin);
  ~ListDecoder();
  ListDecoder(ListDecoder&&) noexcept;
  ListDecoder& operator=(ListDecoder&&) noexcept;

  /// Takes the next bytes of the body, cut anywhere. After an error every further call fails.
  [[nodiscard]] base::Status feed(std::string_view chunk);

  /// Items so far.
  [[nodiscard]] std::size_t items() const;

  /// The body is complete. Errors: Malformed, when it is cut short, is no JSON, or is no list.
  [[nodiscard]] base::Result<ListHead> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::decode
