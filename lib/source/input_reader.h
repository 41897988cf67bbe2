// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "decode/bytes/archive_reader.h"
#include "decode/bytes/byte_stream.h"
#include "decode/cluster/cluster_builder.h"
#include "decode/manifest/manifest_fields.h"
#include "model/cluster.h"
#include "source/dumps/dump_layout.h"

namespace dsdoctor::source {

/// Reads one input, compressed or not, into a builder. Use one reader per input.
///
/// A file given by name must contain objects: anything else is an error. In a folder or an archive,
/// paths decide which files are opened (`place_in_dump`), and how a file that cannot be read as
/// objects is treated:
/// - its path names a resource that verdicts depend on: an error, because it would be missing;
/// - its path names a resource that only explains: a warning, and it is skipped;
/// - its path names no resource, in a collector's layout: a file of another format; it is counted;
/// - its path names no resource, in any other folder or archive: an error, because every JSON or
///   YAML file there is assumed to be a manifest. Objects without a kind are not manifests: such a
///   file is skipped and counted.
class InputReader {
 public:
  /// `given` is the path as given; messages begin with it.
  /// `fields` checks the files, which are manifests then; it may be null.
  InputReader(std::string given, decode::ClusterBuilder& builder,
              std::vector<model::Warning>& warnings, const decode::UnpackLimits& limits,
              decode::ManifestFields* fields = nullptr);

  /// Reads a file given by name, or standard input. A tar or zip archive, compressed or not, is
  /// read entry by entry. Archives in it are counted; if it has no objects, and one archive alone,
  /// that one is read, but none in it. `size` is an estimate, used to allocate memory once.
  void read_given(decode::ByteStream& stream, std::size_t size);

  /// Begins an input that may show another time than the other inputs of the folder.
  void begin_input(std::string name) { builder_.listed_inputs().begin_input(std::move(name)); }
  /// Reports whether to open the file with this path below the folder. Counts it if not.
  [[nodiscard]] bool wants(std::string_view path);
  /// Reads a file of a folder. REQUIRES: wants(path).
  void read_member(std::string_view path, decode::ByteStream& stream, std::size_t size);
  /// The path of the only archive of a folder whose files have no objects; null if there is none,
  /// or several. REQUIRES: the files were read.
  [[nodiscard]] std::optional<std::string> only_archive() const;
  /// Reads that archive.
  void read_only_archive(const std::string& path, decode::ByteStream& stream);
  /// "the folder has no manifests"; `what`: "folder" or "archive".
  [[nodiscard]] base::Error lacks_manifests(std::string_view what) const;

  /// The collector's notes about the whole cluster; absent if there are none.
  [[nodiscard]] const std::optional<model::ServerVersion>& server_version() const {
    return version_;
  }
  [[nodiscard]] const model::OptionalTime& collected() const { return collected_; }

  /// Call at the end of the input. Returns its errors; adds warnings about skipped files.
  [[nodiscard]] std::vector<base::Error> finish();

 private:
  void fail(base::Error error) { errors_.push_back(std::move(error)); }
  /// Reads to the end, where decoders verify checksums.
  void drain(decode::ByteStream& stream);
  void read_archive(decode::ArchiveFormat format, decode::ByteStream& stream,
                    const std::string& name);
  /// An entry without objects; `error` is absent if its objects have no kind.
  struct Unread {
    std::string path;
    std::optional<base::Error> error;
  };
  /// Reports whether to read an entry. Counts it if not, and holds its content if it is an archive.
  [[nodiscard]] bool opens(const decode::ArchiveReader::Entry& entry,
                           decode::ArchiveReader& archive);
  /// Null if the entry has objects, or is counted.
  [[nodiscard]] std::optional<Unread> read_entry(const decode::ArchiveReader::Entry& entry,
                                                 decode::ByteStream& content);
  /// Counts an entry that is a link, and reports the error of another one.
  void sort_out(Unread entry, const decode::ArchiveReader& archive);
  void read_nested(const std::string& path, decode::ByteStream& stream);
  void hold(const decode::ArchiveReader::Entry& entry, decode::ByteStream& content);
  void count_archive(std::string_view path);
  /// Errors: only if the bytes cannot be read; errors in their content are passed to `refused`.
  [[nodiscard]] base::Status read_place(const DumpPlace& place, const std::string& name,
                                        decode::ByteStream& stream, std::size_t size);
  void refused(const DumpPlace& place, base::Error error);
  /// Reads a ServerVersion or Timestamp, which are optional.
  void read_note(DumpPlace::Content content, decode::ByteStream& stream, const std::string& name);
  /// place_in_dump; files with templates of new nodes count if these are collected.
  [[nodiscard]] DumpPlace place_of(std::string_view path) const;
  [[nodiscard]] std::string skipped() const;
  [[nodiscard]] std::string irregular() const;

  std::string given_;
  std::string archive_name_;  // of the archive that is read: `given_`, or one in it
  decode::ClusterBuilder& builder_;
  std::vector<model::Warning>& warnings_;
  decode::UnpackBudget budget_;
  decode::ManifestFields* fields_;
  std::vector<base::Error> errors_;
  // Keeps a limited number of messages about single files, and counts all of them.
  std::vector<base::Error> doubtful_;  // of files whose path names no resource
  std::size_t doubts_ = 0;
  std::size_t refused_ = 0;
  bool archive_ = false;
  bool of_collector_ = false;    // a path with a collector's layout was seen
  bool names_resource_ = false;  // a path that names a resource was seen
  std::size_t read_ = 0;         // opened files of a folder or an archive
  std::size_t without_objects_ = 0;
  std::size_t without_kind_ = 0;  // files whose objects have no kind
  std::size_t sensitive_ = 0;
  std::size_t foreign_ = 0;  // files of resources that are not needed
  std::size_t archives_ = 0;
  std::vector<std::string> archive_paths_;  // of the first archives
  bool nested_ = false;                     // reads an archive in an archive or folder
  std::optional<std::string> held_;         // content of the first archive in an archive
  std::size_t entries_ = 0;                 // of the archive
  std::optional<model::ServerVersion> version_;
  model::OptionalTime collected_;  // the newest time of the collector's own notes
  std::size_t irregular_ = 0;      // links, devices, paths that lead outside
};

}  // namespace dsdoctor::source
