// SPDX-License-Identifier: Apache-2.0

package client

import (
	"fmt"
	"strings"
)

// step is a part of a login command, for a POSIX shell and for cmd.exe.
type step struct{ sh, cmd string }

// says prints a line, which must not contain any of '&|<>%^.
func says(text string) step { return step{"printf '%s\\n' '" + text + "'", "echo " + text} }

// printToken is a complete login command.
func printToken(value string) step { return says(credential(value)) }

func credential(token string) string {
	return fmt.Sprintf(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}`, token)
}

// countRun appends a line to the file `runs`; after it printNumbered knows the number of runs.
var countRun = step{"echo run >> runs\nn=$(wc -l < runs)", "echo run>>runs\r\nset n=0\r\nfor /f %%l in (runs) do set /a n+=1"}

// printNumbered prints token-1, token-2 and so on; the first one expires at expiry, if it is set.
func printNumbered(expiry string) []step {
	first := step{"e=", "set e="}
	if expiry != "" {
		text := fmt.Sprintf(`,"expirationTimestamp":"%s"`, expiry)
		first = step{"e=\n[ $n != 1 ] || e='" + text + "'", "set e=\r\nif %n%==1 set e=" + text}
	}
	with := func(number, expires string) string {
		return strings.ReplaceAll(credential("token-"+number), `"}}`, `"`+expires+`}}`)
	}
	return []step{countRun, first, {"echo '" + with("'$n'", "'$e'") + "'", "echo " + with("%n%", "%e%")}}
}

// keep writes a variable to a file.
func keep(variable, file string) step {
	return step{fmt.Sprintf(`printf '%%s\n' "$%s" > %s`, variable, file), fmt.Sprintf("echo %%%s%%>%s", variable, file)}
}

// leave creates a file.
func leave(file string) step { return step{"touch " + file, "echo here>" + file} }

func exitWith(code int) step { return step{fmt.Sprint("exit ", code), fmt.Sprint("exit /b ", code)} }

// allowsLogin is a policy for a script of that name; an extension is a part of the name.
const allowsLogin = "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist:\n- command: login\n- command: login.cmd\n"

// script creates a login command and returns its name, on Windows without the extension.
func (s *sandbox) script(name string, steps ...step) string {
	s.Helper()
	sh, cmd := "#!/bin/sh\n", "@echo off\r\n"
	for _, one := range steps {
		sh += one.sh + "\n"
		cmd += one.cmd + "\r\n"
	}
	if windows != nil {
		s.write(name+".cmd", cmd)
	}
	return s.executable(name, []byte(sh))
}

// login creates a command that counts its runs and prints token-1, token-2 and so on.
func (s *sandbox) login() string {
	s.Helper()
	return s.script("login", printNumbered("")...)
}

// seeStdin writes the kind of standard input to the file `seen`: a terminal (where a user types a
// line), a text, or none.
var seeStdin = step{
	"if [ -t 0 ]; then echo terminal; elif read x; then echo text; else echo eof; fi > seen",
	"set x=\r\nset /p x=\r\nif defined x (echo terminal>seen) else (echo eof>seen)",
}
