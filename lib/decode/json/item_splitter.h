#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dsdoctor::decode {

/// Finds the items in a list's JSON body while the body arrives in chunks cut anywhere.
///
/// Checks the list around the items strictly, and of an item only what tells where it ends: that
/// its brackets balance, and that no backslash is outside of strings. Who reads the item checks it.
/// Memory: the unfinished item and the list's own fields.
class ItemSplitter {
 public:
  static constexpr std::size_t max_item_bytes = std::size_t{64} << 20U;
  static constexpr std::size_t max_envelope_bytes = std::size_t{1} << 20U;
  static constexpr int max_depth = 1000;  // of the whole body

  /// Receives the items in order. `json` is followed by `json_padding` readable bytes and is valid
  /// during the call only. An error stops the splitter and is what `feed` returns.
  using Sink = std::function<base::Status(std::string_view json, std::size_t index)>;

  /// Whether the body is a list and nothing else, or one of several values behind each other, which
  /// may be no lists.
  enum class Extent { List, OneOfSeveral };

  /// `name` is what errors call the body.
  ItemSplitter(std::string name, Sink sink, Extent extent = Extent::List);

  /// Takes the next bytes. Errors: Malformed, or the sink's own. After an error every further call
  /// returns it again.
  [[nodiscard]] base::Status feed(std::string_view chunk);

  /// The body is complete. Returns its envelope: the JSON of the body with `items` emptied, so a
  /// valid object with `kind` and `metadata`. A body that is a `Status` object is returned as it
  /// is, and so is one of several values that is no list; a list without `items` has none. Errors:
  /// Malformed, where the body is cut short, is no JSON object, or no list.
  [[nodiscard]] base::Result<std::string> finish();

  /// Of one of several values: the error of the first item that is not an object; empty where each
  /// is one. From it on the items are part of the envelope: a foreign object may have such items.
  [[nodiscard]] const std::string& odd_item() const { return odd_item_; }

  /// The envelope up to the `[` of `items`, while items are delivered.
  [[nodiscard]] const std::string& envelope_so_far() const { return envelope_; }

  /// Of one of several values: its end was fed; what follows it in the last chunk is `rest`.
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
  std::string_view rest_;  // behind the end of the value, where others may follow
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
