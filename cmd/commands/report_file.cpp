// SPDX-License-Identifier: Apache-2.0
#include "commands/report_file.h"

#include <utility>
#include <vector>

#include "base/time.h"
#include "commands/saved_snapshot.h"
#include "decode/bytes/archive_writer.h"
#include "question/question.h"
#include "render/terminal/texts.h"

namespace dsdoctor::cmd {

base::Result<ReportFile> report_file(const Question& question,
                                     const fixes::Explanation& explanation,
                                     const diagnosis::Attention& attention) {
  source::Snapshot snapshot = question.snapshot;
  redact(snapshot);
  auto document = packed(snapshot, "snapshot.json");
  if (!document) return document.error();
  // Without what refers to names: selected nodes and the user's own descriptions of taints.
  const diagnosis::Reporter reporter(
      snapshot.cluster,
      {.gates = question.judged_by.gates, .now = question.judged_by.now, .selects = nullptr});
  std::vector<const model::DaemonSet*> all;
  for (const model::DaemonSet& ds : snapshot.cluster.daemon_sets) all.push_back(&ds);
  // Ignored problems are named by the user, so they are not ignored here.
  const fixes::Explanation redacted = fixes::explain(
      reporter, all, {.threshold = attention.threshold, .ignored = {}}, {.groups = true});
  render::Presentation style;
  style.wide = true;
  style.address.own_flags = {"-f", "snapshot.json"};
  const std::string answer = render::check_text(redacted, snapshot.info, snapshot.omissions, style);
  const bool is_comparable = redacted.daemon_sets.size() == explanation.daemon_sets.size() &&
                             explanation.problems.ignored == 0 && !question.selects;
  auto archive =
      decode::tar_gz({{"dsdoctor-report/snapshot.json", *std::move(document)},
                      {"dsdoctor-report/answer.txt", answer},
                      {"dsdoctor-report/version.txt", render::json_text(version_json())}},
                     question.judged_by.now);
  if (!archive) return archive.error();
  return ReportFile{*std::move(archive),
                    !is_comparable || problem_kinds(redacted) == problem_kinds(explanation)};
}

}  // namespace dsdoctor::cmd
