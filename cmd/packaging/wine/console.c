// SPDX-License-Identifier: Apache-2.0

/* For check_windows.py: runs a program in a console without a window, with the streams of this program.
 *   console ctrl-c|ctrl-break FILE PROGRAM ARGUMENT...: sends the event once FILE exists; prints how the program ended
 *   console 437 - PROGRAM ARGUMENT...: in the current console, with that code page; prints the code page afterwards
 *   console msys - PROGRAM ARGUMENT...: standard output is a pipe that is named like a terminal of MSYS
 */
#include <stdio.h>
#include <windows.h>

static BOOL WINAPI deaf(DWORD event) {
  (void)event;
  return TRUE;
}

/* Starts the thread that the system starts in a process for an event. */
static void raise_event(DWORD event, HANDLE process) {
  FARPROC routine = GetProcAddress(GetModuleHandleW(L"kernelbase.dll"), "CtrlRoutine");
  if (CreateRemoteThread(process, NULL, 0, (LPTHREAD_START_ROUTINE)routine, (void*)(INT_PTR)event, 0, NULL) == NULL) {
    fprintf(stderr, "console: no event: %lu\n", GetLastError());
  }
}

static void interrupt(DWORD event, const wchar_t* file, HANDLE process) {
  const char* how = "";
  for (int i = 0; i < 600 && GetFileAttributesW(file) == INVALID_FILE_ATTRIBUTES; ++i) Sleep(50);
  Sleep(200);
  if (WaitForSingleObject(process, 0) != WAIT_TIMEOUT) {
    fprintf(stderr, "console: ended before the event\n");
    return;
  }
  SetConsoleCtrlHandler(deaf, TRUE);
  const DWORD begin = GetTickCount();
  /* wine sends only Ctrl-C, and loses it while a thread reads or writes */
  if (!GenerateConsoleCtrlEvent(event, 0) || WaitForSingleObject(process, 3000) == WAIT_TIMEOUT) {
    how = ", told directly";
    raise_event(event, process);
  }
  if (WaitForSingleObject(process, 10000) == WAIT_TIMEOUT) {
    TerminateProcess(process, 98);
    fprintf(stderr, "console: went on\n");
  } else {
    fprintf(stderr, "console: ended after %lu ms%s\n", GetTickCount() - begin, how);
  }
}

static HANDLE pipe_like_msys(HANDLE* reading) {
  const wchar_t* name = L"\\\\.\\pipe\\msys-1888ae32e00d56aa-pty0-to-master";
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
  *reading = CreateNamedPipeW(name, PIPE_ACCESS_INBOUND, 0, 1, 65536, 65536, 0, NULL);
  return CreateFileW(name, GENERIC_WRITE, 0, &inherited, OPEN_EXISTING, 0, NULL);
}

int wmain(int count, wchar_t** words) {
  STARTUPINFOW start = {sizeof start};
  PROCESS_INFORMATION started;
  HANDLE reading = NULL;
  static wchar_t line[32768];
  DWORD code = 99;
  if (count < 4) return 99;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
  const HANDLE output = start.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
  start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
  const int page = wcscmp(words[1], L"437") == 0 ? 437 : 0;
  if (page != 0) {
    SetConsoleOutputCP(page);
  } else {
    FreeConsole();
    AllocConsole();
  }
  if (wcscmp(words[1], L"msys") == 0) start.hStdOutput = start.hStdError = pipe_like_msys(&reading);
  for (int i = 3; i < count; ++i) {
    wcscat(wcscat(wcscat(line, L"\""), words[i]), L"\" ");
  }
  if (!CreateProcessW(words[3], line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &started)) return 99;
  if (reading != NULL) {
    char buffer[4096];
    DWORD got = 0;
    CloseHandle(start.hStdOutput);
    while (ReadFile(reading, buffer, sizeof buffer, &got, NULL)) {
      WriteFile(output, buffer, got, &got, NULL);
    }
  }
  if (wcscmp(words[1], L"ctrl-c") == 0) interrupt(CTRL_C_EVENT, words[2], started.hProcess);
  if (wcscmp(words[1], L"ctrl-break") == 0) interrupt(CTRL_BREAK_EVENT, words[2], started.hProcess);
  WaitForSingleObject(started.hProcess, INFINITE);
  GetExitCodeProcess(started.hProcess, &code);
  if (page != 0) fprintf(stderr, "console: code page %u\n", GetConsoleOutputCP());
  return (int)code;
}
