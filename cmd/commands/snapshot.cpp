// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/printable.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/saved_snapshot.h"
#include "commands/snapshot_file.h"
#include "question/question.h"
#include "render/words/style.h"

namespace dsdoctor::cmd {
namespace {

using render::counted;

bool is_narrowed(const SnapshotOptions& options) {
  return !options.input.source.connection.all_namespaces || !options.input.selector.text.empty();
}

/// Keeps only the selected DaemonSets with their revisions, and records the omission of the others.
void keep_selected(Reading& reading, const SnapshotOptions& options) {
  if (!is_narrowed(options)) return;
  source::Snapshot& snapshot = reading.snapshot;
  std::set<std::pair<model::Text, model::Text>> kept;
  std::vector<model::DaemonSet> daemon_sets;
  daemon_sets.reserve(reading.daemon_sets.size());
  for (const model::DaemonSet* ds : reading.daemon_sets) {
    kept.insert({ds->meta.ns, ds->meta.name});
    daemon_sets.push_back(*ds);
  }
  reading.daemon_sets.clear();
  snapshot.cluster.daemon_sets = std::move(daemon_sets);
  std::erase_if(snapshot.cluster.revisions, [&](const model::ControllerRevision& revision) {
    return revision.meta.controller && model::is_daemon_set(*revision.meta.controller) &&
           !kept.contains({revision.meta.ns, revision.meta.controller->name});
  });
  std::string chosen;
  if (!reading.choice.ns.empty()) chosen += fmt::format(" -n {}", reading.choice.ns);
  if (!options.input.selector.text.empty()) {
    chosen += fmt::format(" -l {}", options.redact ? "..." : options.input.selector.text);
  }
  snapshot.omissions.push_back({"daemonsets", reading.choice.ns, "NotSelected",
                                fmt::format("saved with{}", chosen),
                                "the snapshot has no other DaemonSets"});
}

/// Formats "Saved 3 nodes, 2 DaemonSets, 6 pods and 4 events, 1234 bytes, to x.json.zst".
std::string summary(const source::Snapshot& snapshot, std::size_t bytes, const std::string& file) {
  const model::Cluster& cluster = snapshot.cluster;
  std::string text = fmt::format("Saved {}, {}, {} and {}, {} bytes, to {}",
                                 base::counted(cluster.nodes.size(), "node"),
                                 base::counted(cluster.daemon_sets.size(), "DaemonSet"),
                                 base::counted(cluster.pods.size(), "pod"),
                                 base::counted(cluster.events.size(), "event"), bytes, file);
  std::vector<std::string> lacks;
  for (const model::Omission& omission : snapshot.omissions) {
    std::string lack = fmt::format("{} ({})", omission.resource, omission.reason);
    if (std::ranges::find(lacks, lack) == lacks.end()) lacks.push_back(std::move(lack));
  }
  if (!lacks.empty()) text += fmt::format("; not read: {}", fmt::join(lacks, ", "));
  return text;
}

}  // namespace

ExitCode run(const SnapshotOptions& options, Context& ctx) {
  const bool to_stdout = options.file == "-";
  if (to_stdout && ctx.out_is_terminal) {
    return fail(ctx, {base::ErrorKind::Usage, "",
                      "a snapshot is binary data and is not written to a terminal; redirect it, or "
                      "name a file"});
  }
  // Before the cluster is read, which takes time.
  if (!to_stdout && !options.file.empty()) {
    if (auto free = check_writable(options.file, options.force); !free) {
      return fail(ctx, free.error());
    }
  }
  auto reading =
      read_asked({options.input, {}, {}}, {}, OutputFormat::Table, ctx, {.everything = true});
  if (!reading) return fail(ctx, reading.error());
  keep_selected(*reading, options);
  source::Snapshot& snapshot = reading->snapshot;
  if (options.redact) redact(snapshot);
  const auto content = packed(snapshot, options.file);
  if (!content) return fail(ctx, content.error());
  if (to_stdout) {
    ctx.out << *content << std::flush;
    if (!ctx.out) return ExitCode::Failed;  // the reason is printed when the process ends
    ctx.err << base::printable_line(summary(snapshot, content->size(), "standard output")) << "\n";
    return ExitCode::Clean;
  }
  const std::string file = options.file.empty() ? snapshot_name(snapshot.info) : options.file;
  auto saved = check_writable(file, options.force);
  if (saved) saved = write_whole(file, *content);
  if (!saved) return fail(ctx, saved.error());
  ctx.err << base::printable_line(summary(snapshot, content->size(), file)) << "\n";
  return ExitCode::Clean;
}

}  // namespace dsdoctor::cmd
