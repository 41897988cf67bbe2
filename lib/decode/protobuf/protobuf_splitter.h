// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dsdoctor::decode {

/// The metadata of a protobuf list (runtime.Unknown's typeMeta, and ListMeta).
struct ProtobufListHead {
  std::string api_version;
  std::string kind;
  std::string resource_version;
  std::string continue_token;
  std::int64_t remaining_items = -1;  // -1: unknown
};

/// Finds the items in a list's protobuf body while the body arrives in chunks cut anywhere: the
/// magic `k8s\0`, runtime.Unknown, in its `raw` a list: field 1 ListMeta, field 2 the items. Checks
/// that each length is within the enclosing message, and that the body has the stated length.
/// Memory: the unfinished field.
/// Source of truth: k8s.io/apimachinery v0.36, pkg/runtime/serializer/protobuf.
class ProtobufSplitter {
 public:
  static constexpr std::uint64_t max_item_bytes = std::uint64_t{64} << 20U;

  /// Receives the items in order; the bytes are valid during the call only. An error stops the
  /// splitter, and `feed` returns it.
  using Sink = std::function<base::Status(std::string_view item, std::size_t index)>;

  /// `name` is the name of the body in errors.
  ProtobufSplitter(std::string name, Sink sink);

  /// Consumes the next bytes. Errors: Malformed, or the sink's own. After an error every further
  /// call returns it again.
  [[nodiscard]] base::Status feed(std::string_view chunk);
  /// Call at the end of the body, which may be a Status without items. Errors: Malformed if the
  /// body is cut off.
  [[nodiscard]] base::Result<ProtobufListHead> finish();

  [[nodiscard]] std::size_t items() const { return items_; }
  /// Complete as soon as the first item is delivered.
  [[nodiscard]] const ProtobufListHead& head() const { return head_; }

 private:
  enum class Where { Magic, Envelope, List, Closed };

  /// The next field: key, then perhaps a length, then `length` bytes of body.
  struct FieldAt {
    std::uint32_t number = 0;
    bool has_body = false;     // length-delimited
    std::size_t header = 0;    // bytes before the body
    std::uint64_t length = 0;  // of the body

    [[nodiscard]] std::uint64_t size() const { return header + length; }
  };

  bool step();
  bool read_magic();
  bool read_envelope();
  bool read_list();
  bool peek(FieldAt& field, std::uint64_t room);
  [[nodiscard]] std::string_view body_of(const FieldAt& field) const;
  bool take(const FieldAt& field);
  void consume(std::size_t bytes);
  bool fail(std::string what);

  std::string name_;
  Sink sink_;
  std::optional<base::Error> error_;
  Where where_ = Where::Magic;
  std::string buffer_;
  std::size_t at_ = 0;          // of the next unread byte in `buffer_`
  std::uint64_t consumed_ = 0;  // bytes of the body before `at_`
  bool list_seen_ = false;
  std::uint64_t list_left_ = 0;  // bytes of the list that are not consumed yet
  std::size_t items_ = 0;
  ProtobufListHead head_;
};

}  // namespace dsdoctor::decode
