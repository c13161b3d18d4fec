// Choice of non-temporal stores.
#include "costmodel/NonTemporalStores.h"

#include <catch2/catch.hpp>

using namespace kgen;

TEST_CASE("how a vector fills lines") {
  Cpu cpu; // lines of 64 bytes, non-temporal stores of 16 bytes or more
  const int64_t run = cpu.heuristics.minStoreRunBytes;
  struct Row {
    const char *what;
    StoredVector vector; ///< bytes, bytes of an element, alignment, run, in a loop, constant column
    StoreForm form;
  };
  for (const Row &row : {
           Row{"a line", {64, 4, 64, 0, true, false}, StoreForm::fullLines},
           Row{"two lines of bytes", {128, 1, 64, 0, true, false}, StoreForm::fullLines},
           Row{"a line that begins in a line", {64, 4, 32, 0, true, true}, StoreForm::partOfLine},
           Row{"the same at any column", {64, 4, 32, 0, true, false}, StoreForm::unsuitable},
           Row{"half a line in a long run", {32, 4, 32, run, true, false}, StoreForm::partOfRun},
           Row{"the same in a short one", {32, 4, 32, run - 1, true, false}, StoreForm::unsuitable},
           Row{"the same of 16-bit elements", {32, 2, 32, run, true, true}, StoreForm::unsuitable},
           Row{"half a line at a column", {32, 4, 32, 0, true, true}, StoreForm::partOfLine},
           Row{"less than a store", {8, 4, 32, run, true, true}, StoreForm::unsuitable},
           Row{"an end that begins a line", {12, 4, 64, 0, true, true}, StoreForm::tail},
           Row{"an end that a task stores once", {12, 4, 16, 0, false, true}, StoreForm::tail},
           Row{"the same in a loop", {12, 4, 16, 0, true, true}, StoreForm::unsuitable},
           Row{"not aligned at all", {64, 4, 4, run, true, true}, StoreForm::unsuitable},
           Row{"not contiguous", {64, 4, 0, run, true, true}, StoreForm::unsuitable},
       }) {
    INFO(row.what);
    CHECK(storeFormOf(cpu, row.vector) == row.form);
  }
}

TEST_CASE("a vector's length limits its alignment") {
  CHECK(StoredVector{48, 4, 64}.alignment() == 16);
  CHECK(StoredVector{64, 4, 32}.alignment() == 32);
  CHECK(StoredVector{256, 4, 64}.alignment() == 64);
  CHECK(StoredVector{64, 4, 0}.alignment() == 0);
}

TEST_CASE("from which size on stores are non-temporal") {
  Cpu cpu;
  cpu.l2Bytes = 1 << 20;
  cpu.l3BytesPerCore = 16 << 20;
  cpu.heuristics.minNonTemporalPerL2 = 4;
  CHECK(!isNonTemporalProfitable(cpu, 16 << 20, StoreOrder::alongRows));
  CHECK(isNonTemporalProfitable(cpu, (16 << 20) + 1, StoreOrder::alongRows));
  CHECK(!isNonTemporalProfitable(cpu, 4 << 20, StoreOrder::acrossRows));
  CHECK(isNonTemporalProfitable(cpu, (4 << 20) + 1, StoreOrder::acrossRows));
  CHECK(!isNonTemporalProfitable(cpu, {1 << 20, 1 << 30}, StoreOrder::acrossRows)); // not known yet
}
