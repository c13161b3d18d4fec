"""What a call from Python takes beside the call from C, and what threads do: python_calls.py KGEN SOURCE WORK

One thread, a network of 0.2 us, in turns with C: the least time of many rounds. Then calls a second of a network of some milliseconds from
1, 2 and 4 threads of Python, in turns with as many of C.
"""
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
import timeit
from pathlib import Path

import numpy as np

C = """
#include "digits.h"
#include <stdio.h>
#include <time.h>
int main(void) {
  static float x[256], y[10];
  static unsigned char workspace[DIGITS_CLASSIFY_WORKSPACE_SIZE + 1];
  struct timespec a, b;
  digits_context context;
  if (digits_init(&context, NULL) != DIGITS_OK)
    return 1;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (int i = 0; i < 100000; ++i)
    digits_classify(&context, x, y, workspace, sizeof workspace);
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("%.6f", ((double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3) / 100000);
  return 0;
}
"""
THREADS = """
#include "large.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static large_context context;
static double seconds;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
static void *work(void *count) {
  float *x = calloc(256 * 1024, sizeof *x), *y = calloc(256 * 1024, sizeof *y);
  void *workspace = malloc(LARGE_RUN_WORKSPACE_SIZE + 1);
  double stop = now() + seconds;
  while (now() < stop)
    *(long *)count += large_run(&context, x, y, workspace, LARGE_RUN_WORKSPACE_SIZE) == LARGE_OK;
  free(x);
  free(y);
  free(workspace);
  return NULL;
}
int main(int argc, char **argv) {
  static pthread_t threads[64];
  static long counts[64][16], sum;
  int n = atoi(argv[1]);
  seconds = atof(argv[2]);
  if (argc != 3 || n > 64 || large_init(&context, NULL) != LARGE_OK)
    return 1;
  for (int i = 0; i < n; ++i)
    pthread_create(&threads[i], NULL, work, counts[i]);
  for (int i = 0; i < n; ++i)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < n; ++i)
    sum += counts[i][0];
  printf("%.3f", (double)sum / seconds);
  return 0;
}
"""
LARGE = """library: large
graphs:
  - name: run
    inputs: {x: "f32[256, 1024]"}
    weights:
      w0: {type: "f32[1024, 1024]", random: {seed: 1}}
      w1: {type: "f32[1024, 1024]", random: {seed: 2}}
    nodes:
      - {name: h, op: MatMul, inputs: [x, w0]}
      - {name: r, op: Relu, inputs: [h]}
      - {name: y, op: MatMul, inputs: [r, w1]}
    outputs: [y]
"""


def build(kgen, spec, folder, name):
    """The module of a spec's library."""
    cc = os.environ.get("CC", "cc")
    subprocess.run([kgen, "generate", spec, "-o", folder, "--python", "--quiet"], check=True)
    subprocess.run([cc, "-O1", "-shared", "-fPIC", "-o", folder / f"lib{name}.so", folder / f"{name}.c", *folder.glob("objects/*.o")], check=True)
    found = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def program(text, folder, name):
    """A program in C that is linked to the library."""
    (folder / "program.c").write_text(text)
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-pthread", f"-I{folder}", folder / "program.c", folder / f"lib{name}.so", f"-Wl,-rpath,{folder}",
                    "-o", folder / "program"], check=True)
    return lambda *arguments: float(subprocess.run([folder / "program", *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=True).stdout)


def calls(module, folder, rounds=15):
    loop = program(C, folder, "digits")
    net, image, out = module.load(), np.zeros((1, 256), np.float32), np.empty((1, 10), np.float32)
    fixed = image.copy()
    fixed.flags.writeable = False
    bound = net.bind("classify", image, out=out)
    names = {"net": net, "image": image, "out": out, "read_only": fixed, "bound": bound}
    best = {}
    for _ in range(rounds):
        readings = {"C": loop()}
        for call in ("net.classify(image)", "net.classify(image, out=out)", "net.classify(read_only)", "bound()"):
            readings[call] = min(timeit.repeat(call, globals=names, number=20000, repeat=3)) / 20000 * 1e6
        best = {name: min(best.get(name, us), us) for name, us in readings.items()}
    print(f"{'call of digits, ' + net.variant:<32} {'us':>6}  {'over C':>6}")
    for name, us in best.items():
        print(f"{name:<32} {us:6.2f}  {us - best['C']:6.2f}")


def runnable():
    """Seconds that this thread has run or waited for a processor: what it has not, it was blocked."""
    return sum(map(int, Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()[:2])) / 1e9


def throughput(net, count, seconds):
    """Calls a second of `count` threads, and how many of them could run on average: less than `count` where they wait for each other."""
    done, ready, stop, x = [0] * count, [0] * count, time.perf_counter() + seconds, np.ones((256, 1024), np.float32)

    def work(i):
        y, start, before = np.empty((256, 1024), np.float32), time.perf_counter(), runnable()
        while time.perf_counter() < stop:
            net.run(x, out=y)
            done[i] += 1
        ready[i] = (runnable() - before) / (time.perf_counter() - start)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / seconds, sum(ready)


def main(kgen, source, work):
    source, work = Path(source), Path(work)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "large.yaml").write_text(LARGE)
    calls(build(kgen, source / "specs/graphs/digits.yaml", work / "digits", "digits"), work / "digits")
    net = build(kgen, work / "large.yaml", work / "large", "large").load()
    in_c = program(THREADS, work / "large", "large")
    rates = {count: [] for count in (1, 2, 4)}
    for _ in range(9):
        for count, readings in rates.items():
            readings.append((*throughput(net, count, 0.5), in_c(count, 0.5)))
    cores = f"threads, {len(os.sched_getaffinity(0))} cores"
    print(f"\n{cores:<16} {'Python, calls a second':>24} {'ratio':>6} {'can run':>8} {'C, calls a second':>20} {'ratio':>6}")
    for count, readings in rates.items():
        python, ready, c = (statistics.median(column) for column in zip(*readings))
        ratios = [statistics.median(reading[who] / alone[who] for reading, alone in zip(readings, rates[1])) for who in (0, 2)]
        print(f"{count:<16} {python:24.0f} {ratios[0]:6.2f} {ready:8.2f} {c:20.0f} {ratios[1]:6.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
