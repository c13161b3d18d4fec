"""The share of a long table that is tested today. Each day has another one, so that all of the table is tested within a few days; the long
tests (KGEN_LONG_TESTS in the environment) have all of it. As a script it prints the day, and with arguments, PLACE PARTS COMMAND..., runs
the command if the day is that of the place among so many, else it exits with 77: tests that differ little take turns."""
import datetime
import os
import sys
import zlib

FULL = bool(os.environ.get("KGEN_LONG_TESTS"))
DAY = int(os.environ.get("KGEN_TEST_DAY") or datetime.date.today().toordinal() - datetime.date(1970, 1, 1).toordinal())


def today(parts, cases):
    """The cases of today, one of so many; what repeats them is printed."""
    cases = list(cases)
    if FULL or parts == 1:
        return cases
    print(f"one case of {parts}, KGEN_TEST_DAY={DAY}")
    return cases[DAY % min(parts, max(len(cases), 1))::parts]


def is_today(parts, name):
    """True if what is called so is in today's share, one of so many."""
    return FULL or (zlib.crc32(name.encode()) + DAY) % parts == 0


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(DAY)
    elif FULL or DAY % int(sys.argv[2]) == int(sys.argv[1]):
        os.execvp(sys.argv[3], sys.argv[3:])
    else:
        print(f"skipped: the turn of another test of {sys.argv[2]}, KGEN_TEST_DAY={DAY}")
        sys.exit(77)
