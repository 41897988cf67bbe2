// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "commands/answer_list.h"
#include "commands/check.h"
#include "commands/members.h"
#include "fixes/fleet/fleet.h"
#include "question/printing.h"
#include "question/progress_line.h"
#include "render/fleet/fleet.h"

namespace dsdoctor::cmd {
namespace {

/// Clusters that are read at the same time; each with up to four requests.
constexpr std::size_t most_at_once = 8;

using State = fixes::ClusterAnswer::State;

/// Whether the answers can be joined. Other questions have an answer about each cluster.
bool is_joined(const CheckOptions& options) {
  const OutputFormat format = options.print.format;
  return is_for_people(format) && !options.alert && options.what_if.flags.empty() &&
         !options.print.all_nodes && !options.redact;
}

/// The answer about one cluster, and the exit code of check for it alone.
struct Outcome {
  fixes::ClusterAnswer answer;
  render::Address address;
  ExitCode code = ExitCode::Failed;
  bool is_empty = false;  // no DaemonSets were found
};

/// `name`: of the cluster, which the answer shows beside the text.
std::string text_of(const base::Error& error, const std::string& name) {
  std::string text = error.where == name ? error.what : base::to_string(error);
  if (!error.hints.empty()) text += fmt::format(" ({})", error.hints.front());
  return base::shortened_line(text);
}

class Fleet {
 public:
  Fleet(const CheckOptions& options, Members members, Context& ctx)
      : options_(options),
        members_(std::move(members)),
        ctx_(ctx),
        joined_(is_joined(options) && members_.all.size() > 1),
        list_(options.print.format, members_.all.size(), !joined_, ctx) {}

  ExitCode run() {
    if (members_.kubeconfig) {
      read_at_once();
    } else {
      for (const Member& member : members_.all) {
        list_.add(member.name, [&](Context& each) {
          outcomes_.push_back(outcome_of(member, each));
          return outcomes_.back().code;
        });
      }
    }
    const bool is_listed = is_data(options_.print.format);
    const render::Fleet fleet = fleet_of();
    if (!joined_) {
      for (const std::string& note : fleet.notes) {
        ctx_.err << "note: " << base::shortened_line(note) << "\n";
      }
    }
    if (!joined_ && !is_listed) return list_.finish(nullptr);
    if (is_listed) return list_.finish(options_.alert ? nullptr : fleet_problems_json(fleet));
    const render::Presentation style = style_for(options_.print, ctx_);
    Forms forms;
    forms.text = [&] { return render::fleet_text(fleet, style); };
    forms.document = [&] { return render::fleet_document(fleet, style); };
    print(options_.print.format, forms, ctx_);
    return list_.finish(nullptr);
  }

 private:
  /// Reads one cluster, and prints its answer unless all are joined.
  Outcome outcome_of(const Member& member, Context& each) const {
    CheckOptions one = options_;
    one.input.source = member.source;
    if (joined_) one.print.format = OutputFormat::Table;  // details of nodes are not shown
    Outcome outcome;
    outcome.answer.name = member.name;
    outcome.address = address_for(one, {}, each);
    const auto checked = check_answer(one, each);
    if (!checked) {
      outcome.answer.errors = {text_of(checked.error(), member.name)};
      if (!joined_) fail(each, checked.error());
      return outcome;
    }
    const Question& question = *checked->question;
    const source::Snapshot& snapshot = question.snapshot;
    outcome.answer = fixes::cluster_answer(member.name, checked->explanation, snapshot.info,
                                           snapshot.omissions, checked->answered);
    outcome.answer.identity = fixes::identity_of(snapshot.cluster);
    add_errors(*checked, outcome);
    if (!joined_) {
      print(*checked, one, each);
      outcome.code = finish(*checked, one, each);
    }
    return outcome;
  }

  static void add_errors(const CheckAnswer& checked, Outcome& outcome) {
    fixes::ClusterAnswer& answer = outcome.answer;
    for (const base::Error& error : checked.question->not_found) {
      answer.errors.push_back(text_of(error, answer.name));
    }
    if (checked.none) answer.errors.push_back(text_of(*checked.none, answer.name));
    outcome.is_empty = checked.explanation.daemon_sets.empty();
    if (outcome.is_empty && !answer.errors.empty()) answer.state = State::Failed;
    outcome.code = answer.state == State::Problems && answer.errors.empty()  ? ExitCode::Findings
                   : answer.state == State::Healthy && answer.errors.empty() ? ExitCode::Clean
                                                                             : ExitCode::Failed;
  }

  /// The answer of one context with what it prints, which is printed when its turn comes.
  struct Printed {
    Outcome outcome;
    std::string out;
    std::string err;
    std::vector<std::string> errors;
  };

  Printed printed_of(const Member& member) const {
    Printed printed;
    std::ostringstream out;
    std::ostringstream err;
    Context each = context_for(out, err, ctx_);
    each.errors = &printed.errors;
    each.answers = members_.all.size();
    each.kubeconfig = members_.kubeconfig;
    each.err_is_terminal = false;                // no progress line of its own
    each.environment.stdin_is_terminal = false;  // login commands cannot share it
    printed.outcome = outcome_of(member, each);
    printed.out = std::move(out).str();
    printed.err = std::move(err).str();
    return printed;
  }

  /// Reads several contexts at a time, and adds the answers in their order.
  void read_at_once() {
    const std::size_t count = members_.all.size();
    std::vector<std::promise<Printed>> answers(count);
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> done = 0;
    ProgressLine line(ctx_.err, ctx_.err_width);
    const auto work = [&] {
      for (std::size_t i = next++; i < count; i = next++) {
        try {
          answers[i].set_value(printed_of(members_.all[i]));
        } catch (...) {
          answers[i].set_exception(std::current_exception());
        }
        line.update("contexts", ++done, 0, count);
      }
    };
    std::vector<std::jthread> threads(std::min(count, most_at_once));
    for (std::jthread& thread : threads) thread = std::jthread(work);
    const bool shows_progress = ctx_.err_is_terminal && options_.input.source.verbosity == 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (shows_progress) line.begin();
      line.update("contexts", done, 0, count);
      std::future<Printed> future = answers[i].get_future();
      future.wait();
      line.end();
      Printed printed = future.get();
      list_.add(members_.all[i].name, [&](Context& each) {
        each.out << printed.out;
        each.err << printed.err;
        *each.errors = std::move(printed.errors);
        return printed.outcome.code;
      });
      outcomes_.push_back(std::move(printed.outcome));
    }
  }

  /// The answers' names as they are shown.
  [[nodiscard]] std::vector<std::string> shown_names() const {
    std::vector<std::string> names;
    names.reserve(outcomes_.size());
    for (const Outcome& outcome : outcomes_) names.push_back(outcome.answer.name);
    const bool has_paths = joined_ && !members_.kubeconfig;
    return has_paths ? without_common_folder(std::move(names)) : names;
  }

  /// The names of the answers about each cluster that has an identity.
  [[nodiscard]] std::map<std::string, std::vector<std::string>> names_by_identity(
      const std::vector<std::string>& names) const {
    std::map<std::string, std::vector<std::string>> result;
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      const std::string& identity = outcomes_[i].answer.identity;
      if (!identity.empty()) result[identity].push_back(names[i]);
    }
    return result;
  }

  /// The outcomes, without those of contexts that are the cluster of an earlier one.
  render::Fleet fleet_of() {
    const std::vector<std::string> names = shown_names();
    const auto same = names_by_identity(names);
    const kube::ConfigFlags& connection = options_.input.source.connection;
    const bool is_counted_once =
        members_.kubeconfig && (connection.all_namespaces || !connection.ns.empty());
    render::Fleet fleet;
    fleet.notes = members_.notes;
    for (const auto& [identity, answers] : same) {
      if (answers.size() == 1) continue;
      if (!is_counted_once) fleet.noun = members_.kubeconfig ? "context" : "input";
      fleet.notes.push_back(fmt::format("{} are of one cluster{}", base::listed(answers),
                                        is_counted_once ? ": counted once" : ""));
    }
    std::vector<std::string> empty;
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      Outcome& outcome = outcomes_[i];
      const auto at = same.find(outcome.answer.identity);
      if (is_counted_once && at != same.end() && at->second.front() != names[i]) continue;
      outcome.answer.name = names[i];
      if (outcome.is_empty && outcome.answer.errors.empty()) empty.push_back(names[i]);
      fleet.answers.push_back(std::move(outcome.answer));
      fleet.addresses.push_back(std::move(outcome.address));
    }
    if (!empty.empty()) {
      fleet.notes.push_back(fmt::format("no DaemonSets in: {}", base::listed(empty)));
    }
    fleet.problems = fixes::joined(fleet.answers);
    return fleet;
  }

  const CheckOptions& options_;
  Members members_;
  Context& ctx_;
  bool joined_;
  AnswerList list_;
  std::vector<Outcome> outcomes_;
};

}  // namespace

ExitCode check_fleet(const CheckOptions& options, Context& ctx) {
  auto members = members_of(options.input.source, ctx);
  if (!members) return fail(ctx, members.error());
  return Fleet(options, std::move(*members), ctx).run();
}

}  // namespace dsdoctor::cmd
