#pragma once

namespace dsdoctor::cmd {

/// Makes the process a good citizen of a terminal and a pipe, once, before anything else runs:
/// Ctrl-C and termination give the terminal back as it was (a login command may have switched its
/// echo off) and then end the process by that signal, which a shell shows as 130 and 143; a closed
/// stdout ends it quietly; it leaves no core file, which would hold credentials.
void set_up_process();

}  // namespace dsdoctor::cmd
