#include <fmt/format.h>

#include <set>

#include "commands.h"
#include "diagnosis/taint_matrix.h"
#include "question.h"
#include "render/json.h"
#include "render/text_taints.h"
#include "render/yaml.h"

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
  switch (options.format) {
    case OutputFormat::Table:
    case OutputFormat::Wide:
      ctx.out << render::taints_text(matrix, question->snapshot.info, question->snapshot.omissions,
                                     style_for(options, ctx));
      break;
    case OutputFormat::Json:
      ctx.out << render::json_text(render::to_json(matrix, question->envelope()));
      break;
    case OutputFormat::Yaml:
      ctx.out << render::yaml_text(render::to_json(matrix, question->envelope()));
      break;
    case OutputFormat::Name: ctx.out << tainted_nodes(matrix); break;
    case OutputFormat::Markdown:
    case OutputFormat::Junit:
    case OutputFormat::Prometheus: break;  // not offered here
  }
  return finish(*question, ctx, cluster.nodes_known ? ExitCode::Clean : ExitCode::Failed);
}

}  // namespace dsdoctor::cmd
