// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "render/live/live_state.h"

namespace dsdoctor::render {

/// A problem that appeared, differs or is gone.
struct LiveChange {
  enum class Type { Added, Changed, Resolved };
  Type type = Type::Added;
  LiveProblem problem;                     // as it is now; of a resolved one, as it was
  std::optional<LiveProblem> before = {};  // set for a changed problem
  model::OptionalTime since = {};          // when a resolved problem began, or was first seen
};

/// The changes at one time.
struct LiveUpdate {
  model::Time time = {};
  std::vector<LiveChange> changes = {};  // resolved ones first, then in the order of the state
  bool summary_changed = false;          // or what was not read
  bool is_first = false;                 // the state at the beginning
  std::vector<LiveRow> rows = {};        // of the table, that are new or differ
  std::vector<std::string> gone = {};    // names of rows
  std::string failure = {};              // if it is new; the state before stays

  [[nodiscard]] bool empty() const {
    return changes.empty() && !summary_changed && rows.empty() && gone.empty() && failure.empty();
  }
};

/// Compares each state with the one before.
class LiveLog {
 public:
  /// A problem that resolves without action is reported once it has lasted this long: most are gone
  /// by then, such as a pod that is about to be scheduled.
  static constexpr std::chrono::seconds held_for{3};

  /// A state with a `failure` leaves problems and rows as they are.
  LiveUpdate add(LiveState state);
  /// The last state, without problems that are held back.
  [[nodiscard]] const LiveState& state() const { return state_; }
  /// When a problem that is held back has lasted long enough; absent: none is.
  [[nodiscard]] model::OptionalTime held_until() const;

 private:
  void hold_back(LiveState& state);

  LiveState state_;
  std::map<std::string, model::Time, std::less<>> seen_;  // when each problem appeared, by id
  std::map<std::string, model::Time, std::less<>> held_;  // the same of those held back
  bool is_first_ = true;
};

/// Whether the connection to the server is alive, in words.
struct LivenessText {
  std::string text;         // for a corner of a screen: "live", "reconnecting for 12s"
  std::string reason = {};  // why it is not; a new one is news
  std::string notice = {};  // a line: "reconnecting: connection refused", "live again after 12s"
  bool is_good = true;
};

/// A line for each change: `02:41:07 + error TITLE  AFFECTED  ID`, `~` with what differs, `-` with
/// how long it lasted, `=` the summary, `!` a failure. Times are UTC.
[[nodiscard]] std::vector<std::string> change_lines(const LiveUpdate& update,
                                                    const LiveState& state, const Style& style);
/// `02:41:07 ! reconnecting: why`; good news have a `=`.
[[nodiscard]] std::string notice_line(model::Time time, std::string_view text,
                                      bool is_good = false);

/// The same as JSON, an object a line, without newlines: STATUS, ADDED, MODIFIED, RESOLVED.
[[nodiscard]] std::vector<std::string> change_documents(const LiveUpdate& update,
                                                        const LiveState& state);
/// A NOTICE.
[[nodiscard]] std::string notice_document(model::Time time, std::string_view text, bool is_good);

/// Reads back the lines of `change_documents`, and shows what they lead to.
class LiveReplay {
 public:
  /// `file`: for errors.
  explicit LiveReplay(std::string file) : file_(std::move(file)) {}
  /// One line. Errors: Malformed, with the line's number, if it is not a line of a recording.
  [[nodiscard]] base::Status read(std::string_view line);
  /// The states in the order of time, one for each moment. REQUIRES: all lines were read.
  [[nodiscard]] std::vector<LiveState> take();

 private:
  std::string file_;
  std::size_t line_ = 0;
  std::vector<LiveState> states_;
};

}  // namespace dsdoctor::render
