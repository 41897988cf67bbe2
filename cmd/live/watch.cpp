// SPDX-License-Identifier: Apache-2.0
#include "live/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "base/time.h"
#include "live/outlet.h"
#include "live/until.h"
#include "question/printing.h"
#include "render/live/live_state.h"
#include "source/live/live_source.h"

namespace dsdoctor::cmd {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Verdict = Reached::Verdict;

/// Changes that follow each other closely are judged together.
constexpr milliseconds gathering{150};
/// An answer starts at most this often.
constexpr milliseconds least_interval{400};
/// Time alone changes an answer: deadlines, ages that become suspicious. Those that a problem names
/// are met exactly; others are found at these intervals, with and without problems.
constexpr milliseconds interval_with_problems{20'000};
constexpr milliseconds interval_without{60'000};
constexpr int interval_per_work = 200;
/// The wall clock was set, or the machine has slept.
constexpr std::chrono::seconds jump{15};

milliseconds since(steady_clock::time_point begin) {
  return std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
}

render::LivenessText text_of(const source::Liveness& liveness, model::Time now,
                             const std::optional<model::Time>& lost_before) {
  render::LivenessText result;
  if (!liveness.lost.empty()) {
    result.is_good = false;
    result.text = "reconnecting";
    if (liveness.lost_since) result.text += " for " + base::age_text(*liveness.lost_since, now);
    result.reason = "reconnecting";  // another reason is not reported
    result.notice = fmt::format("reconnecting: {}", liveness.why);
    return result;
  }
  std::vector<std::string> polled = liveness.polled;
  std::ranges::sort(polled);
  polled.erase(std::unique(polled.begin(), polled.end()), polled.end());
  if (!polled.empty()) {
    result.is_good = false;
    result.text = fmt::format("{} read every 10s", base::listed(polled));
    result.reason = result.text;
    result.notice = fmt::format("{} are read every 10s: you may list, but not watch them",
                                base::listed(polled));
    return result;
  }
  result.text = "live";
  result.notice = lost_before
                      ? fmt::format("live again after {}", base::age_text(*lost_before, now))
                      : std::string("live again");
  return result;
}

/// Asks one question again and again.
class Watch {
 public:
  Watch(const LiveCommand& command, Context& ctx)
      : command_(command),
        ctx_(ctx),
        nowhere_(nullptr),
        quiet_{.out = ctx.out,
               .err = nowhere_,
               .in = ctx.in,
               .environment = ctx.environment,
               .program = ctx.program,
               .now = ctx.now,
               .words = ctx.words},
        asked_(command.asked),
        reads_(command.reads) {
    reads_.kept = &kept_;
    if (command.watch.until.value) {
      judge_.emplace(*command.watch.until.value, command.attention);
    }
  }

  ExitCode run() {
    auto opened =
        open_live_source(asked_.input.source, asked_.scope.names, ctx_, command_.watch.timeout);
    if (!opened) return fail(ctx_, opened.error());
    source_ = std::move(opened->source);
    ns_ = opened->ns;
    if (auto resolved = resolve_names(); !resolved) return fail(ctx_, resolved.error());
    started_ = steady_clock::now();
    if (auto first = evaluate(ctx_); !first) return fail(ctx_, first.error());
    open_outlet_for_view();
    show();
    const ExitCode code = loop();
    outlet_->close();
    for (const std::string& line : last_words_) ctx_.out << line << "\n";
    ctx_.out << std::flush;
    return code;
  }

 private:
  /// Names that may be of pods or nodes are looked up once.
  base::Status resolve_names() {
    const auto& names = asked_.scope.names;
    const bool may_follow =
        reads_.follows && names.size() == 1 && names.front().type != ObjectType::Node;
    if (!may_follow) return std::monostate();
    auto reading = read_from(*source_, ns_, asked_, command_.print.format, ctx_, reads_);
    if (!reading) return reading.error();
    asked_.scope = reading->scope;
    ns_ = reading->choice.ns;
    reads_.follows = reading->one_node;
    for (ObjectName& name : asked_.scope.names) {
      if (!reading->one_node) name.type = ObjectType::DaemonSet;
    }
    return std::monostate();
  }

  /// Makes the answer to the current state. Errors: as read_from; what was shown stays.
  base::Status evaluate(Context& ctx) {
    const auto begin = steady_clock::now();
    publish(nullptr, nullptr);
    explanation_.reset();
    if (question_) source_->give_back(std::move(question_->snapshot));
    question_.reset();
    auto reading = read_from(*source_, ns_, asked_, command_.print.format, ctx, reads_);
    if (!reading) return reading.error();
    question_ = std::make_unique<Question>(std::move(*reading));
    auto explanation = command_.answer(*question_, ctx);
    if (!explanation) return explanation.error();
    explanation_.emplace(std::move(*explanation));
    judged_at_ = steady_clock::now();
    publish(question_.get(), &*explanation_);
    work_ = std::max(since(begin), milliseconds(1));
    return std::monostate();
  }

  void publish(const Question* question, const fixes::Explanation* explanation) const {
    if (command_.publish) command_.publish(question, explanation);
  }

  void open_outlet_for_view() {
    const WatchOptions& options = command_.watch;
    OutletOptions outlet;
    outlet.as_json = command_.print.format == OutputFormat::Json;
    outlet.only_changes = options.only_changes || !options.watches;
    outlet.save = [this] {
      return question_ ? command_.save(question_->snapshot) : std::string("nothing to save");
    };
    style_ = style_for(*question_, command_.print, ctx_);
    outlet_ = command_.outlet
                  ? command_.outlet(style_)
                  : open_outlet(outlet, options.watches && !options.only_changes, style_, ctx_);
  }

  void show() {
    render::LiveState state =
        render::live_state(*explanation_, question_->snapshot.info, question_->snapshot.omissions,
                           style_, command_.calm);
    const render::LiveUpdate update = log_.add(std::move(state));
    if (!update.empty()) outlet_->show(update, log_.state());
  }

  void show_failure(const base::Error& error) {
    render::LiveState state;
    state.time = ctx_.now();
    state.failure = base::to_string(error);
    const render::LiveUpdate update = log_.add(std::move(state));
    if (!update.empty()) outlet_->show(update, log_.state());
  }

  void show_liveness() {
    const source::Liveness liveness = source_->liveness();
    const model::Time now = ctx_.now();
    outlet_->show_liveness(text_of(liveness, now, lost_since_), now);
    lost_since_ = liveness.lost_since;
  }

  /// The time until the answer may change without a change in the cluster.
  [[nodiscard]] milliseconds until_due() const {
    const bool is_calm = explanation_ && explanation_->problems.problems.empty();
    milliseconds due =
        std::max(is_calm ? interval_without : interval_with_problems, work_ * interval_per_work) -
        since(judged_at_);
    if (const auto details = source_->details_due()) due = std::min(due, *details);
    if (const auto held = log_.held_until()) {
      due = std::min(due, std::chrono::duration_cast<milliseconds>(*held - ctx_.now()));
    }
    if (!explanation_) return due;
    const model::Time now = ctx_.now();
    for (const diagnosis::Problem& problem : explanation_->problems.problems) {
      if (!problem.resolves_at || *problem.resolves_at < explanation_->now) continue;
      constexpr std::chrono::seconds after{1};
      const auto left = *problem.resolves_at + after - now;
      due = std::min(due, std::chrono::duration_cast<milliseconds>(left));
    }
    return due;
  }

  /// Absent: go on.
  std::optional<ExitCode> judge() {
    if (!judge_ || !explanation_) return std::nullopt;
    const Reached reached = judge_->judge(*question_, *explanation_);
    left_ = reached.left;
    for (const std::string& hint : reached.hints) {
      if (std::ranges::find(said_, hint) != said_.end()) continue;
      said_.push_back(hint);
      outlet_->say("does not end without action: " + hint, ctx_.now(), false);
    }
    const std::string& until = command_.watch.until.text;
    switch (reached.verdict) {
      case Verdict::NotYet: return std::nullopt;
      case Verdict::Yes: end("reached: " + until, {}, true); return ExitCode::Clean;
      case Verdict::Never:
        end("cannot be reached without action: " + until, reached.left, false);
        return ExitCode::Findings;
      case Verdict::Unknown: break;
    }
    end("cannot be known: " + until, reached.left, false);
    return ExitCode::Failed;
  }

  /// On a screen the last lines are printed after it is left.
  void end(const std::string& what, const std::vector<std::string>& left, bool is_good) {
    const model::Time now = ctx_.now();
    const bool as_json = command_.print.format == OutputFormat::Json;
    const auto add = [&](const std::string& text) {
      last_words_.push_back(as_json ? render::notice_document(now, text, is_good)
                                    : render::notice_line(now, text, is_good));
    };
    add(what);
    for (const std::string& line : left) add(line);
  }

  [[nodiscard]] std::optional<ExitCode> time_is_over() {
    const milliseconds timeout = command_.watch.timeout;
    if (!judge_ || timeout.count() == 0 || since(started_) < timeout) return std::nullopt;
    end(fmt::format("timed out after {}: {}", base::span_text(timeout), command_.watch.until.text),
        left_, false);
    return ExitCode::Findings;
  }

  /// Whether the wall clock and the steady clock disagree since the last call.
  bool has_jumped() {
    const model::Time wall = ctx_.now();
    const auto steady = steady_clock::now();
    const auto by = (wall - last_wall_) -
                    std::chrono::duration_cast<model::Time::duration>(steady - last_steady_);
    const bool jumped = last_wall_ != model::Time() && (by > jump || by < -jump);
    last_wall_ = wall;
    last_steady_ = steady;
    return jumped;
  }

  /// Waits a little for changes and keys. False: the user quits.
  bool wait_for_news() {
    using Wake = source::LiveSource::Wake;
    if (has_jumped()) {
      outlet_->say("the clock jumped: reconnecting", ctx_.now(), false);
      source_->reconnect();
      changed_ = steady_clock::now() - gathering;
    }
    // A screen waits for keys, a pipe for changes.
    const bool waits_for_keys = outlet_->is_screen();
    const Wake wake = source_->wait(milliseconds(changed_ || waits_for_keys ? 0 : 250));
    if (wake == Wake::LivenessChanged) show_liveness();
    if (wake == Wake::Changed && !changed_) changed_ = steady_clock::now();
    const milliseconds pause(changed_ ? 50 : waits_for_keys ? 100 : 0);
    if (!outlet_->pause(pause)) return false;
    if (since(last_liveness_) >= milliseconds(1000)) {
      last_liveness_ = steady_clock::now();
      show_liveness();
    }
    return true;
  }

  /// Whether to make an answer now.
  [[nodiscard]] bool is_due() const {
    const bool is_gathered = changed_ && since(*changed_) >= gathering;
    const bool may_work =
        since(judged_at_) >= std::max(least_interval, work_ * command_.rest_per_work);
    return (is_gathered && may_work) || until_due().count() <= 0;
  }

  ExitCode loop() {
    if (const auto code = judge()) return *code;
    show_liveness();
    for (;;) {
      if (const auto code = time_is_over()) return *code;
      if (!wait_for_news()) return ExitCode::Clean;
      if (!is_due()) continue;
      changed_.reset();
      if (auto evaluated = evaluate(quiet_); !evaluated) {
        judged_at_ = steady_clock::now();
        show_failure(evaluated.error());
        continue;
      }
      show();
      if (const auto code = judge()) return *code;
    }
  }

  const LiveCommand& command_;
  Context& ctx_;
  std::ostream nowhere_;
  Context quiet_;  // repeated answers repeat no warnings
  AnswerOptions asked_;
  Reads reads_;
  diagnosis::KeptReports kept_;
  std::unique_ptr<source::LiveSource> source_;
  std::string ns_;
  std::unique_ptr<Question> question_;
  std::optional<fixes::Explanation> explanation_;
  render::Presentation style_;
  std::unique_ptr<Outlet> outlet_;
  render::LiveLog log_;
  std::optional<UntilJudge> judge_;
  std::vector<std::string> left_;
  std::vector<std::string> said_;
  std::vector<std::string> last_words_;
  std::optional<model::Time> lost_since_;
  std::optional<steady_clock::time_point> changed_;  // when the first unjudged change arrived
  steady_clock::time_point started_;
  steady_clock::time_point judged_at_;
  steady_clock::time_point last_liveness_;
  steady_clock::time_point last_steady_;
  model::Time last_wall_;
  milliseconds work_{1};  // time that the last answer took
};

/// Files do not change: the state is reached, or it is not.
ExitCode judge_once(const LiveCommand& command, Context& ctx) {
  auto question = ask(command.asked, {}, command.print.format, ctx, command.reads);
  if (!question) return fail(ctx, question.error());
  const auto explanation = command.answer(**question, ctx);
  if (!explanation) return fail(ctx, explanation.error());
  UntilJudge judge(*command.watch.until.value, command.attention);
  const Reached reached = judge.judge(**question, *explanation);
  const model::Time now = explanation->now;
  const bool as_json = command.print.format == OutputFormat::Json;
  const bool is_reached = reached.verdict == Verdict::Yes;
  std::vector<std::string> lines = {fmt::format("{}: {}",
                                                is_reached ? "reached"
                                                : reached.verdict == Verdict::Unknown
                                                    ? "cannot be known"
                                                    : "not reached",
                                                command.watch.until.text)};
  std::ranges::copy(reached.left, std::back_inserter(lines));
  for (const std::string& line : lines) {
    ctx.out << (as_json ? render::notice_document(now, line, is_reached)
                        : render::notice_line(now, line, is_reached))
            << "\n";
  }
  if (is_reached) return finish(**question, ctx, ExitCode::Clean);
  return reached.verdict == Verdict::Unknown ? ExitCode::Failed : ExitCode::Findings;
}

/// The states of a recording. Errors: Unreadable, Malformed.
base::Result<std::vector<render::LiveState>> recorded_states(const std::string& file,
                                                             Context& ctx) {
  render::LiveReplay recording(file == "-" ? "standard input" : file);
  std::ifstream stream;
  if (file != "-") {
    stream.open(file, std::ios::binary);
    if (!stream) {
      return base::Error{base::ErrorKind::Unreadable, file, "the file cannot be opened"};
    }
  }
  std::istream& in = file == "-" ? ctx.in : stream;
  for (std::string line; std::getline(in, line);) {
    if (auto read = recording.read(line); !read) return read.error();
  }
  auto states = recording.take();
  if (!states.empty()) return states;
  return base::Error{base::ErrorKind::Malformed, file == "-" ? "standard input" : file,
                     "no line of a recording; -w -o json makes one"};
}

ExitCode replay(const LiveCommand& command, Context& ctx) {
  const auto states = recorded_states(command.watch.replay, ctx);
  if (!states) return fail(ctx, states.error());
  OutletOptions options;
  options.as_json = command.print.format == OutputFormat::Json;
  options.save = [] { return std::string("a recording has no snapshot"); };
  render::Presentation style = style_for(command.print, ctx);
  style.address.program = ctx.program;
  const auto outlet = open_outlet(options, true, style, ctx);
  render::LiveLog log;
  model::Time before = states->front().time;
  constexpr milliseconds longest_pause{2'000};  // on a screen, between states
  for (const render::LiveState& state : *states) {
    const auto gap = std::chrono::duration_cast<milliseconds>(state.time - before);
    if (outlet->is_screen() && !outlet->pause(std::min(gap, longest_pause))) break;
    before = state.time;
    const render::LiveUpdate update = log.add(state);
    outlet->show_liveness({.text = base::utc_text(state.time), .is_good = true}, state.time);
    if (!update.empty()) outlet->show(update, log.state());
  }
  while (outlet->is_screen() && outlet->pause(milliseconds(200))) {
  }
  outlet->close();
  return ExitCode::Clean;
}

}  // namespace

ExitCode watch(const LiveCommand& command, Context& ctx) {
  if (!command.watch.replay.empty()) return replay(command, ctx);
  if (!reads_cluster(command.asked.input.source)) return judge_once(command, ctx);
  return Watch(command, ctx).run();
}

}  // namespace dsdoctor::cmd
