// See MachineRun.h.
#include "simulate/MachineRun.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kgen {

MachineRun::MachineRun(const MachineSpec &spec, const Sites &sites) : spec(spec), sites(sites) {
  engines.addEngine("L3");
}

uint32_t MachineRun::enterLoop(LoopKind kind, int site, int64_t trips) {
  if (kind == LoopKind::cores) {
    coreTrips = trips;
    if (trips > spec.cores())
      fault(site, "cores", fmt::format("has {} iterations for {} cores", trips, spec.cores()),
            "a loop over cores has at most one iteration for each core of a block");
  }
  return kind == LoopKind::sequential ? 0 : accesses.steps.newLoop();
}

void MachineRun::leaveLoop(LoopKind kind) {
  if (kind == LoopKind::cores)
    coreTrips = 1;
}

void MachineRun::enterIteration(LoopKind kind, uint32_t loop, int site, int64_t number,
                                llvm::ArrayRef<int64_t> at) {
  frames.push_back({kind, site, step, {at.begin(), at.end()}});
  if (kind == LoopKind::sequential)
    return;
  step = accesses.steps.newStep(step, loop);
  if (kind == LoopKind::blocks)
    array = number % spec.blocks();
  else
    core = number;
}

void MachineRun::leaveIteration(LoopKind kind) {
  step = frames.back().step;
  frames.pop_back();
  if (kind == LoopKind::blocks)
    array = 0;
  else if (kind == LoopKind::cores)
    core = -1;
}

/// "block (1, 0), core (0, 1), step 32 of the loop in line 12".
std::string MachineRun::placeText() const {
  std::vector<std::string> words;
  for (const Frame &frame : frames) {
    std::string at = fmt::format("{}", fmt::join(frame.at, ", "));
    if (frame.kind == LoopKind::sequential)
      words.push_back(fmt::format("step {} of {}", at, sites.text(frame.site)));
    else
      words.push_back((frame.kind == LoopKind::blocks ? "block (" : "core (") + at + ")");
  }
  return words.empty() ? "" : fmt::format("{}", fmt::join(words, ", "));
}

void MachineRun::fault(int site, const std::string &kind, const std::string &message,
                       const std::string &hint) {
  if (!faults.count(site, kind))
    return;
  std::string place = placeText();
  faults.describe(site, kind, message + (place.empty() ? "" : "; first in " + place), hint);
}

// ------------------------------------------------------------------------------------- memory

void MachineRun::allocate(int site, MachineBuffer &buffer) {
  buffer.step = step;
  auto &orders = physical[{site, buffer.space == 0 ? 0 : core < 0 ? -1 - array : coreNumber()}];
  if (!orders)
    orders = std::make_unique<BufferOrders>();
  buffer.orders = orders.get();
  buffer.regions = &regions[site];
  buffer.isOfCore = core >= 0;
  (buffer.isOfCore ? ofCore : ofBlock)[buffer.space] += buffer.bytes();
  if (buffer.space != 0)
    checkCapacity(site, buffer);
}

void MachineRun::release(const MachineBuffer &buffer) {
  (buffer.isOfCore ? ofCore : ofBlock)[buffer.space] -= buffer.bytes();
}

/// Checks that a buffer fits. Each core has a buffer of its own if that is allocated within a loop
/// over cores. A buffer in L1 that is allocated outside of one is distributed over all cores.
void MachineRun::checkCapacity(int site, const MachineBuffer &buffer) {
  int64_t cores = spec.cores();
  const MachineMemory &memory = buffer.space == 1 ? spec.l2 : spec.l1;
  int64_t now = buffer.space == 1 ? ofBlock[1] + coreTrips * ofCore[1]
                                  : (ofBlock[2] + cores - 1) / cores + ofCore[2];
  peak[buffer.space] = std::max(peak[buffer.space], now);
  if (now <= memory.bytes)
    return;
  int64_t added = buffer.bytes();
  if (buffer.space == 1)
    added *= buffer.isOfCore ? coreTrips : 1;
  else if (!buffer.isOfCore)
    added = (added + cores - 1) / cores;
  fault(site, "capacity",
        fmt::format("does not fit: {} would hold {} bytes of {}, {} of them by this", memory.name,
                    now, memory.bytes, added),
        fmt::format("choose smaller tiles or one buffer instead of two; `{}` of {} says what there "
                    "is",
                    "memories", spec.name.value));
}

void MachineRun::checkOperands(int site, llvm::ArrayRef<BufferView> views) {
  for (const BufferView &view : views)
    if (view.buffer->space != 2)
      fault(site, "operand",
            fmt::format("computes on an operand in {}: {}", memoryName(view.buffer->space),
                        sites.elementText(view.buffer->site, view.offset)),
            "a core reaches its own L1 only: copy the operand there");
}

// --------------------------------------------------------------------------------------- time

std::string MachineRun::arrayName() const {
  return spec.blocks() == 1 ? "" : fmt::format("block {} ", array);
}

/// "1,0": where the core is in the grid.
static std::string coreName(const MachineSpec &spec, int64_t core) {
  std::vector<int64_t> at(spec.coreGrid.size());
  for (size_t d = at.size(); d-- > 0;) {
    at[d] = core % spec.coreGrid[d];
    core /= spec.coreGrid[d];
  }
  return fmt::format("{}", fmt::join(at, ","));
}

int MachineRun::queueOfL3() {
  int &queue = queues[core < 0 ? -1 - array : coreNumber()].l3;
  if (queue < 0)
    queue = engines.addQueue(0);
  return queue;
}

/// Outside of loops over cores, what L2 moves within itself is a DMA of its own.
int MachineRun::queueOfDma() {
  int &queue = queues[core < 0 ? -1 - array : coreNumber()].dma;
  if (queue < 0)
    queue = engines.addQueue(
        engines.addEngine(arrayName() + (core < 0 ? "DMA of L2" : "DMA " + coreName(spec, core))));
  return queue;
}

int MachineRun::queueOfUnit() {
  int &queue = queues[coreNumber()].unit;
  if (queue < 0)
    queue = engines.addQueue(engines.addEngine(arrayName() + "core " + coreName(spec, core)));
  return queue;
}

void MachineRun::order(int site, int queue, double cycles, llvm::ArrayRef<BufferView> inputs,
                       llvm::ArrayRef<BufferView> outputs) {
  llvm::SmallVector<Engines::Order, 16> after;
  auto regionsOf = [](const BufferView &view) {
    BufferOrders::RegionList list = view.buffer->regions->regionsOf(view);
    view.buffer->orders->follow(*view.buffer->regions);
    return list;
  };
  auto isWritten = [](const BufferView &view) { return view.buffer->isWritten; };
  auto read = llvm::make_filter_range(inputs, isWritten); // nobody waits for the others
  for (const BufferView &view : read)
    view.buffer->orders->awaitWriters(regionsOf(view), after);
  for (const BufferView &view : outputs)
    view.buffer->orders->awaitAll(regionsOf(view), after);
  // Those of the same queue are done before in any case.
  llvm::erase_if(
      after, [&](Engines::Order order) { return order == 0 || engines.queueOf(order) == queue; });
  llvm::sort(after);
  after.erase(std::unique(after.begin(), after.end()), after.end());
  Engines::Order mine = engines.add(queue, cycles, after);
  orderSites.push_back(site);
  for (const BufferView &view : read)
    view.buffer->orders->read(regionsOf(view), queue, mine);
  for (const BufferView &view : outputs)
    view.buffer->orders->write(regionsOf(view), mine);
}

double MachineRun::productsPerCycle(int site, Number type) {
  // Truth values are bytes.
  std::string name = type == Number::i1 ? "i8" : nameOf(type);
  auto entry = spec.productsPerCycle.find(name);
  if (entry != spec.productsPerCycle.end())
    return entry->second;
  fault(site, "speed", "computes with " + name + ", for which the machine has no speed",
        "add '" + name + "' to 'products_per_cycle' of " + spec.name.value);
  return 1;
}

// --------------------------------------------------------------------------------------- work

void MachineRun::transfer(int site, const BufferView &from, const BufferView &to) {
  int64_t a = from.buffer->space, b = to.buffer->space, bytes = to.bytes();
  if (bytes == 0)
    return;
  Traffic &traffic = counts.traffic[a][b];
  bool isFar = a == 0 || b == 0;
  double cycles =
      static_cast<double>(bytes) / (isFar ? spec.l3BytesPerCycle : spec.l2BytesPerCycle);
  if (isFar && a == b)
    cycles *= 2; // out of L3 and back in
  traffic.bytes += bytes;
  ++traffic.transfers;
  traffic.busyCycles += cycles;
  order(site, isFar ? queueOfL3() : queueOfDma(), cycles, from, to);
  access(site, from, to, a < b, false);
}

void MachineRun::fill(int site, const BufferView &to) {
  if (to.elements() == 0)
    return;
  Fills &fills = counts.fills[to.buffer->space];
  fills.bytes += to.bytes();
  ++fills.count;
  // Into L3 and L2 a DMA writes zeros on the way, beside what it moves.
  if (to.buffer->space != 2 || core < 0)
    order(site, to.buffer->space == 0 || core < 0 ? queueOfL3() : queueOfDma(), 0, {}, to);
  else
    order(site, queueOfUnit(),
          static_cast<double>(to.elements()) / productsPerCycle(site, to.buffer->number), {}, to);
  access(site, {}, to, false, true);
}

void MachineRun::compute(int site, llvm::ArrayRef<BufferView> inputs,
                         llvm::ArrayRef<BufferView> outputs, int64_t points, Number speedType,
                         WorkKind work, int64_t windows) {
  if (points == 0)
    return;
  (work == WorkKind::other ? counts.elements : counts.products) += points;
  // A product of a matrix with itself can do with less.
  if (windows && inputs.size() > 1 && inputs[0].buffer != inputs[1].buffer)
    bounded[{speedType, windows}] += points;
  checkOperands(site, inputs);
  checkOperands(site, outputs);
  double cycles = static_cast<double>(points) / productsPerCycle(site, speedType);
  if (work != WorkKind::other)
    productCycles += cycles;
  if (core < 0)
    fault(site, "core", "computes outside of a loop over cores",
          "only cores compute: put it into an scf.forall on #gpu.thread");
  else
    order(site, queueOfUnit(), cycles, inputs, outputs);
  access(site, inputs, outputs, false, false);
}

} // namespace kgen
