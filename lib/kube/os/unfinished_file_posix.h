#pragma once

namespace dsdoctor::kube {

/// For a handler of signals that end the process: removes what replace_file has begun to write.
void remove_unfinished_file() noexcept;

}  // namespace dsdoctor::kube
