"""Runs a command on a terminal of its own, types an answer to its question, and prints what it showed and its exit code."""

import os
import pty
import sys

question, answer, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)
shown = b""
is_answered = False
try:
    while chunk := os.read(terminal, 4096):
        shown += chunk
        if question.encode() in shown and not is_answered:
            os.write(terminal, f"{answer}\n".encode())
            is_answered = True
except OSError:
    # The terminal of a process that has ended.
    pass
_, status = os.waitpid(child, 0)
print(shown.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(status))
