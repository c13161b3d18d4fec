// See StepProgram.h.
#include "simulate/StepProgram.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

void StepBlock::run(Execution &execution) const {
  execution.enterScope();
  for (const std::unique_ptr<Step> &step : steps)
    step->run(execution);
  execution.leaveScope(viewsLeave);
}

Execution::Execution(const StepProgram &program, MachineRun *machine, bool withData)
    : scalars(program.scalarCount), views(program.viewCount), machine(machine), withData(withData),
      released(program.sites.size()), scopes(1) {
  for (const GivenBuffer &given : program.given) {
    int64_t elements = 1;
    for (int64_t size : given.shape)
      elements *= size;
    MachineBuffer *buffer = allocate(given.site, 0, given.number, elements, given.isWritten);
    views[given.view] = wholeView(buffer, given.shape);
    if (withData && !given.data.empty())
      buffer->data = given.data;
    if (machine && given.isWritten && !given.isUndefined) // as the caller left it
      buffer->isGiven = true;
  }
}

MachineBuffer *Execution::allocate(int site, int64_t space, Number number, int64_t elements,
                                   bool isWritten) {
  MachineBuffer *buffer = nullptr;
  std::vector<MachineBuffer *> &candidates = released[site];
  if (!candidates.empty() && candidates.back()->elements == elements) {
    buffer = candidates.back();
    candidates.pop_back();
    buffer->accesses.clear();
  } else {
    buffers.emplace_back();
    buffer = &buffers.back();
    buffer->space = space;
    buffer->number = number;
    buffer->elements = elements;
    buffer->isWritten = isWritten;
    buffer->site = site;
    if (withData)
      buffer->data.resize(static_cast<size_t>(buffer->bytes()));
  }
  scopes.back().push_back(buffer);
  if (machine)
    machine->allocate(site, *buffer);
  return buffer;
}

void Execution::recycle(MachineBuffer *buffer) {
  if (machine)
    machine->release(*buffer);
  released[buffer->site].push_back(buffer);
}

void Execution::leaveScope(bool viewsLeave) {
  std::vector<MachineBuffer *> ended = std::move(scopes.back());
  scopes.pop_back();
  if (viewsLeave && !scopes.empty())
    scopes.back().insert(scopes.back().end(), ended.begin(), ended.end());
  else
    for (MachineBuffer *buffer : ended)
      recycle(buffer);
}

void Execution::release(MachineBuffer *buffer) {
  auto found = llvm::find(scopes.back(), buffer);
  if (found == scopes.back().end())
    return;
  scopes.back().erase(found);
  recycle(buffer);
}

} // namespace kgen
