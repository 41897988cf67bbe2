#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "context.h"
#include "kube/connection.h"
#include "progress_line.h"
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

/// Shows how far a read has come.
class WatchedSource : public source::ClusterSource {
 public:
  WatchedSource(std::unique_ptr<source::ClusterSource> inner, std::shared_ptr<ProgressLine> line)
      : inner_(std::move(inner)), line_(std::move(line)) {}

  base::Result<source::Snapshot> load(const source::Query& query) override {
    line_->begin();
    auto snapshot = inner_->load(query);
    line_->end();
    return snapshot;
  }

 private:
  std::unique_ptr<source::ClusterSource> inner_;
  std::shared_ptr<ProgressLine> line_;
};

/// On a terminal, and where nothing else is printed meanwhile.
bool shows_progress(const SourceOptions& options, const Context& ctx) {
  const std::string term = ctx.environment.get("TERM");
  return ctx.err_is_terminal && options.verbosity == 0 && !term.empty() && term != "dumb";
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
  std::shared_ptr<ProgressLine> line;
  if (shows_progress(source, ctx)) {
    line = std::make_shared<ProgressLine>(ctx.err, ctx.err_width);
    api.on_progress = [line](const kube::ListProgress& progress) {
      line->update(progress.resource, progress.objects, progress.bytes);
    };
    api.on_server_warning = [line](const std::string& text) {
      line->say("Warning: " + render::printable(text));
    };
  }
  std::unique_ptr<source::ClusterSource> opened =
      std::make_unique<source::ApiSource>(std::move(*connection), ctx.environment, std::move(api));
  if (line) opened = std::make_unique<WatchedSource>(std::move(opened), std::move(line));
  return Opened{std::move(opened), ns};
}

}  // namespace dsdoctor::cmd
