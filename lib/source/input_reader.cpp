// SPDX-License-Identifier: Apache-2.0
#include "source/input_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "base/text.h"
#include "decode/bytes/compression.h"
#include "decode/bytes/sniff.h"
#include "decode/bytes/tar_reader.h"
#include "decode/cluster/document_stream.h"
#include "kube/client/api_documents.h"
#include "source/capture_time.h"

namespace dsdoctor::source {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_kept = 200;  // messages of each file

/// Counts the bytes of the input.
class PackedStream final : public decode::ByteStream {
 public:
  PackedStream(ByteStream& from, decode::UnpackBudget& budget, decode::ClusterBuilder& builder)
      : from_(from), budget_(budget), builder_(builder) {}
  base::Result<std::string_view> next() override {
    auto piece = from_.next();
    if (piece) {
      budget_.packed(piece->size());
      builder_.given(piece->size());
    }
    return piece;
  }

 private:
  ByteStream& from_;
  decode::UnpackBudget& budget_;
  decode::ClusterBuilder& builder_;
};

/// Removes all compressions of a stream.
class Unpacked {
 public:
  /// The arguments must outlive this object. `name` is used in errors.
  Unpacked(decode::ByteStream& from, std::string name, decode::UnpackBudget& budget)
      : name_(std::move(name)), budget_(budget) {
    peeked_.push_back(std::make_unique<decode::PeekedStream>(from));
  }

  /// The first bytes after all layers are removed. Errors: of the streams; Malformed: too many
  /// layers.
  base::Result<std::string_view> unpack() {
    for (;;) {
      auto opening = stream().opening();
      if (!opening) return opening;
      const auto compression = decode::compression_of(*opening);
      if (!compression) return opening;
      if (std::cmp_greater_equal(layers_.size(), budget_.limits().depth)) {
        return base::Error{base::ErrorKind::Malformed, name_,
                           fmt::format("is compressed more than {} times, which is the limit",
                                       budget_.limits().depth)};
      }
      layers_.push_back(decode::decompressed(*compression, stream(), name_, budget_));
      peeked_.push_back(std::make_unique<decode::PeekedStream>(*layers_.back()));
    }
  }

  [[nodiscard]] decode::PeekedStream& stream() { return *peeked_.back(); }
  [[nodiscard]] bool was_packed() const { return !layers_.empty(); }

 private:
  std::string name_;
  decode::UnpackBudget& budget_;
  std::vector<std::unique_ptr<decode::ByteStream>> layers_;
  std::vector<std::unique_ptr<decode::PeekedStream>> peeked_;
};

}  // namespace

InputReader::InputReader(std::string given, decode::ClusterBuilder& builder,
                         std::vector<model::Warning>& warnings, const decode::UnpackLimits& limits,
                         decode::ManifestFields* fields)
    : given_(std::move(given)),
      builder_(builder),
      warnings_(warnings),
      budget_(limits),
      fields_(fields) {}

void InputReader::read_given(decode::ByteStream& stream, std::size_t size) {
  PackedStream packed(stream, budget_, builder_);
  Unpacked unpacked(packed, given_, budget_);
  const auto opening = unpacked.unpack();
  if (!opening) return fail(opening.error());
  if (unpacked.was_packed()) builder_.given(0, true);
  if (decode::is_tar(*opening)) {
    read_archive(unpacked.stream(), given_);
    // The checksum is at the end, after the last entry.
    if (unpacked.was_packed() && errors_.empty()) drain(unpacked.stream());
    return;
  }
  decode::StreamedFile file{unpacked.stream(), given_};
  if (unpacked.was_packed()) {
    file.most_in_memory = budget_.limits().file_bytes;
  } else {
    file.size = size;
  }
  auto status = decode::read_document_stream(file, builder_, warnings_, {.fields = fields_});
  if (!status) fail(status.error());
}

void InputReader::drain(decode::ByteStream& stream) {
  for (;;) {
    const auto piece = stream.next();
    if (!piece) return fail(piece.error());
    if (piece->empty()) return;
  }
}

void InputReader::read_archive(decode::ByteStream& stream, const std::string& name) {
  archive_ = true;
  decode::TarReader tar(stream, name, budget_);
  std::optional<base::Error> unread;  // the last entry's
  DumpPlace place;
  for (;;) {
    const auto entry = tar.next();
    if (!entry) return fail(entry.error());  // it also caused `unread`
    if (unread) refused(place, *std::exchange(unread, std::nullopt));
    if (!*entry) return;
    if ((*entry)->is_folder) continue;
    if (!(*entry)->readable) {
      ++irregular_;
      continue;
    }
    if (!wants((*entry)->path)) continue;
    place = place_in_dump((*entry)->path);
    const auto bytes = static_cast<std::size_t>((*entry)->bytes);
    auto status = read_place(place, name + "/" + (*entry)->path, tar.content(), bytes);
    if (!status) unread = status.error();
  }
}

bool InputReader::wants(std::string_view path) {
  const DumpPlace place = place_in_dump(path);
  of_collector_ = of_collector_ || place.of_collector;
  names_resource_ = names_resource_ || place.kind;
  switch (place.content) {
    case DumpPlace::Content::Objects: ++read_; return true;
    case DumpPlace::Content::Unnamed: return true;
    case DumpPlace::Content::Archive: ++archives_; return false;
    case DumpPlace::Content::Sensitive: ++sensitive_; return false;
    case DumpPlace::Content::ServerVersion:
    case DumpPlace::Content::Timestamp: return true;
    case DumpPlace::Content::Other: ++without_objects_; return false;
    case DumpPlace::Content::Foreign: ++foreign_; return false;
    case DumpPlace::Content::Hidden: return false;
  }
  return false;
}

void InputReader::read_member(std::string_view path, decode::ByteStream& stream, std::size_t size) {
  const DumpPlace place = place_in_dump(path);
  PackedStream packed(stream, budget_, builder_);
  auto status = read_place(place, (fs::path(given_) / path).string(), packed, size);
  if (!status) refused(place, status.error());
}

void InputReader::read_note(DumpPlace::Content content, decode::ByteStream& stream,
                            const std::string& name) {
  constexpr std::uint64_t largest_note = std::uint64_t{1} << 20U;
  decode::StreamedFile file{stream, name};
  file.most_in_memory = largest_note;
  const auto text = decode::content_of(file);
  if (!text) return;
  if (content == DumpPlace::Content::ServerVersion) {
    if (auto version = kube::noted_version(*text)) version_ = std::move(version);
    return;
  }
  const auto time = newest_time_in(*text);
  if (!time) return;
  if (!collected_ || *time > *collected_) collected_ = time;
  builder_.listed_inputs().note_collected(*time);
}

base::Status InputReader::read_place(const DumpPlace& place, const std::string& name,
                                     decode::ByteStream& stream, std::size_t size) {
  const bool unnamed = place.content == DumpPlace::Content::Unnamed;
  if (place.content != DumpPlace::Content::Objects && !unnamed) {
    read_note(place.content, stream, name);
    return std::monostate{};
  }
  Unpacked unpacked(stream, name, budget_);
  const auto opening = unpacked.unpack();
  if (!opening) return opening.error();
  if (unnamed && !decode::opens_objects(*opening)) {
    ++without_objects_;
    return std::monostate{};
  }
  if (unnamed) ++read_;
  if (unpacked.was_packed()) builder_.given(0, true);
  if (decode::is_tar(*opening)) {
    ++archives_;
    return std::monostate{};
  }
  decode::StreamedFile file{unpacked.stream(), name};
  if (archive_ || unpacked.was_packed()) file.most_in_memory = budget_.limits().file_bytes;
  if (!unpacked.was_packed()) file.size = size;
  bool in_pieces = false;
  file.in_pieces = &in_pieces;
  std::size_t passed_over = 0;
  auto status = decode::read_document_stream(file, builder_, warnings_,
                                             {place.kind, place.ns, &passed_over, fields_});
  if (passed_over > 0) ++without_kind_;
  if (!status && in_pieces && (!place.kind || is_essential(*place.kind))) {
    fail(status.error());  // the part that was added must not look complete
    return std::monostate{};
  }
  return status;
}

void InputReader::refused(const DumpPlace& place, base::Error error) {
  if (place.kind && !is_essential(*place.kind)) {
    if (++refused_ <= most_kept) warnings_.push_back({error.where, error.what + "; ignored"});
  } else if (place.kind && place.of_collector) {
    if (errors_.size() < most_kept) fail(std::move(error));
  } else if (++doubts_ <= most_kept) {
    doubtful_.push_back(std::move(error));
  }
}

/// Formats "1361 files without objects, 121 files of Secrets or ConfigMaps (by their names)".
std::string InputReader::skipped() const {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) parts.push_back(base::counted(count, one, many));
  };
  if (archive_ || of_collector_ || names_resource_) {
    add(without_objects_, "file without objects", "files without objects");
  }
  add(without_kind_, "file with objects without a kind", "files with objects without a kind");
  add(foreign_, "file of other resources (by its path)",
      "files of other resources (by their paths)");
  add(sensitive_, "file of Secrets or ConfigMaps (by its name)",
      "files of Secrets or ConfigMaps (by their names)");
  add(archives_, "nested archive (name it with -f to read it)",
      "nested archives (name them with -f to read them)");
  add(irregular_, "entry that is a link, a device or a path that leads outside",
      "entries that are links, devices or paths that lead outside");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<base::Error> InputReader::finish() {
  if (of_collector_) {
    without_objects_ += doubts_ + std::exchange(without_kind_, 0);
  } else {
    std::ranges::move(doubtful_, std::back_inserter(errors_));
    if (doubts_ > most_kept) {
      fail({base::ErrorKind::Malformed, given_,
            fmt::format("and {}", base::counted(doubts_ - most_kept, "more such file"))});
    }
  }
  if (refused_ > most_kept) {
    warnings_.push_back(
        {given_, fmt::format("and {}", base::counted(refused_ - most_kept, "more such file"))});
  }
  if (errors_.empty() && archive_ && read_ == 0) {
    fail({base::ErrorKind::NotFound, given_,
          "the archive has no manifests (*.json, *.yaml, *.yml)"});
  }
  if (std::string what = skipped(); !what.empty()) {
    warnings_.push_back({given_, "skipped " + what});
  }
  return std::move(errors_);
}

}  // namespace dsdoctor::source
