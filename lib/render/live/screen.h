// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "render/live/changes.h"
#include "render/live/live_state.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// The request of a key to the program.
struct ScreenAction {
  enum class Kind { None, Quit, Copy, Snapshot };
  Kind kind = Kind::None;
  std::string text = {};  // to copy
};

/// The view of a watched answer on a terminal: a sentence and the age of the data, the problems, a
/// line each, and the table of DaemonSets; or one of them in full. Knows nothing about terminals:
/// keys come in as bytes, frames are lines.
class Screen {
 public:
  /// A changed problem is marked for this long, a resolved one stays.
  static constexpr std::chrono::seconds marked_for{10};
  static constexpr std::chrono::seconds resolved_for{60};

  /// `color`, `unicode` and the address of `style` are used.
  explicit Screen(Presentation style) : style_(std::move(style)) {}

  void apply(const LiveUpdate& update, const LiveState& state);
  void set_liveness(LivenessText liveness) { liveness_ = std::move(liveness); }
  /// A line at the bottom until the next key.
  void say(std::string notice) { notice_ = std::move(notice); }
  /// `bytes`: as the terminal sends them; several keys, escape sequences for arrows.
  [[nodiscard]] std::vector<ScreenAction> press(std::string_view bytes);
  /// At most `rows` lines of at most `columns`, without newlines.
  [[nodiscard]] std::vector<std::string> frame(std::size_t columns, std::size_t rows,
                                               model::Time now) const;
  /// While paused, `apply` is remembered and shown later.
  [[nodiscard]] bool is_paused() const { return is_paused_; }

 private:
  enum class List { Problems, DaemonSets, Nodes };

  struct Mark {
    LiveChange::Type type = LiveChange::Type::Added;
    model::Time time = {};
    std::string text = {};  // what differs
  };
  struct Gone {
    LiveProblem problem;
    model::Time time = {};
  };
  /// A line that can be chosen.
  struct Item {
    std::string key;            // id of a problem, name of a DaemonSet or node
    std::string line;           // without colors
    std::string affected = {};  // follows the line
    Color color = Color::Plain;
    bool is_struck = false;
    bool is_marked = false;
  };

  [[nodiscard]] std::vector<Item> items(List list, model::Time now) const;
  [[nodiscard]] std::vector<Item> problem_items(model::Time now) const;
  [[nodiscard]] std::vector<Item> daemon_set_items() const;
  [[nodiscard]] std::vector<Item> node_items() const;
  [[nodiscard]] bool passes(const std::string& text) const;
  [[nodiscard]] std::vector<std::string> opened_lines(model::Time now) const;
  [[nodiscard]] std::vector<std::string> detail_lines(std::size_t columns, model::Time now) const;
  // Each adds at most `room` lines.
  void add_details(std::vector<std::string>& lines, std::size_t room, std::size_t columns,
                   model::Time now) const;
  void add_problems_and_table(std::vector<std::string>& lines, std::size_t room,
                              std::size_t columns, model::Time now) const;
  void add_view(std::vector<std::string>& lines, std::size_t room, std::size_t columns,
                model::Time now) const;
  [[nodiscard]] std::vector<std::string> problem_details(const LiveProblem& problem,
                                                         model::Time now) const;
  [[nodiscard]] std::size_t name_columns() const;
  [[nodiscard]] std::string table_heading() const;
  [[nodiscard]] std::string title_line(std::size_t columns) const;
  [[nodiscard]] std::string bottom_line(std::size_t columns) const;
  void add_items(std::vector<std::string>& lines, const std::vector<Item>& all, std::size_t room,
                 std::size_t columns, bool has_focus) const;
  [[nodiscard]] ScreenAction press_key(std::string_view key);
  [[nodiscard]] bool press_move(std::string_view key);
  void pause_or_go_on();
  [[nodiscard]] ScreenAction press_in_list(std::string_view key);
  void type_filter(std::string_view key);
  void move(std::ptrdiff_t by);
  void choose(List list);
  [[nodiscard]] std::optional<std::string> chosen() const;
  [[nodiscard]] std::string command() const;

  Presentation style_;
  LiveState state_;
  LiveState last_;  // while paused
  LivenessText liveness_;
  std::string notice_;
  std::map<std::string, Mark, std::less<>> marks_;  // by id
  std::vector<Gone> gone_;                          // resolved, the newest last
  List list_ = List::Problems;
  std::string cursor_;      // key of the chosen item; empty: the first
  std::string opened_;      // key of the item shown in full; empty: none
  std::size_t scroll_ = 0;  // of the item shown in full
  std::string filter_;
  bool is_typing_ = false;  // the filter
  bool shows_help_ = false;
  bool is_paused_ = false;
};

}  // namespace dsdoctor::render
