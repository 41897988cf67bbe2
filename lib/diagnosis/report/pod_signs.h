#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/report/cases.h"
#include "model/pod.h"

/// Small questions about a pod that several families of findings ask.
namespace dsdoctor::diagnosis {

using TextList = std::initializer_list<std::string_view>;

/// One line of at most 300 bytes, of a longer text its beginning and its end, without blanks and
/// periods at its ends.
[[nodiscard]] std::string excerpt(std::string_view text);
/// The same of an error of a kubelet or a runtime, without what it is wrapped in.
[[nodiscard]] std::string error_excerpt(std::string_view text);

[[nodiscard]] bool is_one_of(std::string_view word, TextList words);

/// Letters of either case are alike. Looks at the first 4 KiB of `text`.
[[nodiscard]] std::size_t place_of(std::string_view text, std::string_view word);  // or npos
[[nodiscard]] bool mentions(std::string_view text, std::string_view word);
[[nodiscard]] bool mentions_any(std::string_view text, TextList words);

/// The kernel could not execute a program, as Go and runtimes say it of the program that a
/// container starts: `exec /agent: exec format error`. Others may say it of other programs, or of
/// kernel modules.
[[nodiscard]] bool is_of_program_format(std::string_view text);

/// `moment` is known and at least `age` before `now`.
[[nodiscard]] bool is_older(const model::OptionalTime& moment, std::chrono::seconds age,
                            model::Time now);
/// `moment` is known and less than `age` before `now`.
[[nodiscard]] bool is_younger(const model::OptionalTime& moment, std::chrono::seconds age,
                              model::Time now);

/// Empty where it does not wait.
[[nodiscard]] std::string_view waiting_reason(const model::ContainerStatus& status);

/// The end that speaks of the present trouble; null where the container has not ended lately.
[[nodiscard]] const model::TerminatedState* last_end(const model::ContainerStatus& status);

[[nodiscard]] Facts::Events events_of(const Facts& facts, const model::Pod& pod);
/// When it was last seen; the epoch where no time is known.
[[nodiscard]] model::Time last_seen(const model::Event& event);
/// How often it happened, at least: once or more, and never so often that a sum of some overflows.
[[nodiscard]] std::int64_t times(const model::Event& event);
/// The last one with one of the reasons; null if there is none. `events` oldest first.
[[nodiscard]] const model::Event* newest(const Facts::Events& events, TextList reasons);
/// The same, unless one with a reason of `progress` is newer: the pod got further.
[[nodiscard]] const model::Event* unresolved(const Facts::Events& events, TextList reasons,
                                             TextList progress);

/// The event is about this container of the pod: its field path says so, or it has none and the pod
/// has no other container.
[[nodiscard]] bool is_of_container(const model::Event& event, const model::Pod& pod,
                                   std::string_view container);

/// The newest event of a probe of this container that failed, not before `since`. `kind` is
/// "readiness", "liveness" or "startup". `events` oldest first.
[[nodiscard]] const model::Event* newest_unhealthy(const Facts::Events& events,
                                                   const model::Pod& pod,
                                                   std::string_view container,
                                                   std::string_view kind,
                                                   const model::OptionalTime& since);

/// Of the spec, by name; null where there is none.
[[nodiscard]] const model::Container* find_container(const model::Pod& pod, std::string_view name);
/// Of the container, else of the whole pod; empty where neither has one.
[[nodiscard]] std::string_view memory_limit(const model::Pod& pod, std::string_view container);
/// The same of the container with that name in a spec, such as a template's.
[[nodiscard]] std::string_view memory_limit(const model::PodSpec& spec, std::string_view container);
[[nodiscard]] const model::Container* find_container(const model::PodSpec& spec,
                                                     std::string_view name);
/// Neither waiting for a start nor ended: running, or not known to be otherwise.
[[nodiscard]] bool is_running(const model::ContainerStatus& status);

/// A run that ended before the program began.
[[nodiscard]] bool is_failed_start(const model::TerminatedState& end);
/// Since when a container that does not run is to be started: the start of its pod or, after a run
/// or a restart of the node, the end of that run or the moment from which the pod's containers were
/// no longer ready. Absent: is not known.
[[nodiscard]] model::OptionalTime to_be_started_since(const model::Pod& pod,
                                                      const model::ContainerStatus& status);

/// Seconds after its start by which a container's startup and readiness probes have either passed
/// or failed for good. What the object does not say counts as the API server would fill it in; a
/// number that it would refuse counts as its nearest legal one.
[[nodiscard]] std::int64_t probe_budget(const model::Container& container);

/// Known to be of an older revision of the template.
[[nodiscard]] bool is_outdated(const NodeCase& c, const model::Pod& pod);

/// The node's condition Ready is True. False also where the node never reported.
[[nodiscard]] bool is_ready(const model::Node& node);
/// The node has a condition Ready, and it is not True.
[[nodiscard]] bool is_known_not_ready(const model::Node& node);

/// The pod is not ready because its node is not: the node controller has marked it, and its
/// containers run. `events` are the pod's.
[[nodiscard]] bool is_marked_by_node(const NodeCase& c, const model::Pod& pod,
                                     const Facts::Events& events);

/// The node was created, or became ready, moments ago.
[[nodiscard]] bool is_new(const model::Node& node, model::Time now);

}  // namespace dsdoctor::diagnosis
