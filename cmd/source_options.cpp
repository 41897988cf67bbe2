#include <algorithm>
#include <memory>

#include "context.h"
#include "source/demo_source.h"
#include "source/file_source.h"

namespace dsdoctor::cmd {
namespace {

bool reads_cluster(const SourceOptions& options) { return options.files.empty() && !options.demo; }

}  // namespace

base::Result<std::unique_ptr<source::ClusterSource>> open_source(const SourceOptions& options,
                                                                 Context& ctx) {
  using Opened = std::unique_ptr<source::ClusterSource>;
  if (options.demo) return Opened(std::make_unique<source::DemoSource>(ctx.now));
  if (!options.files.empty()) {
    return Opened(std::make_unique<source::FileSource>(options.files, ctx.in, ctx.now));
  }
  return base::Error{base::ErrorKind::Usage, "", "give -f or --demo"};
}

base::Result<std::string> effective_namespace(const AnswerOptions& options, Context& /*ctx*/) {
  const std::string& given = options.source.connection.ns;
  if (options.all_namespaces) return std::string();
  const bool about_nodes = std::ranges::any_of(
      options.names, [](const auto& name) { return name.type == ObjectType::Node; });
  // A node, and a file, belong to no namespace: all are looked at unless one is named.
  if (!given.empty() || about_nodes || !reads_cluster(options.source)) return given;
  return std::string("default");
}

}  // namespace dsdoctor::cmd
