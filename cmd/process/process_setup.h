// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dsdoctor::cmd {

/// Sets up signals and terminal, once, before anything else runs: Ctrl-C and termination restore
/// the terminal (a login command may have switched off its echo) and then end the process by that
/// signal, which a shell shows as 130 and 143; a closed stdout ends it without an error message; it
/// writes no core file, which would contain credentials.
void set_up_process();

}  // namespace dsdoctor::cmd
