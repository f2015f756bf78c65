"""A program that answers each line with a line, and is started anew where it dies or takes too long."""
import json
import queue
import subprocess
import threading


class Died(Exception):
    """The program ended, or was ended after the time that it had."""


class Process:
    def __init__(self, command, log, start=None, environment=None):
        self.command, self.log, self.start, self.environment = [str(c) for c in command], log, start, environment
        self.program = None
        self.started = None  # the answer to `start`

    def _open(self):
        self.program = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
                                        text=True, env=self.environment)
        self.lines = queue.Queue()

        def read(program, lines):
            for line in program.stdout:
                lines.put(line)
            lines.put(None)

        threading.Thread(target=read, args=(self.program, self.lines), daemon=True).start()
        if self.start is not None:
            self.started = self._ask(self.start, 120)

    def _ask(self, line, seconds):
        try:
            self.program.stdin.write(line + "\n")
            self.program.stdin.flush()
            answer = self.lines.get(timeout=seconds)
        except queue.Empty:
            self.program.kill()
            self.close()
            raise Died(f"no answer in {seconds:.0f} s") from None
        except OSError:
            answer = None
        if answer is None:
            code = self.close()
            raise Died(f"the program ended with code {code}")
        return json.loads(answer)

    def ask(self, line, seconds):
        if self.program is None:
            self._open()
        return self._ask(line, seconds)

    def running(self):
        return self.program is not None

    def close(self):
        """Ends the program if it still runs; its exit code."""
        if self.program is None:
            return None
        program, self.program = self.program, None
        if program.poll() is None:
            try:
                program.stdin.close()
                program.wait(5)
            except (OSError, subprocess.TimeoutExpired):
                program.kill()
        return program.wait()
