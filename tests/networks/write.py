"""Writes a spec of networks: write.py FILE.yaml [NAME...], all of them if none is named; write.py --list prints their names."""
import pathlib
import sys

import floats  # noqa: F401 (each module registers its networks)
import quantized  # noqa: F401
import sequences  # noqa: F401
from graphs import NETWORKS, library_of


def write(path, names=None):
    """Writes one library, and returns the networks' names in the order of its graphs."""
    names = sorted(names or NETWORKS)
    path.write_text(library_of(names, path.stem))
    return names


def main():
    if len(sys.argv) < 2 or sys.argv[1] == "--help":
        print(__doc__)
    elif sys.argv[1] == "--list":
        print("\n".join(sorted(NETWORKS)))
    else:
        write(pathlib.Path(sys.argv[1]), sys.argv[2:])


if __name__ == "__main__":
    main()
