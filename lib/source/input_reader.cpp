// SPDX-License-Identifier: Apache-2.0
#include "source/input_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "base/text.h"
#include "decode/bytes/archive_reader.h"
#include "decode/bytes/compression.h"
#include "decode/bytes/sniff.h"
#include "decode/cluster/document_stream.h"
#include "kube/client/api_documents.h"
#include "source/capture_time.h"

namespace dsdoctor::source {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_kept = 200;  // messages of each file
constexpr std::size_t shown_archives = 3;
constexpr std::uint64_t longest_target = 4096;  // of a link

/// A text as a stream.
class HeldStream final : public decode::ByteStream {
 public:
  explicit HeldStream(std::string_view text) : text_(text) {}
  base::Result<std::string_view> next() override { return std::exchange(text_, {}); }

 private:
  std::string_view text_;
};

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

/// Errors: Malformed for a path with two dots in a zip archive; tar -P writes such paths.
base::Status check_path(decode::ArchiveFormat format, const decode::ArchiveReader::Entry& entry,
                        const std::string& name) {
  if (format != decode::ArchiveFormat::Zip || !entry.climbs) return std::monostate{};
  return base::Error{
      base::ErrorKind::Malformed, name,
      fmt::format("the path of the entry {} has \"..\"; unpack the archive, and read "
                  "the folder",
                  entry.path)};
}

bool may_be_link(decode::ArchiveFormat format, const decode::ArchiveReader::Entry& entry) {
  return format == decode::ArchiveFormat::Zip && entry.bytes <= longest_target;
}

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
  if (const auto format = decode::archive_format_of(*opening)) {
    read_archive(*format, unpacked.stream(), given_);
    // The checksum is at the end, after the last entry.
    if (unpacked.was_packed() && errors_.empty()) drain(unpacked.stream());
    if (held_ && errors_.empty() && only_archive()) {
      HeldStream held(*held_);
      read_nested(archive_paths_.front(), held);
    }
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

void InputReader::read_archive(decode::ArchiveFormat format, decode::ByteStream& stream,
                               const std::string& name) {
  archive_ = true;
  archive_name_ = name;
  if (format == decode::ArchiveFormat::Zip) builder_.given(0, true);
  decode::ArchiveReader archive(format, stream, name, budget_);
  std::optional<Unread> last;
  std::vector<Unread> may_be_links;  // only the end of a zip archive says which entries are links
  for (;;) {
    const auto entry = archive.next();
    if (!entry) return fail(entry.error());  // it also caused the error in `last`
    if (last) refused(place_of(last->path), *std::move(last->error));
    last.reset();
    if (!*entry) break;
    if (auto inside = check_path(format, **entry, name); !inside) return fail(inside.error());
    if (!opens(**entry, archive)) continue;
    auto unread = read_entry(**entry, archive.content());
    if (!unread) continue;
    if ((*entry)->encrypted) return fail(*unread->error);
    if (may_be_link(format, **entry) && may_be_links.size() < most_kept) {
      may_be_links.push_back(*std::move(unread));
    } else if (unread->error) {
      last = std::move(unread);
    }
  }
  for (Unread& entry : may_be_links) sort_out(std::move(entry), archive);
}

void InputReader::sort_out(Unread entry, const decode::ArchiveReader& archive) {
  if (archive.is_link(entry.path)) {
    ++irregular_;
    if (!entry.error) --without_kind_;
  } else if (entry.error) {
    refused(place_of(entry.path), *std::move(entry.error));
  }
}

bool InputReader::opens(const decode::ArchiveReader::Entry& entry, decode::ArchiveReader& archive) {
  ++entries_;
  if (entry.is_folder) return false;
  if (!entry.readable) {
    ++irregular_;
    return false;
  }
  const std::size_t archives = archives_;
  if (wants(entry.path)) return true;
  if (archives_ > archives) hold(entry, archive.content());
  return false;
}

std::optional<InputReader::Unread> InputReader::read_entry(
    const decode::ArchiveReader::Entry& entry, decode::ByteStream& content) {
  const std::size_t without_kind = without_kind_;
  auto status = read_place(place_of(entry.path), archive_name_ + "/" + entry.path, content,
                           static_cast<std::size_t>(entry.bytes));
  if (held_ && !only_archive()) held_.reset();
  if (!status) return Unread{entry.path, status.error()};
  if (without_kind_ > without_kind) return Unread{entry.path, std::nullopt};
  return std::nullopt;
}

void InputReader::hold(const decode::ArchiveReader::Entry& entry, decode::ByteStream& content) {
  held_.reset();
  if (!only_archive()) return;
  decode::StreamedFile file{content, archive_name_ + "/" + entry.path};
  file.most_in_memory = budget_.limits().file_bytes;
  if (auto whole = decode::content_of(file)) held_ = std::move(*whole);
}

std::optional<std::string> InputReader::only_archive() const {
  const bool one = !nested_ && archives_ == 1 && !archive_paths_.empty();
  if (!one || read_ > without_kind_ || !errors_.empty()) return std::nullopt;
  return archive_paths_.front();
}

void InputReader::read_only_archive(const std::string& path, decode::ByteStream& stream) {
  PackedStream packed(stream, budget_, builder_);
  read_nested(path, packed);
}

void InputReader::read_nested(const std::string& path, decode::ByteStream& stream) {
  const std::string name = (fs::path(given_) / path).generic_string();
  nested_ = true;
  archives_ = 0;
  archive_paths_.clear();
  entries_ = 0;
  Unpacked unpacked(stream, name, budget_);
  const auto opening = unpacked.unpack();
  if (!opening) return fail(opening.error());
  if (unpacked.was_packed()) builder_.given(0, true);
  const auto format = decode::archive_format_of(*opening);
  if (!format) {
    return fail({base::ErrorKind::Malformed, name, "is neither a tar archive nor a zip archive"});
  }
  read_archive(*format, unpacked.stream(), name);
  if (unpacked.was_packed() && errors_.empty()) drain(unpacked.stream());
}

void InputReader::count_archive(std::string_view path) {
  ++archives_;
  if (archive_paths_.size() <= shown_archives) archive_paths_.emplace_back(path);
}

base::Error InputReader::lacks_manifests(std::string_view what) const {
  base::Error error{base::ErrorKind::NotFound, what == "archive" ? archive_name_ : given_, ""};
  if (what == "archive" && entries_ == 0) {
    error.what = "the archive is empty";
    return error;
  }
  error.what = fmt::format("the {} has no manifests (*.json, *.yaml, *.yml)", what);
  if (archives_ == 0) {
    if (irregular_ > 0) error.what += ", only " + irregular();
    return error;
  }
  const std::string paths = base::listed(
      archives_, [&](std::size_t i) { return archive_paths_[i]; }, shown_archives);
  error.what += archives_ == 1 ? fmt::format(", only an archive ({}); ", paths)
                               : fmt::format(", only archives ({}); ", paths);
  if (what == "archive") error.what += "unpack it, and ";
  error.what += archives_ == 1 ? "name that one with -f" : "name one of them with -f";
  return error;
}

DumpPlace InputReader::place_of(std::string_view path) const {
  DumpPlace place = place_in_dump(path);
  const bool is_foreign = place.content == DumpPlace::Content::Foreign;
  if (is_foreign && builder_.collects_templates() && may_have_node_templates(path)) {
    place.content = DumpPlace::Content::Unnamed;
  }
  return place;
}

bool InputReader::wants(std::string_view path) {
  const DumpPlace place = place_of(path);
  of_collector_ = of_collector_ || place.of_collector;
  names_resource_ = names_resource_ || place.kind;
  switch (place.content) {
    case DumpPlace::Content::Objects: ++read_; return true;
    case DumpPlace::Content::Unnamed: return true;
    case DumpPlace::Content::Archive: count_archive(path); return false;
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
  const DumpPlace place = place_of(path);
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
  if (decode::archive_format_of(*opening)) {
    count_archive(name);
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

std::string InputReader::irregular() const {
  return base::counted(irregular_, "entry that is a link, a device or a path that leads outside",
                       "entries that are links, devices or paths that lead outside");
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
  if (irregular_ > 0) parts.push_back(irregular());
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
    fail(lacks_manifests("archive"));
  }
  if (std::string what = skipped(); !what.empty()) {
    warnings_.push_back({given_, "skipped " + what});
  }
  return std::move(errors_);
}

}  // namespace dsdoctor::source
