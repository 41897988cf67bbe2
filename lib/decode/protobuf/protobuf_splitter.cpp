// SPDX-License-Identifier: Apache-2.0
#include "decode/protobuf/protobuf_splitter.h"

#include <fmt/format.h>

#include <limits>
#include <protozero/pbf_reader.hpp>
#include <protozero/types.hpp>
#include <utility>

namespace dsdoctor::decode {
namespace {

using protozero::pbf_wire_type;

constexpr std::string_view magic("k8s\0", 4);

/// Reads the varint at the start of `bytes`. Returns its length, 0 if it is incomplete, -1 if
/// invalid.
int read_varint(std::string_view bytes, std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 10) return -1;
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if ((byte & 0x80U) == 0) return static_cast<int>(i) + 1;
  }
  return bytes.size() >= 10 ? -1 : 0;
}

std::string text(protozero::pbf_reader& field) {
  if (!field.has_wire_type(pbf_wire_type::length_delimited)) {
    throw protozero::unknown_pbf_wire_type_exception();
  }
  return field.get_string();
}

void read_type_meta(std::string_view bytes, ProtobufListHead& head) {
  protozero::pbf_reader fields(bytes.data(), bytes.size());
  while (fields.next()) {
    switch (fields.tag()) {
      case 1: head.api_version = text(fields); break;
      case 2: head.kind = text(fields); break;
      default: fields.skip();
    }
  }
}

void read_list_meta(std::string_view bytes, ProtobufListHead& head) {
  protozero::pbf_reader fields(bytes.data(), bytes.size());
  while (fields.next()) {
    switch (fields.tag()) {
      case 2: head.resource_version = text(fields); break;
      case 3: head.continue_token = text(fields); break;
      case 4:
        if (!fields.has_wire_type(pbf_wire_type::varint)) {
          throw protozero::unknown_pbf_wire_type_exception();
        }
        head.remaining_items = fields.get_int64();
        break;
      default: fields.skip();
    }
  }
}

}  // namespace

ProtobufSplitter::ProtobufSplitter(std::string name, Sink sink)
    : name_(std::move(name)), sink_(std::move(sink)) {}

bool ProtobufSplitter::fail(std::string what) {
  error_ = base::Error{base::ErrorKind::Malformed, fmt::format("{} byte {}", name_, consumed_),
                       std::move(what)};
  return false;
}

void ProtobufSplitter::consume(std::size_t bytes) {
  at_ += bytes;
  consumed_ += bytes;
}

base::Status ProtobufSplitter::feed(std::string_view chunk) {
  if (error_) return *error_;
  buffer_.append(chunk);
  while (step()) {
  }
  buffer_.erase(0, at_);
  at_ = 0;
  if (error_) return *error_;
  return std::monostate{};
}

/// Returns false if more bytes are needed, or on an error.
bool ProtobufSplitter::step() {
  switch (where_) {
    case Where::Magic: return read_magic();
    case Where::Envelope: return read_envelope();
    case Where::List: return read_list();
    case Where::Closed: return false;
  }
  return false;
}

bool ProtobufSplitter::read_magic() {
  const std::string_view start = std::string_view(buffer_).substr(0, magic.size());
  if (start != magic.substr(0, start.size())) {
    return fail("is not a Kubernetes protobuf: it does not begin with k8s and a zero byte");
  }
  if (start.size() < magic.size()) return false;
  consume(magic.size());
  where_ = Where::Envelope;
  return true;
}

/// Reads the header of the next field, which can take at most `room` bytes; its body may be
/// incomplete. Returns false if more bytes are needed, or the header is malformed.
bool ProtobufSplitter::peek(FieldAt& field, std::uint64_t room) {
  constexpr const char* endless = "the protobuf is not valid: a number does not end";
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  std::uint64_t key = 0;
  const int key_length = read_varint(rest, key);
  if (key_length < 0) return fail(endless);
  if (key_length == 0) return false;
  if (key >> 3U == 0 || key >> 3U > std::numeric_limits<std::uint32_t>::max()) {
    return fail("the protobuf is not valid: a field without a number");
  }
  field.number = static_cast<std::uint32_t>(key >> 3U);
  field.header = static_cast<std::size_t>(key_length);
  std::uint64_t value = 0;
  const int value_length = read_varint(rest.substr(field.header), value);
  switch (static_cast<pbf_wire_type>(key & 7U)) {
    case pbf_wire_type::fixed32: field.header += 4; break;
    case pbf_wire_type::fixed64: field.header += 8; break;
    case pbf_wire_type::length_delimited: field.has_body = true; [[fallthrough]];
    case pbf_wire_type::varint:
      if (value_length < 0) return fail(endless);
      if (value_length == 0) return false;
      field.header += static_cast<std::size_t>(value_length);
      break;
    case pbf_wire_type::unknown:
    default: return fail("the protobuf is not valid: a field of unknown type");
  }
  if (field.has_body) field.length = value;
  if (field.header > room || field.length > room - field.header) {
    return fail(fmt::format("the protobuf is not valid: a field of {} bytes, where {} are left",
                            field.length, room));
  }
  return true;
}

/// REQUIRES: the body has arrived.
std::string_view ProtobufSplitter::body_of(const FieldAt& field) const {
  return std::string_view(buffer_).substr(at_ + field.header, field.length);
}

/// Reads runtime.Unknown. Does not wait for the end of its `raw`, which is the list.
bool ProtobufSplitter::read_envelope() {
  constexpr std::uint64_t max_body = std::uint64_t{1} << 40U;
  if (at_ == buffer_.size()) return false;
  FieldAt field;
  if (!peek(field, max_body)) return false;
  const bool is_list = head_.kind != "Status";
  if (field.number == 2 && !list_seen_ && is_list) {
    if (head_.kind.empty() || !field.has_body) {
      return fail("the protobuf is not valid: it has no kind");
    }
    list_seen_ = true;
    list_left_ = field.length;
    consume(field.header);
    where_ = Where::List;
    return true;
  }
  if (field.size() > max_item_bytes) return fail("the protobuf's envelope is too large");
  if (buffer_.size() - at_ < field.size()) return false;
  return take(field);
}

/// Handles a complete field of the envelope or of the list.
bool ProtobufSplitter::take(const FieldAt& field) {
  try {
    if (field.has_body && field.number == 1) {
      if (where_ == Where::Envelope) read_type_meta(body_of(field), head_);
      if (where_ == Where::List) read_list_meta(body_of(field), head_);
    }
  } catch (const protozero::exception& error) {
    return fail(fmt::format("the protobuf is not valid: {}", error.what()));
  }
  consume(field.size());
  return true;
}

bool ProtobufSplitter::read_list() {
  if (list_left_ == 0) {
    where_ = Where::Envelope;
    return true;
  }
  FieldAt field;
  if (!peek(field, list_left_)) return false;
  if (field.size() > max_item_bytes) {
    return fail(fmt::format("an item of {} bytes is larger than {}", field.length, max_item_bytes));
  }
  if (buffer_.size() - at_ < field.size()) return false;
  list_left_ -= field.size();
  if (field.number != 2) return take(field);
  if (!field.has_body) return fail("the protobuf is not valid: an item is not an object");
  const base::Status status = sink_(body_of(field), items_++);
  if (!status) {
    error_ = status.error();
    return false;
  }
  consume(field.size());
  return true;
}

base::Result<ProtobufListHead> ProtobufSplitter::finish() {
  const bool seen = list_seen_ || head_.kind == "Status";
  if (!error_ && (where_ != Where::Envelope || !seen || at_ != buffer_.size())) {
    fail("the protobuf is cut off");
  }
  if (error_) return *error_;
  where_ = Where::Closed;
  return head_;
}

}  // namespace dsdoctor::decode
