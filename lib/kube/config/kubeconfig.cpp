// SPDX-License-Identifier: Apache-2.0
#include "kube/config/kubeconfig.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "kube/os/files.h"
#include "kube/os/platform.h"
#include "kube/text/yaml_fields.h"

namespace dsdoctor::kube {
namespace {

using base::Error;
using base::ErrorKind;

Error load_error(const std::string& path, const std::vector<std::string>& problems) {
  constexpr std::size_t shown = 10;
  std::string what;
  for (std::size_t i = 0; i < std::min(shown, problems.size()); ++i) {
    if (!what.empty()) what += "; ";
    what += base::printable(problems[i]);
  }
  if (problems.size() > shown) what += fmt::format("; and {} more", problems.size() - shown);
  return {ErrorKind::Malformed, fmt::format("error loading config file \"{}\"", path), what};
}

/// Reads one file's entries; the paths in them refer to `folder`.
class FileReader {
 public:
  FileReader(const YAML::Node& root, std::string path)
      : path_(std::move(path)), folder_(folder_of(path_)), root_(root, "", problems_) {}

  Kubeconfig read() {
    Kubeconfig config;
    check_header();
    config.current_context = root_.text("current-context");
    for_each_named("clusters", "cluster", [&](const std::string& name, YamlFields& fields) {
      config.clusters.emplace(name, cluster(fields));
    });
    for_each_named("users", "user", [&](const std::string& name, YamlFields& fields) {
      config.users.emplace(name, user(fields));
    });
    for_each_named("contexts", "context", [&](const std::string& name, YamlFields& fields) {
      config.contexts.emplace(name, context(fields));
    });
    config.files.push_back(path_);
    return config;
  }

  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  using NamedEntry = std::function<void(const std::string&, YamlFields&)>;

  void check_header() {
    const std::string version = root_.text("apiVersion");
    const std::string kind = root_.text("kind");
    if (!version.empty() && version != "v1") {
      root_.problem("apiVersion", fmt::format("is \"{}\", must be \"v1\"", version));
    }
    if (!kind.empty() && kind != "Config") {
      root_.problem("kind", fmt::format("is \"{}\", must be \"Config\"", kind));
    }
    for_each_extension(root_, {});
    if (auto preferences = root_.fields("preferences")) for_each_extension(*preferences, {});
  }

  void for_each_named(std::string_view list, std::string_view member, const NamedEntry& each) {
    std::set<std::string> seen;
    root_.for_each(list, [&](YamlFields& item) {
      const std::string name = item.text("name");
      if (!seen.insert(name).second) {
        item.problem("name", fmt::format("duplicate name \"{}\" in list", name));
        return;
      }
      if (auto fields = item.fields(member)) {
        each(name, *fields);
      } else {
        YamlFields none(YAML::Node(), item.path_of(member), problems_);
        each(name, none);
      }
    });
  }

  ClusterEntry cluster(YamlFields& fields) {
    ClusterEntry entry;
    entry.server = fields.text("server");
    entry.tls_server_name = fields.text("tls-server-name");
    entry.insecure_skip_tls_verify = fields.boolean("insecure-skip-tls-verify");
    entry.certificate_authority = resolved(fields.text("certificate-authority"));
    entry.certificate_authority_data = fields.base64("certificate-authority-data");
    entry.proxy_url = fields.text("proxy-url");
    entry.disable_compression = fields.boolean("disable-compression");
    entry.file = path_;
    for_each_extension(fields, [&](const std::string& name, YamlFields& extension) {
      if (name != "client.authentication.k8s.io/exec") return;
      const auto value = extension.find("extension");
      if (!value) return;
      if (const auto json = to_json(*value)) {
        entry.exec_extension = json->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      } else {
        extension.problem("extension", "is too large or nested too deeply");
      }
    });
    return entry;
  }

  /// Every object may have extensions; a duplicate name is an error.
  static void for_each_extension(YamlFields& fields,
                                 const std::function<void(const std::string&, YamlFields&)>& each) {
    std::set<std::string> seen;
    fields.for_each("extensions", [&](YamlFields& extension) {
      const std::string name = extension.text("name");
      if (!seen.insert(name).second) {
        extension.problem("name", fmt::format("duplicate name \"{}\" in list", name));
      }
      if (each) each(name, extension);
    });
  }

  UserEntry user(YamlFields& fields) {
    UserEntry entry;
    for_each_extension(fields, {});
    entry.client_certificate = resolved(fields.text("client-certificate"));
    entry.client_certificate_data = fields.base64("client-certificate-data");
    entry.client_key = resolved(fields.text("client-key"));
    entry.client_key_data = fields.base64("client-key-data");
    entry.token = fields.text("token");
    entry.token_file = resolved(fields.text("tokenFile"));
    entry.as = fields.text("as");
    entry.as_uid = fields.text("as-uid");
    entry.as_groups = fields.texts("as-groups");
    if (auto extra = fields.fields("as-user-extra")) {
      fields.for_each_entry("as-user-extra", [&](const std::string& key, const YAML::Node&) {
        entry.as_user_extra[key] = extra->texts(key);
      });
    }
    entry.username = fields.text("username");
    entry.password = fields.text("password");
    if (auto provider = fields.fields("auth-provider")) entry.auth_provider = legacy(*provider);
    if (auto exec = fields.fields("exec")) entry.exec = login(*exec);
    entry.file = path_;
    return entry;
  }

  static AuthProvider legacy(YamlFields& fields) {
    AuthProvider provider;
    provider.name = fields.text("name");
    if (auto config = fields.fields("config")) {
      fields.for_each_entry("config", [&](const std::string& key, const YAML::Node&) {
        provider.config[key] = config->text(key);
      });
    }
    return provider;
  }

  ExecSpec login(YamlFields& fields) const {
    ExecSpec exec;
    exec.command = fields.text("command");
    // A name without a slash stays as it is: it is looked up in PATH.
    if (has_folder(exec.command)) exec.command = resolved(exec.command);
    exec.args = fields.texts("args");
    fields.for_each("env", [&](YamlFields& variable) {
      exec.env.emplace_back(variable.text("name"), variable.text("value"));
    });
    exec.api_version = fields.text("apiVersion");
    exec.install_hint = fields.text("installHint");
    exec.provide_cluster_info = fields.boolean("provideClusterInfo");
    exec.interactive_mode = fields.text("interactiveMode");
    return exec;
  }

  ContextEntry context(YamlFields& fields) const {
    ContextEntry entry;
    for_each_extension(fields, {});
    entry.cluster = fields.text("cluster");
    entry.user = fields.text("user");
    entry.ns = fields.text("namespace");
    entry.file = path_;
    return entry;
  }

  [[nodiscard]] std::string resolved(const std::string& path) const {
    return resolve_path(path, folder_);
  }

  std::vector<std::string> problems_;
  std::string path_;
  std::string folder_;
  YamlFields root_;
};

constexpr std::size_t largest_kubeconfig = 64U << 20U;  // bytes

/// The elements of KUBECONFIG, without duplicates.
std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> files;
  for (const std::string_view file : base::split(list, std::string(1, list_separator()))) {
    if (!file.empty() && std::ranges::find(files, file) == files.end()) files.emplace_back(file);
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
  const std::string home = home_folder(environment);
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

/// Adds to the error how to fix or replace the file.
Error with_advice(Error error) {
  error.what += "; fix it, or use another file with --kubeconfig or KUBECONFIG";
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
        "{} contains credentials and is readable by its group or by everyone: chmod 600 {}", path,
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

base::Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::string& path) {
  const auto root = first_yaml_document(text);
  if (!root) return load_error(path, {root.error().what});
  FileReader reader(*root, path);
  Kubeconfig config = reader.read();
  if (!reader.problems().empty()) return load_error(path, reader.problems());
  return config;
}

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
