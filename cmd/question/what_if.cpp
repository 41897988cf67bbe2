// SPDX-License-Identifier: Apache-2.0
#include "question/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "decode/manifest/daemon_set_fields.h"
#include "diagnosis/pools/pool_labels.h"
#include "model/release.h"
#include "source/file_source.h"

namespace dsdoctor::cmd {
namespace {

constexpr std::size_t most_listed = 20;

/// Reads the objects of one kind in some files. With `fields`, the files are manifests of
/// DaemonSets whose fields are checked.
base::Result<source::Snapshot> read_files(const std::vector<std::string>& paths,
                                          const std::string& ns, Context& ctx,
                                          decode::ManifestFields* fields,
                                          decode::NodeTemplates* templates = nullptr) {
  source::FileSource files(paths, ctx.in, ctx.now);
  if (fields != nullptr) files.check_fields(*fields);
  source::Query query;
  if (!ns.empty()) query.default_ns = ns;
  query.templates = templates;
  return files.load(query);
}

std::string release_text(model::Release release) {
  return fmt::format("{}.{}", model::to_string(release), release.patch);
}

using Faults = std::vector<const decode::FieldFault*>;

/// Lists the faults from `first` on as hints. `further`: faults that were not kept.
void list_faults(const Faults& faults, std::size_t first, std::size_t further, base::Error& error) {
  const std::size_t end = std::min(faults.size(), most_listed);
  for (std::size_t i = first; i < end; ++i) {
    error.hints.push_back(fmt::format("{}: {}", faults[i]->where, to_string(*faults[i])));
  }
  further += faults.size() - end;
  if (further == 0) return;
  error.hints.push_back(
      fmt::format("and {}", base::counted(further, "more unknown or duplicate field")));
}

/// The first fault is the error, the others are its hints.
base::Error rejected(const Faults& faults, std::size_t further) {
  base::Error error{base::ErrorKind::Malformed, faults.front()->where, to_string(*faults.front())};
  list_faults(faults, 1, further, error);
  error.hints.emplace_back("for warnings instead of an error: --validate=warn");
  return error;
}

/// A misplaced field can be the cause of an error in reading it.
base::Error with_faults(base::Error error, const decode::ManifestFields& fields) {
  Faults faults;
  faults.reserve(fields.faults().size());
  for (const decode::FieldFault& fault : fields.faults()) faults.push_back(&fault);
  list_faults(faults, 0, fields.further(), error);
  return error;
}

/// Errors: Malformed if no node can be as one of the templates says.
base::Status check_templates(const std::vector<model::NodeTemplate>& templates,
                             const std::vector<std::string>& files) {
  for (const model::NodeTemplate& each : templates) {
    const model::Text key = diagnosis::contradicted_label(each);
    if (key.empty()) continue;
    return base::Error{
        base::ErrorKind::Malformed,
        fmt::format("{} {}/{}", fmt::join(files, ", "), each.kind.view(), each.name.view()),
        fmt::format("no node can be created: no value of the label {} meets all requirements",
                    key.view())};
  }
  return std::monostate{};
}

}  // namespace

base::Result<Changes> read_changes(const WhatIfOptions& options, const std::string& ns,
                                   Context& ctx) {
  Changes result{options.changes, {}};
  if (!options.add_node.empty()) {
    decode::NodeTemplates templates;
    auto read = read_files(options.add_node, ns, ctx, nullptr, &templates);
    if (!read) return read.error();
    if (read->cluster.nodes.empty() && templates.all().empty()) {
      return base::Error{base::ErrorKind::Malformed,
                         options.add_node.front(),
                         "contains no Node; --add-node needs a manifest of nodes",
                         {fmt::format("or of new nodes: {}", decode::node_template_kinds)}};
    }
    if (auto possible = check_templates(templates.all(), options.add_node); !possible) {
      return possible.error();
    }
    result.what_if.nodes = std::move(read->cluster.nodes);
    result.what_if.templates = std::move(templates.all());
  }
  if (options.manifest.empty()) return result;
  const bool checks = options.validate.value != FieldValidation::Ignore;
  auto read = read_files(options.manifest, ns, ctx, checks ? &result.fields : nullptr);
  if (!read) return with_faults(read.error(), result.fields);
  if (read->cluster.daemon_sets.empty()) {
    return base::Error{base::ErrorKind::Malformed, options.manifest.front(),
                       "contains no DaemonSet; --manifest needs manifests of DaemonSets"};
  }
  warn(ctx, read->warnings);
  result.what_if.daemon_sets = std::move(read->cluster.daemon_sets);
  return result;
}

base::Status check_manifest(const decode::ManifestFields& fields, FieldValidation validation,
                            source::Snapshot& snapshot) {
  using Kind = decode::FieldFault::Kind;
  const model::Release cluster = model::release_of(snapshot.cluster).release;
  const model::Release table = decode::daemon_set_fields_release();
  const bool newer = cluster.minor > table.minor;
  Faults faults;
  for (const decode::FieldFault& fault : fields.faults()) {
    const bool may_exist = fault.kind == Kind::Unknown && (newer || fault.of_old_api_version);
    if (validation == FieldValidation::Strict && !may_exist) {
      faults.push_back(&fault);
      continue;
    }
    std::string what = to_string(fault);
    if (fault.kind == Kind::Duplicate) what += "; the last one counts";
    if (fault.kind == Kind::Unknown && newer) {
      what += fmt::format("; Kubernetes {} may have it, the known fields are those of {}",
                          model::to_string(cluster), release_text(table));
    }
    snapshot.warnings.push_back({fault.where, std::move(what)});
  }
  if (!faults.empty()) return rejected(faults, fields.further());
  if (fields.further() > 0) {
    snapshot.warnings.push_back(
        {fields.faults().back().where,
         fmt::format("and {}",
                     base::counted(fields.further(), "more unknown or duplicate field"))});
  }
  return std::monostate{};
}

std::string common_namespace(const std::vector<model::DaemonSet>& daemon_sets) {
  const std::string first = daemon_sets.front().meta.ns.str();
  const bool same = std::ranges::all_of(
      daemon_sets, [&](const model::DaemonSet& ds) { return ds.meta.ns == first; });
  return same ? first : std::string();
}

}  // namespace dsdoctor::cmd
