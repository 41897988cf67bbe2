#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "context.h"
#include "kube/connection.h"
#include "source/api_source.h"
#include "source/demo_source.h"
#include "source/file_source.h"
#include "version.h"

namespace dsdoctor::cmd {
namespace {

constexpr int requests_verbosity = 6;  // -v=6 lists the requests, as kubectl does

/// "GET https://…/api/v1/nodes?limit=500 200 OK in 31 milliseconds, 48213 bytes"
kube::Trace request_trace(Context& ctx) {
  return [&err = ctx.err](const kube::TraceEvent& event) {
    err << fmt::format("{} {} {} in {} milliseconds, {} bytes{}{}\n", event.method,
                       render::printable(event.url), event.status, event.duration.count(),
                       event.bytes, event.failure.empty() ? "" : ": ",
                       render::printable(event.failure));
  };
}

void print_notes(const kube::Connection& connection, int verbosity, Context& ctx) {
  for (const std::string& warning : connection.warnings) {
    ctx.err << "warning: " << render::printable(warning) << "\n";
  }
  if (verbosity < 1) return;
  for (const std::string& note : connection.notes) ctx.err << render::printable(note) << "\n";
}

}  // namespace

bool reads_cluster(const SourceOptions& options) { return options.files.empty() && !options.demo; }

base::Result<Opened> open_source(const AnswerOptions& options, Context& ctx) {
  const SourceOptions& source = options.source;
  if (source.demo) {
    return Opened{std::make_unique<source::DemoSource>(ctx.now), source.connection.ns};
  }
  if (!source.files.empty()) {
    return Opened{std::make_unique<source::FileSource>(source.files, ctx.in, ctx.now),
                  source.connection.ns};
  }
  auto connection = kube::resolve_connection(source.connection, ctx.environment);
  if (!connection) return connection.error();
  print_notes(*connection, source.verbosity, ctx);
  // A node belongs to no namespace: all are looked at unless one is named.
  const bool about_nodes = std::ranges::any_of(
      options.names, [](const auto& name) { return name.type == ObjectType::Node; });
  const std::string ns = about_nodes ? source.connection.ns : connection->ns;

  source::ApiSourceOptions api;
  api.program_version = version_number;
  api.clock = {ctx.now, kube::Clock::system().sleep};
  api.page_size = source.chunk_size;
  if (source.verbosity >= requests_verbosity) api.trace = request_trace(ctx);
  api.on_server_warning = [&err = ctx.err](const std::string& text) {
    err << "Warning: " << render::printable(text) << "\n";
  };
  return Opened{
      std::make_unique<source::ApiSource>(std::move(*connection), ctx.environment, std::move(api)),
      ns};
}

}  // namespace dsdoctor::cmd
