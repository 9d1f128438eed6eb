"""What can go wrong. Every exception of this package is an AwariError; each says what to do."""

from __future__ import annotations

__all__ = [
    "AwariError",
    "BuildError",
    "CorruptTable",
    "FileError",
    "IllegalMove",
    "InvalidBoard",
    "MissingDepths",
    "MissingTable",
    "OutOfRange",
    "UnsupportedTable",
    "WrongRules",
]


class AwariError(Exception):
    """The base of all.

    row: the row of the array it is about. stones: of the table. path: of the file.
    command: a command line that helps. Each is None where it says nothing.
    """

    row: int | None
    stones: int | None
    path: str | None
    command: str | None

    def __init__(
        self,
        message: str,
        *,
        row: int | None = None,
        stones: int | None = None,
        path: str | None = None,
        command: str | None = None,
    ) -> None:
        super().__init__(message)
        self.row = row
        self.stones = stones
        self.path = path
        self.command = command


class InvalidBoard(AwariError, ValueError):
    """No board: a wrong number of pits, negative numbers, more than 48 stones, a text that cannot be read."""


class IllegalMove(AwariError, ValueError):
    """The rules do not allow this move."""


class OutOfRange(AwariError, ValueError):
    """No game has so many stones on the board: 47, or more than 48."""


class MissingTable(AwariError, LookupError):
    """The table that has the answer is not there; `command` builds it."""


class MissingDepths(MissingTable):
    """The table of depths that has the answer is not there; `command` builds it."""


class WrongRules(AwariError, ValueError):
    """The table is of other rules."""


class CorruptTable(AwariError):
    """The file is damaged, cut short, or not the table it should be."""


class UnsupportedTable(AwariError):
    """The file is of a newer version of the format."""


class FileError(AwariError):
    """The system refused to read or to write a file."""


class BuildError(AwariError):
    """The build could not start or go on: memory, disk space, another build in the directory."""
