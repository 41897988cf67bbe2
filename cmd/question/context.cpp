#include "question/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/text.h"
#include "kube/client/api_error.h"

namespace dsdoctor::cmd {
namespace {

bool color_allowed(const Context& ctx) {
  const std::string term = ctx.environment.get("TERM");
  return ctx.out_is_terminal && !term.empty() && term != "dumb" &&
         !ctx.environment.variables.contains("NO_COLOR");
}

/// As the C library would: the first that is set decides.
bool locale_is_utf8(const Context& ctx) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = base::lower_case(ctx.environment.get(name));
    if (value.empty()) continue;
    return value.find("utf-8") != value.npos || value.find("utf8") != value.npos;
  }
  return false;
}

/// The flags that a printed command must repeat to reach the cluster that was examined.
std::vector<std::string> kubectl_flags(const SourceOptions& options) {
  std::vector<std::string> flags;
  if (!reads_cluster(options)) return flags;
  for (const auto& [flag, value] : given_cluster_flags(options)) {
    flags.push_back(fmt::format("{}={}", flag, value));
  }
  return flags;
}

/// The same for commands of ours.
std::vector<std::string> own_flags(const SourceOptions& options) {
  if (options.demo) return {"--demo"};
  std::vector<std::string> flags = kubectl_flags(options);
  for (const std::string& file : options.files) flags.insert(flags.end(), {"-f", file});
  return flags;
}

}  // namespace

ClusterFlags given_cluster_flags(const SourceOptions& options) {
  const kube::ConfigFlags& given = options.connection;
  ClusterFlags flags = {{"--kubeconfig", given.kubeconfig},
                        {"--context", given.context},
                        {"--cluster", given.cluster},
                        {"--user", given.user},
                        {"--server", given.server}};
  std::erase_if(flags, [](const auto& flag) { return flag.second.empty(); });
  return flags;
}

ExitCode fail(Context& ctx, const base::Error& error) {
  ctx.err << base::printable(kube::kubectl_line(error)) << "\n";
  for (const std::string& hint : error.hints) ctx.err << base::printable(hint) << "\n";
  return ExitCode::Failed;
}

void warn(Context& ctx, const std::vector<model::Warning>& warnings) {
  constexpr std::size_t shown = 20;
  for (std::size_t i = 0; i < std::min(shown, warnings.size()); ++i) {
    ctx.err << "warning: "
            << base::printable_line(fmt::format("{}: {}", warnings[i].where, warnings[i].what))
            << "\n";
  }
  if (warnings.size() > shown) {
    ctx.err << fmt::format("warning: and {} more; -o json has them all\n", warnings.size() - shown);
  }
}

render::Presentation style_for(const AnswerOptions& options, const Context& ctx) {
  render::Presentation style;
  style.color = options.color == "always" || (options.color == "auto" && color_allowed(ctx));
  style.unicode = locale_is_utf8(ctx);
  style.width = ctx.terminal_width;
  if (options.format == OutputFormat::Markdown || options.format == OutputFormat::Html) {
    style.color = false;  // who shows these breaks lines and paints
    style.unicode = true;
    style.width = 0;
  }
  style.all_nodes = options.all_nodes;
  style.wide = options.format == OutputFormat::Wide;
  style.address.program = ctx.program;
  style.address.kubectl_flags = kubectl_flags(options.source);
  style.address.own_flags = own_flags(options.source);
  return style;
}

}  // namespace dsdoctor::cmd
