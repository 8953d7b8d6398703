"""Types into an interactive shell, as a user at a terminal does, and prints what it then runs.

type.py SHELL SCRIPT: SCRIPT is the file that `westwood completions SHELL` printed; standard input has
the keys of one attempt a line, in which <TAB> stands for that key. For each attempt one line is
printed: the arguments with which the shell calls westwood when Enter is pressed, as JSON.
"""

import json
import os
import pty
import select
import sys
import time

SHELL, SCRIPT = sys.argv[1:3]

# Whatever is typed runs this function instead of the command, which completions still ask.
PRINT = {
    "bash": "westwood() { printf '\\001'; printf '%s\\002' \"$@\"; printf '\\003\\n'; }",
    "zsh": "westwood() { printf '\\001'; printf '%s\\002' \"$@\"; printf '\\003\\n'; }",
    "fish": "function westwood; printf '\\001'; printf '%s\\002' $argv; printf '\\003\\n'; end",
}
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], f"source {SCRIPT}"),
    "zsh": (["zsh", "-f", "-i"], f"autoload -U compinit; compinit -u -D; source {SCRIPT}"),
    "fish": (["fish", "--no-config", "-i"], f"source {SCRIPT}"),
}


class Terminal:
    def __init__(self, command):
        child, self.fd = pty.fork()
        if child == 0:
            os.environ.update(TERM="dumb", PS1="$ ", PROMPT="$ ", COLUMNS="400", INPUTRC="/dev/null")
            os.execvp(command[0], command)

    def read_until(self, end, seconds):
        text, until = b"", time.monotonic() + seconds
        while end not in text and time.monotonic() < until:
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    text += os.read(self.fd, 65536)
                except OSError:
                    break
        return text

    def quiet(self, seconds=0.3, first=None):
        """Reads until nothing comes for a while; for the first of it, waits longer."""
        text = b""
        select.select([self.fd], [], [], first or seconds)
        while select.select([self.fd], [], [], seconds)[0]:
            try:
                text += os.read(self.fd, 65536)
            except OSError:
                break
        return text

    def write(self, text):
        os.write(self.fd, text.encode())


command, setup = START[SHELL]
terminal = Terminal(command)
terminal.quiet(1.0)
terminal.write(setup + "; " + PRINT[SHELL] + "\r")
terminal.quiet(1.0)
for line in sys.stdin.read().splitlines():
    for i, keys in enumerate(line.split("<TAB>")):
        if i > 0:
            terminal.write("\t")
            terminal.quiet(0.3, first=5.0)
        terminal.write(keys)
        terminal.quiet(0.1)
    terminal.write("\r")
    text = terminal.read_until(b"\x03", 5)
    found = text.rpartition(b"\x01")[2].partition(b"\x03")[0]
    words = found.decode(errors="replace").split("\x02")[:-1] if b"\x03" in text else None
    print(json.dumps(words), flush=True)
    terminal.quiet(0.2)
