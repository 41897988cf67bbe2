// SPDX-License-Identifier: Apache-2.0
#include "decode/json/item_splitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "decode/bytes/sniff.h"
#include "decode/json/block_scan.h"
#include "decode/json/json_padding.h"
#include "decode/json/json_syntax.h"

namespace dsdoctor::decode {
namespace {

using base::Error;
using base::ErrorKind;

constexpr std::size_t opening_bytes = 512;
constexpr std::ptrdiff_t bytes_looked_at = 64;  // one by one before trying blocks again

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string_view without_mark(std::string_view text) {
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

/// `raw`: the text between the quotes, which may contain escapes.
bool is_items_key(std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return raw == "items";
  const auto key = nlohmann::json::parse(fmt::format("\"{}\"", raw), nullptr, false);
  return key.is_string() && key.get_ref<const std::string&>() == "items";
}

}  // namespace

ItemSplitter::ItemSplitter(std::string name, Sink sink, Extent extent)
    : name_(std::move(name)), sink_(std::move(sink)), extent_(extent) {}

base::Status ItemSplitter::feed(std::string_view chunk) {
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  chunk_start_ = at;
  while (at != end && !error_) {
    switch (where_) {
      case Where::Opening: at = open_body(at, end); break;
      case Where::Envelope: at = scan_envelope(at, end); break;
      case Where::Item: at = scan_item(at, end); break;
      case Where::ItemOrEnd:
      case Where::CommaOrEnd:
      case Where::ItemOnly: at = scan_between(at, end); break;
      case Where::Closed: at = expect_end(at, end); break;
    }
  }
  if (!error_ && where_ == Where::Item) {  // the chunk is not valid after this call
    keep(item_start_ != nullptr ? item_start_ : chunk_start_, end);
    item_start_ = nullptr;
  }
  if (error_) return *error_;
  return std::monostate{};
}

const char* ItemSplitter::open_body(const char* at, const char* end) {
  for (; at != end; ++at) {
    if (*at == '{') {
      if (!without_mark(opening_).empty()) {
        opening_.append(at,
                        std::min<std::size_t>(opening_bytes, static_cast<std::size_t>(end - at)));
        fail_foreign();
        return end;
      }
      envelope_ = "{";
      depth_ = 1;
      key_ = Key::Expected;
      where_ = Where::Envelope;
      return at + 1;
    }
    if (is_space(*at) && without_mark(opening_).empty()) continue;
    opening_ += *at;
    if (opening_.size() >= opening_bytes) {
      fail_foreign();
      return end;
    }
  }
  return end;
}

/// Skips from inside a string to after its closing quote, or to `end`.
const char* ItemSplitter::skip_string(const char* at, const char* end) {
  while (at != end) {
    if (escaped_) {
      escaped_ = false;
      ++at;
      continue;
    }
    const auto* quote =
        static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
    const char* const stop = quote != nullptr ? quote : end;
    const char* backslashes = stop;
    while (backslashes != at && backslashes[-1] == '\\') --backslashes;
    escaped_ = (stop - backslashes) % 2 != 0;
    if (quote == nullptr) return end;
    if (!escaped_) {
      in_string_ = false;
      return quote + 1;
    }
    escaped_ = false;
    at = quote + 1;
  }
  return end;
}

const char* ItemSplitter::scan_envelope(const char* at, const char* end) {
  while (at != end && where_ == Where::Envelope && !error_) {
    const char* const from = at;
    if (in_string_) {
      at = skip_string(at, end);
      envelope_.append(from, at);
      if (!in_string_) envelope_string_ended();
    } else {
      envelope_ += *at;
      envelope_character(*at);
      ++at;
    }
    const bool may_be_object = extent_ == Extent::OneOfSeveral && !items_seen_;
    if (envelope_.size() > (may_be_object ? max_item_bytes : max_envelope_bytes)) {
      fail(items_seen_     ? "the list has more than 1 MiB besides its items"
           : may_be_object ? "an object of more than 64 MiB"
                           : "not a list: no items within the first 1 MiB");
    }
  }
  return at;
}

void ItemSplitter::envelope_string_ended() {
  if (key_ != Key::Reading) return;
  const std::string_view key =
      std::string_view(envelope_).substr(key_start_, envelope_.size() - 1 - key_start_);
  key_ = is_items_key(key) ? Key::Items : Key::Read;
}

void ItemSplitter::envelope_character(char c) {
  if (key_ == Key::ItemsColon && !is_space(c)) {
    key_ = Key::None;
    if (items_seen_) return fail("the list has two fields named items");
    // Other objects, such as schemas, have a field of that name, too.
    items_seen_ = extent_ == Extent::List || c == '[' || c == 'n';
    if (c == '[') {
      depth_ = 2;
      where_ = Where::ItemOrEnd;
      return;
    }
  }
  switch (c) {
    case '"':
      in_string_ = true;
      if (depth_ == 1 && key_ == Key::Expected) {
        key_ = Key::Reading;
        key_start_ = envelope_.size();
      }
      break;
    case ':':
      if (key_ == Key::Items) key_ = Key::ItemsColon;
      if (key_ == Key::Read) key_ = Key::None;
      break;
    case ',':
      if (depth_ == 1) key_ = Key::Expected;
      break;
    case '{':
    case '[':
      if (++depth_ > max_depth)
        fail(fmt::format("the list is nested more than {} levels deep", max_depth));
      break;
    case '}':
    case ']':
      if (--depth_ == 0) where_ = Where::Closed;
      break;
    default: break;
  }
}

const char* ItemSplitter::scan_between(const char* at, const char* end) {
  while (at != end && is_space(*at)) ++at;
  if (at == end) return end;
  const char c = *at;
  if (where_ == Where::CommaOrEnd && c == ',') {
    where_ = Where::ItemOnly;
  } else if (where_ != Where::CommaOrEnd && c == '{') {
    item_start_ = at;
    depth_ = 3;
    where_ = Where::Item;
  } else if (where_ != Where::ItemOnly && c == ']') {
    envelope_ += ']';
    depth_ = 1;
    where_ = Where::Envelope;
  } else if (where_ == Where::CommaOrEnd) {
    fail(fmt::format("items[{}] is followed by {}; expected a comma or ]", items_ - 1,
                     quoted_opening(std::string_view(at, 1))));
  } else if (c == ']' || c == '}' || c == ',' || c == ':') {
    fail(fmt::format("items[{}] is missing: found {}", items_,
                     quoted_opening(std::string_view(at, 1))));
  } else if (extent_ == Extent::OneOfSeveral) {
    // Items of a foreign object, such as a schema. The rest of them stays in the envelope.
    odd_item_ = item_is_not_an_object(items_, c);
    items_seen_ = items_ != 0;
    depth_ = 2;
    where_ = Where::Envelope;
    return at;
  } else {
    fail(item_is_not_an_object(items_, c));
  }
  return at + 1;
}

const char* ItemSplitter::scan_item(const char* at, const char* end) {
  constexpr int end_depth = 2;
  ScanState state{depth_, in_string_, escaped_};
  at = skip_blocks(at, end, end_depth, max_depth, state);
  in_string_ = state.in_string;
  escaped_ = state.escaped;
  int depth = state.depth;
  // Scan only the block in which the item may end; later blocks may be skipped again.
  const char* const stop = at + std::min<std::ptrdiff_t>(end - at, bytes_looked_at);
  while (at < stop) {
    if (in_string_) {
      at = skip_string(at, end);
      continue;
    }
    const char c = *at++;
    if (c == '"') {
      in_string_ = true;
    } else if (c == '\\') {
      fail(fmt::format("items[{}] has a backslash outside of a string", items_));
      return end;
    } else if (c == '{' || c == '[') {
      if (++depth > max_depth) {
        fail(fmt::format("items[{}] is nested more than {} levels deep", items_, max_depth));
        return end;
      }
    } else if ((c == '}' || c == ']') && --depth == end_depth) {
      depth_ = depth;
      where_ = Where::CommaOrEnd;
      deliver(at, end);
      return at;
    }
  }
  depth_ = depth;
  return at;
}

void ItemSplitter::deliver(const char* item_end, const char* chunk_end) {
  const std::size_t index = items_++;
  const auto after = static_cast<std::size_t>(chunk_end - item_end);
  const bool in_place = item_start_ != nullptr && after >= json_padding;
  std::string_view item;
  if (in_place) {
    item = std::string_view(item_start_, static_cast<std::size_t>(item_end - item_start_));
  } else {
    keep(item_start_ != nullptr ? item_start_ : chunk_start_, item_end);
    if (error_) return;
    const std::size_t size = buffer_.size();
    buffer_.append(json_padding, ' ');
    item = std::string_view(buffer_).substr(0, size);
  }
  item_start_ = nullptr;
  if (const base::Status taken = sink_(item, index); !taken) error_ = taken.error();
  buffer_.clear();
}

void ItemSplitter::keep(const char* from, const char* to) {
  const auto size = static_cast<std::size_t>(to - from);
  if (buffer_.size() + size > max_item_bytes) {
    return fail(fmt::format("items[{}] is larger than 64 MiB", items_));
  }
  buffer_.append(from, size);
}

const char* ItemSplitter::expect_end(const char* at, const char* end) {
  if (extent_ == Extent::OneOfSeveral) {
    rest_ = std::string_view(at, static_cast<std::size_t>(end - at));
    return end;
  }
  while (at != end && is_space(*at)) ++at;
  if (at != end) {
    fail(fmt::format("unexpected text after the end of the list: {}",
                     quoted_opening(std::string_view(at, 1))));
  }
  return end;
}

base::Result<std::string> ItemSplitter::finish() {
  if (!error_ && where_ != Where::Closed) fail_cut_off();
  if (!error_) check_envelope();
  if (error_) return *error_;
  return envelope_;
}

void ItemSplitter::check_envelope() {
  constexpr auto invalid = "the fields of the list besides its items are not valid JSON";
  if (extent_ == Extent::OneOfSeveral && !items_seen_) {  // can be large
    if (!nlohmann::json::accept(envelope_)) fail(invalid);
    return;
  }
  const auto body = nlohmann::json::parse(envelope_, nullptr, false);
  if (body.is_discarded()) return fail(invalid);
  if (!items_seen_) {
    const auto kind = body.find("kind");
    const bool named = kind != body.end() && kind->is_string();
    const std::string name = named ? kind->get<std::string>() : std::string();
    if (name == "Status" || name.ends_with("List")) return;
    return fail(fmt::format("{} is not a list: it has no items", named ? name : "the body"));
  }
  const auto& items = body["items"];
  if (items.is_array() || items.is_null()) return;
  fail(fmt::format("items is {}; expected an array", items.is_object() ? "an object" : "a scalar"));
}

void ItemSplitter::fail(std::string what) {
  error_ = Error{ErrorKind::Malformed, name_, std::move(what), {}};
}

void ItemSplitter::fail_cut_off() {
  if (where_ == Where::Opening) {
    if (!without_mark(opening_).empty()) return fail_foreign();
    return fail("the body is empty; expected a JSON list");
  }
  if (where_ == Where::Item) {
    return fail(fmt::format("the list is cut off inside items[{}]", items_));
  }
  if (where_ == Where::Envelope && !items_seen_) {
    return fail("the list is cut off before its items");
  }
  fail(fmt::format("the list is cut off after {} items", items_));
}

void ItemSplitter::fail_foreign() {
  const std::string_view opening = without_mark(opening_);
  if (const auto foreign = foreign_content(opening)) {
    return fail(fmt::format("this is {}, not JSON{}{}", foreign->what,
                            foreign->advice.empty() ? "" : ": ", foreign->advice));
  }
  fail(fmt::format("the body begins with {}; expected a JSON object", quoted_opening(opening)));
}

}  // namespace dsdoctor::decode
