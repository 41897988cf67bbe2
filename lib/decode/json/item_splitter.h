// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dsdoctor::decode {

/// Finds the items in a list's JSON body while the body arrives in chunks of any size.
///
/// Checks the list around the items strictly, but items only as far as needed to find their ends:
/// brackets balance, and no backslash is outside of strings. The reader of an item checks the rest.
/// Memory: the unfinished item and the list's own fields.
class ItemSplitter {
 public:
  static constexpr std::size_t max_item_bytes = std::size_t{64} << 20U;
  static constexpr std::size_t max_envelope_bytes = std::size_t{1} << 20U;
  static constexpr int max_depth = 1000;  // of the whole body

  /// Receives the items in order. `json` is followed by `json_padding` readable bytes and is valid
  /// during the call only. An error stops the splitter, and `feed` returns it.
  using Sink = std::function<base::Status(std::string_view json, std::size_t index)>;

  /// The body is a single list, or one of several consecutive values, which need not be lists.
  enum class Extent { List, OneOfSeveral };

  /// `name` is the name of the body in errors.
  ItemSplitter(std::string name, Sink sink, Extent extent = Extent::List);

  /// Consumes the next bytes. Errors: Malformed, or the sink's own. After an error every further
  /// call returns it again.
  [[nodiscard]] base::Status feed(std::string_view chunk);

  /// Call at the end of the body. Returns its envelope: the body with empty `items`, a valid JSON
  /// object with `kind` and `metadata`. A `Status` is returned unchanged, and so is one of several
  /// values that is not a list; no `items` are added to a list without them. Errors: Malformed if
  /// the body is cut off, not a JSON object, or not a list.
  [[nodiscard]] base::Result<std::string> finish();

  /// For one of several values: the error of the first item that is not an object; else empty.
  /// From that item on, items are part of the envelope: foreign objects may have such items.
  [[nodiscard]] const std::string& odd_item() const { return odd_item_; }

  /// The envelope up to the `[` of `items`, while items are delivered.
  [[nodiscard]] const std::string& envelope_so_far() const { return envelope_; }

  /// For one of several values: reports whether its end was fed; `rest` is the remainder of the
  /// last chunk.
  [[nodiscard]] bool closed() const { return where_ == Where::Closed; }
  [[nodiscard]] std::string_view rest() const { return rest_; }

  /// Items found so far.
  [[nodiscard]] std::size_t items() const { return items_; }

 private:
  enum class Where {
    Opening,     // before the first `{`
    Envelope,    // outside of `items`
    ItemOrEnd,   // in `items`, after `[`
    Item,        // inside an item
    CommaOrEnd,  // in `items`, after an item
    ItemOnly,    // in `items`, after a comma
    Closed,      // after the last `}`
  };
  enum class Key { None, Expected, Reading, Read, Items, ItemsColon };

  const char* open_body(const char* at, const char* end);
  const char* scan_envelope(const char* at, const char* end);
  const char* scan_item(const char* at, const char* end);
  const char* scan_between(const char* at, const char* end);
  const char* skip_string(const char* at, const char* end);
  const char* expect_end(const char* at, const char* end);
  void envelope_string_ended();
  void envelope_character(char c);
  void deliver(const char* item_end, const char* chunk_end);
  void keep(const char* from, const char* to);
  void check_envelope();
  void fail(std::string what);
  void fail_cut_off();
  void fail_foreign();

  std::string name_;
  Sink sink_;
  Extent extent_;
  std::string_view rest_;  // after the end of the value, where others may follow
  std::optional<base::Error> error_;
  Where where_ = Where::Opening;
  Key key_ = Key::None;
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;  // the next byte is escaped by a backslash
  bool items_seen_ = false;
  std::size_t items_ = 0;
  const char* chunk_start_ = nullptr;
  const char* item_start_ = nullptr;  // in the current chunk; null: the item began in `buffer_`
  std::string buffer_;                // the unfinished item's bytes from earlier chunks
  std::string opening_;               // the first bytes of a body that does not begin with `{`
  std::string envelope_;
  std::string odd_item_;
  std::size_t key_start_ = 0;  // of the last key, in `envelope_`
};

}  // namespace dsdoctor::decode
