// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml.h>

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace dsdoctor::decode {

/// Thrown to stop reading; caught by the function that began it.
struct YamlStop : std::exception {
  YamlStop(const yaml_mark_t& mark, std::string text)
      : index(mark.index), what_text(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_text.c_str(); }
  std::size_t index;  // of the character
  std::string what_text;
};

/// The offsets of characters that are asked for in ascending order.
class YamlOffsets {
 public:
  explicit YamlOffsets(std::string_view text) : text_(text) {}

  /// The offset in bytes of the character at `index`; the size of the text behind its end.
  [[nodiscard]] std::size_t of(std::size_t index);

 private:
  std::string_view text_;
  std::size_t index_ = 0;
  std::size_t offset_ = 0;
};

/// Malformed, with `file:line:column` and the reason.
[[nodiscard]] base::Error error_at(std::string_view text, std::string_view file,
                                   const YamlStop& stop);

/// The events of libyaml for a text. Marks count from its beginning.
class YamlEvents {
 public:
  /// `text` must outlive this.
  explicit YamlEvents(std::string_view text);
  ~YamlEvents();
  YamlEvents(const YamlEvents&) = delete;
  YamlEvents& operator=(const YamlEvents&) = delete;

  /// The next event, valid until the next call. Throws YamlStop if the text is not YAML.
  const yaml_event_t& next();

 private:
  static int read(void* events, unsigned char* into, std::size_t most, std::size_t* given);
  void begin();
  bool begin_again();
  [[noreturn]] void stop() const;

  std::string_view text_;
  YamlOffsets offsets_;
  yaml_mark_t start_{};           // where the parser began
  std::size_t start_offset_ = 0;  // the same in bytes
  std::size_t given_ = 0;         // offset up to which the parser has the text
  std::size_t piece_ = 0;         // bytes that it gets next
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  std::size_t depth_ = 0;  // open lists and mappings
};

/// `text` without byte order marks. Tools of Windows begin each file with one; concatenated files
/// have them on any line. The result refers to `text` or `copy`.
[[nodiscard]] std::string_view without_byte_order_marks(std::string_view text, std::string& copy);

/// Reports whether the content of a scalar determines its type, because of its tag or without one.
/// `text`: what the event was read from.
[[nodiscard]] bool has_typed_content(const yaml_event_t& event, std::string_view text,
                                     YamlOffsets& offsets);

/// The content of a field of an event; empty if it is absent.
[[nodiscard]] inline std::string_view text_of(const yaml_char_t* field) {
  return field == nullptr ? std::string_view() : reinterpret_cast<const char*>(field);
}

}  // namespace dsdoctor::decode
