#pragma once

#include <chrono>

namespace dsdoctor::model {

/// UTC. The API writes whole seconds for most times, microseconds for events and leases.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

}  // namespace dsdoctor::model
