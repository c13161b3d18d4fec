/* qemu 7.2 ends itself at vector conversions of floats to integers that round toward zero whatever
 * the rounding mode is (translate.c:213: decode_save_opc: Assertion `ctx->insn_start != NULL'
 * failed). Here each of them in the program becomes a breakpoint, whose handler goes on at three
 * instructions in place of the one: set the mode, convert by it, set the mode that was before.
 * The runner's own code has no vectors, so that a handler changes none. */
#ifndef KGEN_TESTS_RISCV_CONVERSIONS_H
#define KGEN_TESTS_RISCV_CONVERSIONS_H

#include <ucontext.h>

enum {
  BREAKPOINT = 0x00100073,
  TOWARD_ZERO = 0x0020dff3, /* fsrmi t6, 1 */
  AS_BEFORE = 0x002f9073,   /* fsrm t6 */
  STEPS = 4,
  T6 = 31
};

typedef struct {
  uint32_t *sites[1 << 16];
  uint32_t (*steps)[STEPS];
  size_t count;
} conversions;

static conversions replaced;
static _Thread_local unsigned long kept; /* the program's t6 */

/* `vfcvt.rtz`, `vfwcvt.rtz` and `vfncvt.rtz` with their operands. */
static int rounds_toward_zero(uint32_t instruction) {
  return (instruction & 0xfc00707f) == 0x48001057 && (instruction >> 16 & 3) == 3 &&
         (instruction >> 18 & 3) != 3;
}

static void at_breakpoint(int number, siginfo_t *info, void *context) {
  mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
  uintptr_t at = machine->__gregs[REG_PC], begin = (uintptr_t)replaced.steps;
  (void)number;
  (void)info;
  if (at - begin < replaced.count * sizeof *replaced.steps) { /* the end of the three */
    machine->__gregs[T6] = kept;
    machine->__gregs[REG_PC] =
        (uintptr_t)(replaced.sites[(at - begin) / sizeof *replaced.steps] + 1);
    return;
  }
  size_t low = 0, high = replaced.count; /* sites ascend */
  while (low < high) {
    size_t middle = (low + high) / 2;
    if ((uintptr_t)replaced.sites[middle] < at)
      low = middle + 1;
    else
      high = middle;
  }
  kept = machine->__gregs[T6];
  machine->__gregs[REG_PC] = (uintptr_t)replaced.steps[low];
}

/* In all code after `begin`, an instruction; the linker puts main before what is compiled. */
static void replace_conversions(void *begin) {
  extern unsigned char etext[];
  unsigned char *at = begin;
  uintptr_t page = (uintptr_t)begin & ~(uintptr_t)(PAGE - 1);
  size_t bytes = sizeof replaced.sites / sizeof *replaced.sites * sizeof *replaced.steps;
  struct sigaction action = {.sa_sigaction = at_breakpoint, .sa_flags = SA_SIGINFO};
  replaced.steps =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (replaced.steps == MAP_FAILED ||
      mprotect((void *)page, (uintptr_t)etext - page, PROT_READ | PROT_WRITE | PROT_EXEC))
    die("memory for conversions");
  while (at < etext) {
    uint32_t instruction = 0;
    if ((*at & 3) != 3) { /* a compressed one */
      at += 2;
      continue;
    }
    memcpy(&instruction, at, sizeof instruction);
    if (rounds_toward_zero(instruction)) {
      if (replaced.count == sizeof replaced.sites / sizeof *replaced.sites)
        die("too many conversions");
      uint32_t *steps = replaced.steps[replaced.count];
      steps[0] = TOWARD_ZERO;
      steps[1] = instruction - (6u << 15);
      steps[2] = AS_BEFORE;
      steps[3] = BREAKPOINT;
      replaced.sites[replaced.count++] = (uint32_t *)at;
      instruction = BREAKPOINT;
      memcpy(at, &instruction, sizeof instruction);
    }
    at += sizeof instruction;
  }
  __builtin___clear_cache(begin, etext);
  if (sigaction(SIGTRAP, &action, NULL))
    die("sigaction");
}

#endif
