#include "kube/config/kubeconfig.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "kube/config/kubeconfig_file.h"
#include "kube/os/files.h"

namespace dsdoctor::kube {
namespace {

using base::Error;
using base::ErrorKind;

constexpr std::size_t largest_kubeconfig = 64U << 20U;  // bytes

bool exists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

/// The elements of KUBECONFIG, each once.
std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> files;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const auto end = std::min(list.find(':', begin), list.size());
    std::string file = list.substr(begin, end - begin);
    if (!file.empty() && std::ranges::find(files, file) == files.end()) {
      files.push_back(std::move(file));
    }
    begin = end + 1;
  }
  return files;
}

struct Candidates {
  std::vector<std::string> files;
  bool note_when_all_missing = false;
  std::vector<std::string> notes;
};

Candidates candidates(const Environment& environment) {
  if (const std::string list = environment.get("KUBECONFIG"); !list.empty()) {
    return {split_list(list), true, {}};
  }
  const std::string home = environment.get("HOME");
  if (home.empty()) return {{}, false, {"HOME is not set: no default kubeconfig is read"}};
  const std::string file = home + "/.kube/config";
  const std::string legacy = home + "/.kube/.kubeconfig";
  if (!exists(file) && exists(legacy)) return {{legacy}, false, {}};
  return {{file}, false, {}};
}

bool holds_secret(const Kubeconfig& config) {
  return std::ranges::any_of(config.users, [](const auto& entry) {
    const UserEntry& user = entry.second;
    return !user.token.empty() || !user.password.empty() || !user.client_key_data.empty();
  });
}

bool is_readable_by_others(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         (info.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

/// What to do about a file that cannot be used.
Error with_advice(Error error) {
  error.what += "; correct it, or name another file with --kubeconfig or KUBECONFIG";
  return error;
}

base::Result<Kubeconfig> read_one(const std::string& path, const Environment& environment) {
  const std::string absolute = resolve_path(path, environment.working_directory);
  const auto text = read_file(absolute, largest_kubeconfig);
  if (!text) {
    return with_advice({text.error().kind, fmt::format("error loading config file \"{}\"", path),
                        base::to_string(text.error())});
  }
  auto config = parse_kubeconfig(*text, absolute);
  if (!config) return with_advice(config.error());
  if (holds_secret(*config) && is_readable_by_others(absolute)) {
    config->notes.push_back(fmt::format(
        "{} holds credentials and is readable by its group or by everyone: chmod 600 {}", path,
        path));
  }
  return config;
}

void merge_into(Kubeconfig& target, Kubeconfig&& later) {
  if (target.current_context.empty()) target.current_context = std::move(later.current_context);
  target.clusters.merge(later.clusters);
  target.users.merge(later.users);
  target.contexts.merge(later.contexts);
  target.notes.insert(target.notes.end(), later.notes.begin(), later.notes.end());
  target.files.insert(target.files.end(), later.files.begin(), later.files.end());
}

Error joined(const std::vector<Error>& errors) {
  if (errors.size() == 1) return errors.front();
  Error all{errors.front().kind, "error loading config files", ""};
  for (const Error& error : errors) all.what += "\n* " + base::to_string(error);
  return all;
}

}  // namespace

base::Result<Kubeconfig> load_kubeconfig(const std::string& explicit_path,
                                         const Environment& environment) {
  if (!explicit_path.empty()) {
    auto config = read_one(explicit_path, environment);
    if (!config && config.error().kind == ErrorKind::NotFound) {
      return Error{ErrorKind::NotFound, "stat " + explicit_path, "no such file or directory"};
    }
    return config;
  }
  Candidates found = candidates(environment);
  Kubeconfig merged;
  merged.notes = std::move(found.notes);
  std::vector<Error> errors;
  std::string missing;
  bool any = false;
  for (const std::string& path : found.files) {
    auto config = read_one(path, environment);
    if (config) {
      merge_into(merged, std::move(*config));
      any = true;
    } else if (config.error().kind == ErrorKind::NotFound) {
      missing += (missing.empty() ? "" : ", ") + path;
    } else {
      errors.push_back(config.error());
    }
  }
  if (!errors.empty()) return joined(errors);
  if (!any && found.note_when_all_missing && !missing.empty()) {
    merged.notes.push_back("Config not found: " + missing);
  }
  return merged;
}

}  // namespace dsdoctor::kube
