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

constexpr int notes_verbosity = 1;
constexpr int decisions_verbosity = 4;
constexpr int requests_verbosity = 6;  // from here on kubectl shows the requests

kube::Trace request_trace(int verbosity, Context& ctx) {
  return [&err = ctx.err, verbosity](const kube::TraceEvent& event) {
    err << kube::trace_text(event, verbosity);
  };
}

/// Says on a terminal why nothing happens.
void announce_waits(source::ApiSourceOptions& api, Context& ctx) {
  if (!ctx.err_is_terminal) return;
  api.on_long_wait = [&err = ctx.err](std::chrono::milliseconds time, const kube::ApiFailure& why) {
    err << render::printable(fmt::format("waiting {} s before the next attempt: {}\n",
                                         time.count() / 1000, why.message));
  };
}

void print_notes(const kube::Connection& connection, int verbosity, Context& ctx) {
  for (const std::string& warning : connection.warnings) {
    ctx.err << "warning: " << render::printable(warning) << "\n";
  }
  if (verbosity < notes_verbosity) return;
  for (const std::string& note : connection.notes) ctx.err << render::printable(note) << "\n";
  if (verbosity < decisions_verbosity) return;
  for (const std::string& text : connection.decisions) ctx.err << render::printable(text) << "\n";
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
  api.clock = kube::Clock::system();
  api.clock.now = ctx.now;
  api.page_size = source.chunk_size;
  if (source.verbosity >= requests_verbosity) {
    api.trace = request_trace(source.verbosity, ctx);
    api.traced_body = kube::traced_bytes(source.verbosity);
  }
  announce_waits(api, ctx);
  api.on_server_warning = [&err = ctx.err](const std::string& text) {
    err << "Warning: " << render::printable(text) << "\n";
  };
  return Opened{
      std::make_unique<source::ApiSource>(std::move(*connection), ctx.environment, std::move(api)),
      ns};
}

}  // namespace dsdoctor::cmd
