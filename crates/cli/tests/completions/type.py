"""Types into an interactive shell, as a user at a terminal does, and prints what it then runs.

type.py SHELL SCRIPT: SCRIPT is the file that `westwood completions SHELL` printed; standard input has
a line of JSON for each attempt: the keys, in which <TAB> stands for that key, and the arguments that
are expected. For each one line is printed: the arguments with which the shell calls westwood when
Enter is pressed, as JSON.

A shell does not say when it has completed. On a busy machine the next keys may come too early, so an
attempt that gives something else than what is expected is made again, with more patience each time.
"""

import json
import os
import pty
import select
import sys
import time

SHELL, SCRIPT = sys.argv[1:3]

# A typed line runs this function instead of the command, which completions still ask.
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
terminal.write(setup + "; " + PRINT[SHELL] + "; printf '\\004'\r")
terminal.read_until(b"\x04", 60)
terminal.quiet(0.3)


def attempt(typed, patience):
    for i, keys in enumerate(typed.split("<TAB>")):
        if i > 0:
            terminal.write("\t")
            terminal.quiet(0.3 * patience, first=5.0 * patience)
        terminal.write(keys)
        terminal.quiet(0.1 * patience)
    terminal.write("\r")
    text = terminal.read_until(b"\x03", 5 * patience)
    found = text.rpartition(b"\x01")[2].partition(b"\x03")[0]
    return found.decode(errors="replace").split("\x02")[:-1] if b"\x03" in text else None


for line in sys.stdin.read().splitlines():
    typed, expected = json.loads(line)
    for patience in 1, 3, 9:
        words = attempt(typed, patience)
        terminal.quiet(0.2 * patience)
        if words == expected:
            break
        # Ctrl-U and Ctrl-C leave nothing of the line.
        terminal.write("\x15\x03")
        terminal.quiet(0.5 * patience)
    print(json.dumps(words), flush=True)
