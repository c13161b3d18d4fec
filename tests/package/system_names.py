"""Headers of libraries after all standard headers: system_names.py KGEN WORK CC CXX. Inputs are called like every macro that the compilers know after
all headers of C11, C++17 and POSIX, as far as kgen allows the name; sizes like some of them. No name may be a mere error of the C compiler."""
import pathlib
import re
import subprocess
import sys

HEADERS = """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool stddef stdint stdio
stdlib stdnoreturn string tgmath threads time uchar wchar wctype aio arpa/inet cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen
monetary mqueue ndbm net/if netdb netinet/in netinet/tcp nl_types poll pthread pwd regex sched search semaphore spawn strings sys/ipc sys/mman sys/msg
sys/resource sys/select sys/sem sys/shm sys/socket sys/stat sys/statvfs sys/time sys/times sys/types sys/uio sys/un sys/utsname sys/wait syslog tar termios
ulimit unistd utime utmpx wordexp""".split()
# In C++ these are others, or none.
ONLY_C = {"complex", "stdatomic", "stdnoreturn", "tgmath", "threads"}
LANGUAGES = [("c", "c11"), ("c", "gnu17"), ("c++", "c++17"), ("c++", "gnu++17")]
INPUTS = 100  # of a graph


def included(language):
    names = [h for h in HEADERS if language == "c" or h not in ONLY_C]
    return "".join(f"#if __has_include(<{h}.h>)\n#include <{h}.h>\n#endif\n" for h in names)


def run(*command, folder, check=True, text=None):
    done = subprocess.run(list(map(str, command)), cwd=folder, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if check and done.returncode:
        sys.exit(f"{done.returncode} of {command}:\n{done.stdout[:4000]}")
    return done


def macros(compilers, folder):
    """Names of macros without parameters: those with parameters are none where no parenthesis follows."""
    found = set()
    for language, standard in LANGUAGES:
        for more in ([], ["-D_GNU_SOURCE"]):
            text = run(compilers[language], "-x", language, f"-std={standard}", *more, "-dM", "-E", "-", folder=folder, text=included(language)).stdout
            found.update(re.findall(r"^#define ([A-Za-z]\w*)(?: |$)", text, re.MULTILINE))
    return sorted(found)


def spec(names, sizes=()):
    """Graphs that add up inputs of these names."""
    lines = ["library: lb", "targets: [x86-64-v2]"]
    if sizes:
        lines.append("dims: {" + ", ".join(f"{name}: {{max: 4}}" for name in sizes) + "}")
    lines.append("graphs:")
    for at in range(0, len(names), INPUTS):
        some = names[at:at + INPUTS]
        lines.append(f"  - name: g{at}\n    inputs: {{" + ", ".join(f'"{n}": "f32[2]"' for n in some) + "}")
        lines.append(f"    nodes: [{{name: y, op: Sum, inputs: [{', '.join(some)}]}}]\n    outputs: [y]")
    for name in sizes:
        lines.append(f'  - {{name: of_{name}, inputs: {{x: "f32[{name}]"}}, nodes: [{{name: y, op: Neg, inputs: [x]}}], outputs: [y]}}')
    return "\n".join(lines) + "\n"


def main():
    kgen, work, compilers = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), {"c": sys.argv[3], "c++": sys.argv[4]}
    work.mkdir(parents=True, exist_ok=True)
    names = macros(compilers, work)
    wanted = {"NAN", "M_PI", "BUFSIZ", "RAND_MAX", "INFINITY", "EOF", "SIGINT", "errno", "stdin", "unix"}
    if len(names) < 1000 or not wanted - {"unix"} <= set(names):
        sys.exit(f"the compilers know too few macros: {len(names)}, not {sorted(wanted - set(names))}")
    (work / "lb.yaml").write_text(spec(names))
    said = set(re.findall(r"error: '(\w+)' cannot be the name of an input", run(kgen, "check", "lb.yaml", folder=work, check=False).stdout))
    allowed = [name for name in names if name not in said]
    (work / "lb.yaml").write_text(spec(allowed, [n for n in ("NAN", "M_PI", "BUFSIZ", "EAGAIN") if n in allowed]))
    run(kgen, "generate", "lb.yaml", "-o", "lb", "--quiet", folder=work)
    for language, standard in LANGUAGES:
        for more in ([], ["-D_GNU_SOURCE"]):
            text = included(language) + '#include "lb/lb.h"\n'
            run(compilers[language], "-x", language, f"-std={standard}", *more, "-fsyntax-only", "-I.", "-", folder=work, text=text)
    run(compilers["c"], "-std=c99", "-Wall", "-Werror", "-fsyntax-only", "-I", "lb", "lb/lb.c", folder=work)
    print(f"{len(names)} macros: {len(said)} refused as names, {len(allowed)} names of parameters after all headers")


if __name__ == "__main__":
    main()
