#include <fmt/format.h>

#include <set>

#include "commands/commands.h"
#include "diagnosis/views/taint_matrix.h"
#include "question/printing.h"
#include "question/question.h"
#include "render/document/reports.h"
#include "render/terminal/text_taints.h"

namespace dsdoctor::cmd {
namespace {

/// Every node with a taint, once.
std::string tainted_nodes(const diagnosis::TaintMatrix& matrix) {
  std::set<std::string_view> names;
  for (const auto& taint : matrix.taints) {
    for (const auto& node : taint.nodes) names.insert(node.name);
  }
  std::string result;
  for (const std::string_view name : names) result += fmt::format("node/{}\n", name);
  return result;
}

}  // namespace

ExitCode run(const TaintsOptions& options, Context& ctx) {
  const auto question = ask(options, ctx, {.pods = false, .revisions = false});
  if (!question) return fail(ctx, question.error());
  const model::Cluster& cluster = question->snapshot.cluster;
  const auto matrix = diagnosis::taint_matrix(cluster, question->daemon_sets, question->report);
  const render::Style style = style_for(options, ctx);
  Forms forms;
  forms.text = [&] {
    return render::taints_text(matrix, question->snapshot.info, question->snapshot.omissions,
                               style);
  };
  forms.json = [&] { return render::to_json(matrix, question->envelope()); };
  forms.names = [&] { return tainted_nodes(matrix); };
  forms.document = [&] { return render::taints_document(matrix, question->envelope(), style); };
  print(options.format, forms, ctx);
  return finish(*question, ctx, cluster.nodes_known ? ExitCode::Clean : ExitCode::Failed);
}

}  // namespace dsdoctor::cmd
