// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/time.h"
#include "commands/check.h"
#include "commands/commands.h"
#include "live/outlet.h"
#include "live/watch.h"
#include "question/printing.h"
#include "question/version.h"
#include "render/data/json.h"
#include "render/data/prometheus.h"
#include "render/data/yaml.h"
#include "serve/http_server.h"

namespace dsdoctor::cmd {
namespace {

using std::chrono::milliseconds;
using Body = std::shared_ptr<const std::string>;

constexpr std::string_view index_page =
    "/metrics   metrics of Prometheus\n"
    "/problems  the problems, as JSON\n"
    "/report    the answer as a page\n"
    "/healthz   for probes\n";

Body body_of(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

/// The current answer in the forms that are served. The metrics are made with every answer, so that
/// a scrape never waits; the others when they are requested, by the thread that has the answer.
class Answers {
 public:
  explicit Answers(const ServeOptions& options, Context& ctx) : options_(options), ctx_(ctx) {}

  /// On the server's thread.
  void answer(const std::string& path, const SendReply& send) {
    if (path == "/metrics") return send(metrics());
    if (path == "/healthz") return send(health());
    if (path == "/") return send({200, text_type, body_of(std::string(index_page))});
    if (path != "/problems" && path != "/report") {
      return send({404, text_type, body_of(fmt::format("not found; there are:\n{}", index_page))});
    }
    const std::lock_guard lock(mutex_);
    if (is_closed_) return send(no_answer());
    requests_.emplace_back(path, send);
    woken_.notify_all();
  }

  /// On the thread of the watch, like the following.
  void publish(const Question* question, const fixes::Explanation* explanation) {
    question_ = question;
    explanation_ = explanation;
    made_.clear();
    if (question == nullptr) return;
    const source::Snapshot& snapshot = question->snapshot;
    Body text =
        body_of(render::prometheus_text(*explanation, snapshot.info, snapshot.omissions,
                                        options_.node_labels ? render::MetricLabels::WithNodes
                                                             : render::MetricLabels::WithoutNodes));
    const std::lock_guard lock(mutex_);
    metrics_ = std::move(text);
    answered_at_ = explanation->now;
  }

  void set_live(bool is_live, const std::string& why) {
    const std::lock_guard lock(mutex_);
    is_live_ = is_live;
    why_ = why;
  }

  /// Why the last attempt to make an answer failed; empty if it did not.
  void set_failure(const std::string& failure) {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
  }

  /// Replies to what was requested; waits for it at most this long.
  void work(milliseconds at_most) {
    std::vector<std::pair<std::string, SendReply>> requests;
    {
      std::unique_lock lock(mutex_);
      woken_.wait_for(lock, at_most, [&] { return !requests_.empty(); });
      requests.swap(requests_);
    }
    for (const auto& [path, send] : requests) send(made(path));
  }

  /// Nothing is requested any more.
  void close() {
    std::vector<std::pair<std::string, SendReply>> requests;
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    requests.swap(requests_);
  }

 private:
  static constexpr const char* text_type = "text/plain; charset=utf-8";

  static HttpReply no_answer() {
    return {503, text_type, body_of("there is no answer now: see /healthz\n")};
  }

  HttpReply metrics() {
    const std::lock_guard lock(mutex_);
    if (!metrics_) return no_answer();
    constexpr std::string_view live =
        "# HELP dsdoctor_live 1 if changes of the cluster arrive, else 0.\n"
        "# TYPE dsdoctor_live gauge\n"
        "dsdoctor_live {}\n";
    return {200, "text/plain; version=0.0.4; charset=utf-8",
            body_of(*metrics_ + fmt::format(live, is_live_ && failure_.empty() ? 1 : 0))};
  }

  HttpReply health() {
    const std::lock_guard lock(mutex_);
    if (!answered_at_) return no_answer();
    return {200, text_type,
            body_of(fmt::format("ok: answer of {}, {}\n", base::utc_text(*answered_at_),
                                failure_.empty() ? why_ : base::printable_line(failure_)))};
  }

  HttpReply made(const std::string& path) {
    const bool is_page = path == "/report";
    const char* type = is_page ? "text/html; charset=utf-8" : "application/json";
    if (Body& known = made_[path]; known || question_ == nullptr) {
      return known ? HttpReply{200, type, known} : no_answer();
    }
    made_[path] = body_of(is_page ? page() : problems());
    return {200, type, made_[path]};
  }

  std::string problems() const {
    const render::Presentation style = style_for(*question_, options_.print, ctx_);
    return render::json_text(render::problems_to_json(*explanation_, question_->envelope(), style));
  }

  std::string page() const {
    ListOptions print = options_.print;
    print.format = OutputFormat::Html;
    const fixes::Explanation whole =
        explanation_of(*question_, options_.attention, ctx_,
                       {.format = OutputFormat::Html,
                        .selection = {.nodes = fixes::Selection::Nodes::Wrong},
                        .groups = true,
                        .suggestions = true});
    const render::AboutPage about{
        .program = fmt::format("kubectl-dsdoctor {}", version_number),
        .again = fmt::format("{} check {} -o html", ctx_.program,
                             question_->choice.ns.empty() ? "-A" : "-n " + question_->choice.ns),
        .unanswered =
            !fixes::is_answered(whole) || model::may_hide_problems(question_->snapshot.omissions)};
    return render::report_page(whole, *question_->reporter, question_->envelope(),
                               style_for(*question_, print, ctx_), about);
  }

  const ServeOptions& options_;
  Context& ctx_;
  const Question* question_ = nullptr;  // owned by the watch; null while it makes an answer
  const fixes::Explanation* explanation_ = nullptr;
  std::map<std::string, Body> made_;  // by path, of the current answer

  std::mutex mutex_;  // guards the members below
  std::condition_variable woken_;
  std::vector<std::pair<std::string, SendReply>> requests_;
  Body metrics_;
  std::optional<model::Time> answered_at_;
  bool is_live_ = true;
  bool is_closed_ = false;
  std::string why_ = "live";
  std::string failure_;
};

/// Lines for the log, and replies in between.
class ServeOutlet final : public Outlet {
 public:
  ServeOutlet(std::unique_ptr<Outlet> lines, Answers& answers)
      : lines_(std::move(lines)), answers_(answers) {}

  void show(const render::LiveUpdate& update, const render::LiveState& state) override {
    answers_.set_failure(state.failure);
    lines_->show(update, state);
  }
  void show_liveness(const render::LivenessText& liveness, model::Time now) override {
    answers_.set_live(liveness.is_good, liveness.text);
    lines_->show_liveness(liveness, now);
  }
  void say(std::string_view text, model::Time now, bool is_good) override {
    lines_->say(text, now, is_good);
  }
  bool pause(milliseconds at_most) override {
    answers_.work(at_most);
    return lines_->pause(milliseconds(0));
  }
  void close() override { lines_->close(); }

 private:
  std::unique_ptr<Outlet> lines_;
  Answers& answers_;
};

}  // namespace

ExitCode run(const ServeOptions& options, Context& ctx) {
  Answers answers(options, ctx);
  const auto server = HttpServer::listen(
      options.listen,
      [&answers](const std::string& path, const SendReply& send) { answers.answer(path, send); });
  if (!server) return fail(ctx, server.error());
  ctx.err << fmt::format("serving http://{}/: metrics, problems, report, healthz\n",
                         (*server)->address())
          << std::flush;
  LiveCommand command{.asked = options,
                      .print = options.print,
                      .watch = options.watch,
                      .attention = options.attention,
                      .answer = live_answer(options, options.attention),
                      .save = nullptr};
  command.rest_per_work = 9;  // metrics are read every 15 seconds or more
  command.outlet = [&](const render::Presentation& style) -> std::unique_ptr<Outlet> {
    return std::make_unique<ServeOutlet>(open_outlet({}, false, style, ctx), answers);
  };
  command.publish = [&](const Question* question, const fixes::Explanation* explanation) {
    answers.publish(question, explanation);
  };
  const ExitCode code = watch(command, ctx);
  answers.close();
  return code;
}

}  // namespace dsdoctor::cmd
