// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "commands/commands.h"
#include "diagnosis/views/taint_matrix.h"
#include "question/printing.h"
#include "render/document/reports.h"
#include "render/terminal/texts.h"

namespace dsdoctor::cmd {

ExitCode run(const TaintsOptions& options, Context& ctx) {
  const OutputFormat format = options.print.format;
  const auto asked =
      ask(options, {}, format, ctx, {.pods = false, .revisions = false, .events = false});
  if (!asked) return fail(ctx, asked.error());
  const Question& question = **asked;
  const model::Cluster& cluster = question.snapshot.cluster;
  const auto matrix = diagnosis::taint_matrix(cluster, question.daemon_sets,
                                              question.reporter->options(), question.selects);
  const render::Presentation style = style_for(question, options.print, ctx);
  Forms forms;
  forms.text = [&] {
    return render::taints_text(matrix, question.snapshot.info, question.snapshot.omissions, style);
  };
  forms.json = [&] { return render::to_json(matrix, question.envelope()); };
  forms.names = [&] {
    std::set<std::string_view> names;
    for (const auto& taint : matrix.taints) {
      for (const auto& node : taint.nodes) names.insert(node.name);
    }
    return name_lines("node", names);
  };
  forms.document = [&] { return render::taints_document(matrix, question.envelope(), style); };
  print(question, format, forms, style, ctx);
  return finish(question, ctx, cluster.nodes_known ? ExitCode::Clean : ExitCode::Failed);
}

}  // namespace dsdoctor::cmd
