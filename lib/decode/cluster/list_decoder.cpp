// SPDX-License-Identifier: Apache-2.0
#include "decode/cluster/list_decoder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "decode/json/item_splitter.h"
#include "decode/json/json_text.h"
#include "decode/json/list_page.h"
#include "decode/protobuf/protobuf_splitter.h"

namespace dsdoctor::decode {
namespace {

ListHead head_of(const nlohmann::json& body) {
  ListHead head;
  head.kind = text_in(body, "kind");
  const auto meta = body.find("metadata");
  if (meta == body.end() || !meta->is_object()) return head;
  head.resource_version = text_in(*meta, "resourceVersion");
  head.continue_token = text_in(*meta, "continue");
  const auto remaining = meta->find("remainingItemCount");
  if (remaining != meta->end() && remaining->is_number_integer()) {
    head.remaining_items = remaining->get<std::int64_t>();
  }
  return head;
}

ListHead head_of(const ProtobufListHead& found) {
  ListHead head{found.kind, found.resource_version, found.continue_token, std::nullopt, 0};
  if (found.remaining_items >= 0) head.remaining_items = found.remaining_items;
  return head;
}

/// Typed lists have their metadata before the items.
ListHead head_so_far(const ItemSplitter& splitter) {
  const auto body = nlohmann::json::parse(splitter.envelope_so_far() + "]}", nullptr, false);
  return body.is_object() ? head_of(body) : ListHead{};
}

}  // namespace

Encoding encoding_of(std::string_view media_type) {
  return media_type == "application/vnd.kubernetes.protobuf" ? Encoding::Protobuf : Encoding::Json;
}

struct ListDecoder::State {
  State(ClusterBuilder& builder, std::optional<Kind> asked_kind, Origin from)
      : into(builder), kind(asked_kind), origin(std::move(from)) {}
  virtual ~State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  virtual base::Status feed(std::string_view chunk) = 0;
  [[nodiscard]] virtual std::size_t items() const = 0;
  virtual base::Result<ListHead> finish() = 0;

  /// Items of a list of another kind must not be decoded as the requested kind.
  base::Status check_kind(const std::string& found) const {
    if (!kind) return std::monostate{};
    const std::string expected = fmt::format("{}List", to_string(*kind));
    if (found.empty() || found == expected) return std::monostate{};
    return base::Error{
        base::ErrorKind::Malformed, origin.name,
        fmt::format("the server answered with a {}, expected a {}", found, expected)};
  }

  ClusterBuilder& into;
  std::optional<Kind> kind;
  Origin origin;
  std::string token;
};

struct ListDecoder::JsonState : State {
  JsonState(ClusterBuilder& builder, std::optional<Kind> asked_kind, Origin from)
      : State(builder, asked_kind, std::move(from)),
        splitter(origin.name, [this](std::string_view json, std::size_t index) {
          if (index == 0) {
            const ListHead head = head_so_far(splitter);
            token = head.continue_token;
            early_kind = head.kind;
            if (auto status = check_kind(early_kind); !status) return status;
          }
          origin.item = index;
          return into.add_json(json, kind, origin);
        }) {}

  base::Status feed(std::string_view chunk) override { return splitter.feed(chunk); }
  [[nodiscard]] std::size_t items() const override { return splitter.items(); }
  base::Result<ListHead> finish() override {
    const auto envelope = splitter.finish();
    if (!envelope) return envelope.error();
    // The splitter has checked that this is a JSON object.
    const auto body = nlohmann::json::parse(*envelope, nullptr, false);
    ListHead head = head_of(body);
    if (head.kind == "Status") {
      const std::string message = text_in(body, "message");
      return base::Error{base::ErrorKind::Malformed, origin.name,
                         "the server answered with a Status, expected a list" +
                             (message.empty() ? message : ": " + message)};
    }
    const auto page = page_of(*envelope, origin.name);
    if (!page) return page.error();
    head.continue_token = page->token;
    head.items = items();
    return head;
  }

  ItemSplitter splitter;
  std::string early_kind;  // empty if it follows the items
};

struct ListDecoder::ProtobufState : State {
  ProtobufState(ClusterBuilder& builder, std::optional<Kind> asked_kind, Origin from)
      : State(builder, asked_kind, std::move(from)),
        splitter(origin.name, [this](std::string_view item, std::size_t index) {
          if (index == 0) {
            if (auto status = check_kind(splitter.head().kind); !status) return status;
            token = splitter.head().continue_token;
          }
          origin.item = index;
          return into.add_protobuf(item, *kind, origin);
        }) {}

  base::Status feed(std::string_view chunk) override { return splitter.feed(chunk); }
  [[nodiscard]] std::size_t items() const override { return splitter.items(); }
  base::Result<ListHead> finish() override {
    const auto found = splitter.finish();
    if (!found) return found.error();
    ListHead head = head_of(*found);
    head.items = items();
    return head;
  }

  ProtobufSplitter splitter;
};

ListDecoder::ListDecoder(ClusterBuilder& into, std::optional<Kind> kind, Origin origin,
                         Encoding encoding) {
  if (encoding == Encoding::Protobuf) {
    state_ = std::make_unique<ProtobufState>(into, kind, std::move(origin));
  } else {
    state_ = std::make_unique<JsonState>(into, kind, std::move(origin));
  }
}
ListDecoder::~ListDecoder() = default;
ListDecoder::ListDecoder(ListDecoder&&) noexcept = default;
ListDecoder& ListDecoder::operator=(ListDecoder&&) noexcept = default;

base::Status ListDecoder::feed(std::string_view chunk) { return state_->feed(chunk); }

std::size_t ListDecoder::items() const { return state_->items(); }

const std::string& ListDecoder::early_token() const { return state_->token; }

base::Result<ListHead> ListDecoder::finish() {
  auto head = state_->finish();
  if (!head) return head;
  if (const auto status = state_->check_kind(head->kind); !status) return status.error();
  if (state_->kind) state_->into.mark_seen(*state_->kind);
  return head;
}

struct TokenScout::Search {
  explicit Search(Encoding body_encoding) : encoding(body_encoding) {}

  static base::Status enough() { return base::Error{base::ErrorKind::Malformed, "", "enough"}; }

  Encoding encoding;
  bool over = false;
  std::string token;
  ItemSplitter json{"", [this](std::string_view /*item*/, std::size_t /*index*/) {
                      token = head_so_far(json).continue_token;
                      return enough();
                    }};
  ProtobufSplitter protobuf{"", [this](std::string_view /*item*/, std::size_t /*index*/) {
                              token = protobuf.head().continue_token;
                              return enough();
                            }};
};

TokenScout::TokenScout(Encoding encoding) : search_(std::make_unique<Search>(encoding)) {}
TokenScout::~TokenScout() = default;
TokenScout::TokenScout(TokenScout&&) noexcept = default;
TokenScout& TokenScout::operator=(TokenScout&&) noexcept = default;

void TokenScout::feed(std::string_view chunk) {
  if (search_->over) return;
  search_->over = !(search_->encoding == Encoding::Protobuf ? search_->protobuf.feed(chunk)
                                                            : search_->json.feed(chunk));
}

const std::string& TokenScout::token() const { return search_->token; }

}  // namespace dsdoctor::decode
