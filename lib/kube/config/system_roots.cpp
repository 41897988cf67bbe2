// SPDX-License-Identifier: Apache-2.0
#include "kube/config/system_roots.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "kube/os/files.h"
#include "kube/os/platform.h"
#include "kube/text/certificate.h"

namespace dsdoctor::kube {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_size = 16U << 20U;  // bytes of one file

/// A link to a file in the same folder: that file is read anyway.
bool is_alias(const fs::directory_entry& entry) {
  std::error_code error;
  if (!entry.is_symlink(error)) return false;
  const fs::path target = fs::read_symlink(entry.path(), error);
  return !error && !has_folder(target.string());
}

/// Certificates without duplicates.
class Pool {
 public:
  /// A bundle of the system is added unchanged: OpenSSL parses it again.
  void add_bundle(const std::string& text) {
    for (const std::string_view block : certificate_blocks(text)) seen_.emplace(block);
    pem_ += text;
    pem_ += '\n';
  }
  /// Adds only new and readable certificates: a single broken block would spoil the whole pool.
  void add_file(const std::string& text) {
    for (const std::string_view block : certificate_blocks(text)) {
      if (!seen_.emplace(block).second) continue;
      for (const std::string& certificate : readable_certificates(block)) {
        pem_.append(certificate).append("\n");
      }
    }
  }
  [[nodiscard]] std::string take() { return std::move(pem_); }

 private:
  std::unordered_set<std::string> seen_;
  std::string pem_;
};

}  // namespace

std::string system_roots(const Environment& environment) {
  RootPlaces places = root_places();
  if (std::string file = environment.get("SSL_CERT_FILE"); !file.empty()) {
    places.bundles = {std::move(file)};
    places.store.clear();
  }
  if (const std::string list = environment.get("SSL_CERT_DIR"); !list.empty()) {
    const auto parts = base::split(list, std::string(1, list_separator()));
    places.folders = {parts.begin(), parts.end()};
  }
  Pool pool;
  if (!places.store.empty()) pool.add_bundle(places.store);
  for (const std::string& file : places.bundles) {
    const auto text = read_file(file, max_size, long_patience);
    if (!text) continue;
    pool.add_bundle(*text);
    break;
  }
  for (const std::string& folder : places.folders) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      std::error_code unreadable;
      if (is_alias(*at) || !at->is_regular_file(unreadable)) continue;
      if (const auto text = read_file(at->path().string(), max_size)) pool.add_file(*text);
    }
  }
  return pool.take();
}

}  // namespace dsdoctor::kube
