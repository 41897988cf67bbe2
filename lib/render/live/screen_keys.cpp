// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "render/live/screen.h"

// The keys of the view; screen.cpp has its frames.
namespace dsdoctor::render {
namespace {

constexpr std::string_view up = "\x1b[A";
constexpr std::string_view down = "\x1b[B";
constexpr std::string_view page_up = "\x1b[5~";
constexpr std::string_view page_down = "\x1b[6~";
constexpr std::string_view escape = "\x1b";

/// The first key of `bytes`, which it shortens.
std::string_view taken_key(std::string_view& bytes) {
  std::size_t size = 1;
  if (bytes.starts_with("\x1b[") || bytes.starts_with("\x1bO")) {
    size = 2;
    while (size < bytes.size() && (bytes[size] < '@' || bytes[size] > '~')) ++size;
    size = std::min(size + 1, bytes.size());
  } else {
    while (size < bytes.size() && (static_cast<unsigned char>(bytes[size]) & 0xC0U) == 0x80U) {
      ++size;
    }
  }
  const std::string_view key = bytes.substr(0, size);
  bytes.remove_prefix(size);
  if (key == "\x1bOA") return up;
  if (key == "\x1bOB") return down;
  return key;
}

}  // namespace

std::optional<std::string> Screen::chosen() const {
  const std::vector<Item> all = items(list_, state_.time);
  if (all.empty()) return std::nullopt;
  const auto at = std::ranges::find(all, cursor_, &Item::key);
  return at == all.end() ? all.front().key : at->key;
}

void Screen::move(std::ptrdiff_t by) {
  const std::vector<Item> all = items(list_, state_.time);
  if (all.empty()) return;
  const auto found = std::ranges::find(all, cursor_, &Item::key);
  const std::ptrdiff_t at = found == all.end() ? 0 : found - all.begin();
  const auto last = static_cast<std::ptrdiff_t>(all.size()) - 1;
  cursor_ = all[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at + by, 0, last))].key;
}

void Screen::choose(List list) {
  list_ = list_ == list ? List::Problems : list;
  cursor_.clear();
  opened_.clear();
}

std::string Screen::command() const {
  const std::string key = opened_.empty() ? chosen().value_or("") : opened_;
  for (const LiveProblem& problem : state_.problems) {
    const bool is_it =
        list_ == List::Problems ? problem.id == key
        : list_ == List::DaemonSets
            ? std::ranges::find(problem.daemon_sets, key) != problem.daemon_sets.end()
            : std::ranges::find(problem.nodes, key) != problem.nodes.end();
    if (is_it) return problem.command;
  }
  return {};
}

void Screen::type_filter(std::string_view key) {
  if (key == "\r" || key == "\n") {
    is_typing_ = false;
  } else if (key == escape) {
    is_typing_ = false;
    filter_.clear();
  } else if (key == "\x7f" || key == "\b") {
    while (!filter_.empty() && (static_cast<unsigned char>(filter_.back()) & 0xC0U) == 0x80U) {
      filter_.pop_back();
    }
    if (!filter_.empty()) filter_.pop_back();
  } else if (static_cast<unsigned char>(key.front()) >= ' ') {
    filter_ += key;
  }
  cursor_.clear();
}

/// Moves by lines or pages. False: another key.
bool Screen::press_move(std::string_view key) {
  constexpr std::ptrdiff_t page = 10;
  std::ptrdiff_t by = 0;
  if (key == "j" || key == down) by = 1;
  if (key == "k" || key == up) by = -1;
  if (key == page_down) by = page;
  if (key == page_up) by = -page;
  if (by == 0) return false;
  if (opened_.empty()) {
    move(by);
  } else {
    const auto at = static_cast<std::ptrdiff_t>(scroll_) + by;
    scroll_ = static_cast<std::size_t>(std::max<std::ptrdiff_t>(at, 0));
  }
  return true;
}

void Screen::pause_or_go_on() {
  is_paused_ = !is_paused_;
  if (is_paused_) {
    last_ = state_;
  } else {
    state_ = std::move(last_);
  }
}

ScreenAction Screen::press_in_list(std::string_view key) {
  if (press_move(key)) return {};
  if (key == "\r" || key == "\n") {
    if (opened_.empty()) opened_ = chosen().value_or("");
    scroll_ = 0;
  } else if (key == "d") {
    choose(List::DaemonSets);
  } else if (key == "n") {
    choose(List::Nodes);
  } else if (key == "/") {
    opened_.clear();
    is_typing_ = true;
  } else if (key == "c") {
    std::string text = command();
    notice_ = text.empty() ? "nothing to copy" : "copied: " + text;
    if (!text.empty()) return {ScreenAction::Kind::Copy, std::move(text)};
  } else if (key == "s") {
    return {ScreenAction::Kind::Snapshot, {}};
  } else if (key == "p") {
    pause_or_go_on();
  } else if (key == "?") {
    shows_help_ = true;
  }
  return {};
}

ScreenAction Screen::press_key(std::string_view key) {
  notice_.clear();
  if (is_typing_) {
    type_filter(key);
    return {};
  }
  if (shows_help_) {
    shows_help_ = false;
    return {};
  }
  if (key == "q" || key == "Q") return {ScreenAction::Kind::Quit, {}};
  if (key != escape) return press_in_list(key);
  if (!opened_.empty()) {
    opened_.clear();
  } else if (!filter_.empty()) {
    filter_.clear();
  } else if (list_ != List::Problems) {
    choose(List::Problems);
  } else {
    return {ScreenAction::Kind::Quit, {}};
  }
  return {};
}

std::vector<ScreenAction> Screen::press(std::string_view bytes) {
  std::vector<ScreenAction> result;
  while (!bytes.empty()) {
    ScreenAction action = press_key(taken_key(bytes));
    if (action.kind != ScreenAction::Kind::None) result.push_back(std::move(action));
  }
  return result;
}

}  // namespace dsdoctor::render
