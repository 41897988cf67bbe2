#include "decode/list_decoder.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "decode/item_splitter.h"

namespace dsdoctor::decode {
namespace {

/// A string field of the list, or of its metadata; empty where it is absent.
std::string text_field(const nlohmann::json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

}  // namespace

struct ListDecoder::State {
  State(ClusterBuilder& builder, std::optional<Kind> asked_kind, Origin from)
      : into(builder),
        kind(asked_kind),
        origin(std::move(from)),
        splitter(origin.name, [this](std::string_view json, std::size_t index) {
          origin.item = index;
          return into.add_json(json, kind, origin);
        }) {}

  ClusterBuilder& into;
  std::optional<Kind> kind;
  Origin origin;
  ItemSplitter splitter;
};

ListDecoder::ListDecoder(ClusterBuilder& into, std::optional<Kind> kind, Origin origin)
    : state_(std::make_unique<State>(into, kind, std::move(origin))) {}
ListDecoder::~ListDecoder() = default;
ListDecoder::ListDecoder(ListDecoder&&) noexcept = default;
ListDecoder& ListDecoder::operator=(ListDecoder&&) noexcept = default;

base::Status ListDecoder::feed(std::string_view chunk) { return state_->splitter.feed(chunk); }

std::size_t ListDecoder::items() const { return state_->splitter.items(); }

base::Result<ListHead> ListDecoder::finish() {
  const auto envelope = state_->splitter.finish();
  if (!envelope) return envelope.error();
  // The splitter has checked that this is a JSON object.
  const auto body = nlohmann::json::parse(*envelope, nullptr, false);
  ListHead head;
  head.kind = text_field(body, "kind");
  if (head.kind == "Status") {
    return base::Error{base::ErrorKind::Malformed, state_->origin.name,
                       "a Status was answered in place of a list: " + text_field(body, "message")};
  }
  head.items = state_->splitter.items();
  const auto meta = body.find("metadata");
  if (meta != body.end() && meta->is_object()) {
    head.resource_version = text_field(*meta, "resourceVersion");
    head.continue_token = text_field(*meta, "continue");
    const auto remaining = meta->find("remainingItemCount");
    if (remaining != meta->end() && remaining->is_number_integer()) {
      head.remaining_items = remaining->get<std::int64_t>();
    }
  }
  if (state_->kind) state_->into.mark_seen(*state_->kind);
  return head;
}

}  // namespace dsdoctor::decode
