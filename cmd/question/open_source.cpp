// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "base/printable.h"
#include "kube/config/resolve_connection.h"
#include "line/values.h"
#include "question/context.h"
#include "question/progress_line.h"
#include "question/version.h"
#include "source/api_source.h"
#include "source/demo_source.h"
#include "source/file_source.h"

namespace dsdoctor::cmd {
namespace {

constexpr int notes_verbosity = 1;
constexpr int decisions_verbosity = 4;
constexpr int requests_verbosity = 6;  // kubectl's level for requests

/// stderr, shared by several threads.
struct Terminal {
  explicit Terminal(std::ostream& stream) : err(stream) {}

  std::ostream& err;
  std::mutex mutex;

  void print(const std::string& text) {
    const std::lock_guard lock(mutex);
    err << text;
  }
};

kube::Trace request_trace(int verbosity, std::shared_ptr<Terminal> terminal) {
  return [terminal = std::move(terminal), verbosity](const kube::TraceEvent& event) {
    terminal->print(kube::trace_text(event, verbosity));
  };
}

/// Prints a line on stderr, above the progress line if there is one.
using Say = std::function<void(const std::string&)>;

/// Explains long waits to a user at a terminal.
void announce_waits(source::ApiSourceOptions& api, Say say) {
  api.on_long_wait = [say = std::move(say)](std::chrono::milliseconds time,
                                            const kube::ApiFailure& why) {
    say(fmt::format("waiting {}s before the next attempt: {}", time.count() / 1000, why.message));
  };
}

/// On a terminal, if nothing else is printed meanwhile.
bool shows_progress(const SourceOptions& options, const Context& ctx) {
  const std::string term = ctx.environment.get("TERM");
  return ctx.err_is_terminal && options.verbosity == 0 && !term.empty() && term != "dumb";
}

/// Warns that flags for a cluster have no effect.
void warn_of_idle_flags(const SourceOptions& options, Context& ctx) {
  if (reads_cluster(options)) return;
  std::string idle;
  std::string_view last;  // the previous flag: a repeated flag is reported once
  for (const auto& [flag, value] : given_cluster_flags(options)) {
    if (std::exchange(last, flag) == flag) continue;
    idle += fmt::format("{}{}", idle.empty() ? "" : ", ", flag);
  }
  if (idle.empty()) return;
  ctx.err << fmt::format("warning: {} ignored with {}: no cluster is read\n", idle,
                         options.demo ? "--demo" : "-f");
}

void print_notes(const kube::Connection& connection, int verbosity, Context& ctx) {
  for (const std::string& warning : connection.warnings) {
    ctx.err << "warning: " << base::shortened_line(warning) << "\n";
  }
  if (verbosity < notes_verbosity) return;
  for (const std::string& note : connection.notes) ctx.err << base::shortened_line(note) << "\n";
  if (verbosity < decisions_verbosity) return;
  for (const std::string& text : connection.decisions)
    ctx.err << base::shortened_line(text) << "\n";
}

/// A source that shows the progress of its reads on a line.
class ProgressSource final : public source::ClusterSource {
 public:
  /// `inner` updates `line`; between reads the line is hidden.
  ProgressSource(std::unique_ptr<source::ClusterSource> inner, std::shared_ptr<ProgressLine> line)
      : inner_(std::move(inner)), line_(std::move(line)) {}

  base::Result<source::Snapshot> load(const source::Query& query) override {
    line_->begin();
    auto snapshot = inner_->load(query);
    line_->end();
    return snapshot;
  }

  [[nodiscard]] bool has_more() const override { return inner_->has_more(); }

  void load_details(source::Snapshot& snapshot, const model::DetailQuery& query) override {
    line_->begin();
    inner_->load_details(snapshot, query);
    line_->end();
  }

 private:
  std::unique_ptr<source::ClusterSource> inner_;
  std::shared_ptr<ProgressLine> line_;
};

source::ApiSourceOptions api_options(const SourceOptions& source,
                                     const std::shared_ptr<ProgressLine>& line, Context& ctx) {
  source::ApiSourceOptions api;
  api.program_version = version_number;
  api.clock = kube::Clock::system();
  api.clock.now = ctx.now;
  api.page_size = source.chunk_size;
  api.time_limit = source.time_limit;
  const auto terminal = std::make_shared<Terminal>(ctx.err);
  if (source.verbosity >= requests_verbosity) {
    api.trace = request_trace(source.verbosity, terminal);
    api.traced_body = kube::traced_bytes(source.verbosity);
  }
  const Say say = [line, terminal](const std::string& text) {
    if (line) return line->say(base::shortened_line(text));
    terminal->print(base::shortened_line(text) + "\n");
  };
  if (ctx.err_is_terminal) announce_waits(api, say);
  api.on_server_warning = [say](const std::string& text) { say("Warning: " + text); };
  if (line) {
    api.on_progress = [line](const kube::ListProgress& progress) {
      line->update(progress.resource, progress.objects, progress.bytes, progress.expected);
    };
  }
  return api;
}

}  // namespace

bool reads_cluster(const SourceOptions& options) { return options.files.empty() && !options.demo; }

std::unique_ptr<source::ClusterSource> offline_source(const SourceOptions& options, Context& ctx) {
  if (options.demo) return std::make_unique<source::DemoSource>();
  if (options.files.empty()) return nullptr;
  return std::make_unique<source::FileSource>(options.files, ctx.in, ctx.now);
}

std::string looked_at(const SourceOptions& options, const std::string& ns) {
  return options.connection.all_namespaces ? std::string() : ns;
}

namespace {

/// An API server that is not asked yet.
struct OpenedApi {
  std::unique_ptr<source::ApiSource> source;
  std::shared_ptr<ProgressLine> line;  // may be null
  std::string ns;
  std::string manifest_ns;
};

base::Result<OpenedApi> open_api(const SourceOptions& options, const std::vector<ObjectName>& names,
                                 Context& ctx) {
  const std::string& given_ns = options.connection.ns;
  auto connection = ctx.kubeconfig ? kube::resolve_connection(*ctx.kubeconfig, options.connection,
                                                              ctx.environment)
                                   : kube::resolve_connection(options.connection, ctx.environment);
  if (!connection) return connection.error();
  if (options.time_limit.count() != 0) {
    connection->exec_time_limit = std::min(connection->exec_time_limit, options.time_limit);
  }
  print_notes(*connection, options.verbosity, ctx);
  // A node has no namespace: select all unless one is given.
  const bool about_nodes =
      std::ranges::any_of(names, [](const auto& name) { return name.type == ObjectType::Node; });
  OpenedApi opened;
  opened.manifest_ns = connection->ns;
  opened.ns = looked_at(options, about_nodes ? given_ns : opened.manifest_ns);
  if (shows_progress(options, ctx)) {
    opened.line = std::make_shared<ProgressLine>(ctx.err, ctx.err_width);
  }
  opened.source = std::make_unique<source::ApiSource>(std::move(*connection), ctx.environment,
                                                      api_options(options, opened.line, ctx));
  return opened;
}

}  // namespace

base::Result<Opened> open_source(const SourceOptions& options, const std::vector<ObjectName>& names,
                                 Context& ctx) {
  warn_of_idle_flags(options, ctx);
  const std::string& given_ns = options.connection.ns;
  if (auto offline = offline_source(options, ctx)) {
    return Opened{std::move(offline), looked_at(options, given_ns), given_ns};
  }
  auto api = open_api(options, names, ctx);
  if (!api) return api.error();
  std::unique_ptr<source::ClusterSource> opened = std::move(api->source);
  if (api->line) opened = std::make_unique<ProgressSource>(std::move(opened), std::move(api->line));
  return Opened{std::move(opened), api->ns, api->manifest_ns};
}

base::Result<OpenedLive> open_live_source(const SourceOptions& options,
                                          const std::vector<ObjectName>& names, Context& ctx,
                                          std::chrono::milliseconds patience) {
  auto api = open_api(options, names, ctx);
  if (!api) return api.error();
  source::LiveSource::Options live;
  live.patience = patience;
  if (api->line) {
    live.on_first_read = [line = api->line](bool begins) {
      if (begins) {
        line->begin();
      } else {
        line->end();
      }
    };
  }
  return OpenedLive{std::make_unique<source::LiveSource>(std::move(api->source), live), api->ns};
}

}  // namespace dsdoctor::cmd
