"""How a request to triton_child.py is refused."""

import traceback


class Refused(Exception):
    """What the caller has to mend: one sentence, and the line of the file that it concerns (0: none)."""

    def __init__(self, kind, message, line=0, hint=""):
        super().__init__(message)
        self.kind, self.message, self.line, self.hint = kind, message, line, hint


def first_line(error):
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]


def line_in(file, error):
    """The last line of this file that the traceback passes through; 0: none."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else 0
