// See Sites.h.
#include "simulate/Sites.h"

#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Location.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace kgen {

SourceLoc locationOf(Location location) {
  SourceLoc where;
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    where = {file.getFilename().str(), file.getLine(), file.getColumn()};
  if (auto name = location->findInstanceOf<NameLoc>()) {
    where.node = name.getName().str();
    if (where.file.empty())
      where.file = "graph";
  }
  if (where.file.empty())
    where.file = "module";
  return where;
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

int Sites::add(Operation *op) {
  Site site{locationOf(op->getLoc()), op->getName().getStringRef().str(), "", {}};
  if (op->getNumResults() == 1)
    if (auto type = dyn_cast<MemRefType>(op->getResult(0).getType())) {
      site.type = "the " + typeText(type);
      site.shape = type.getShape().vec();
    }
  list.push_back(std::move(site));
  return static_cast<int>(list.size()) - 1;
}

int Sites::addArgument(Value argument, unsigned number) {
  auto type = cast<MemRefType>(argument.getType());
  list.push_back({locationOf(argument.getLoc()), "argument",
                  fmt::format("argument {}, a {}", number, typeText(type)), type.getShape().vec()});
  return static_cast<int>(list.size()) - 1;
}

std::string Sites::text(int site) const {
  const SourceLoc &where = list[site].where;
  return name(site) + (where.line ? fmt::format(", line {}", where.line) : "") +
         (where.node.empty() ? "" : fmt::format(" ('{}')", where.node));
}

std::string Sites::elementText(int site, int64_t element) const {
  const Site &memory = list[site];
  std::vector<int64_t> subscripts(memory.shape.size());
  for (size_t d = memory.shape.size(); d-- > 0;) {
    int64_t size = std::max<int64_t>(1, memory.shape[d]);
    subscripts[d] = element % size;
    element /= size;
  }
  std::string line = memory.where.line ? fmt::format(" of line {}", memory.where.line) : "";
  return fmt::format("[{}] of {}{}", fmt::join(subscripts, ", "), memory.type, line);
}

bool Faults::count(int site, const std::string &kind) { return ++list[{site, kind}].count == 1; }

void Faults::describe(int site, const std::string &kind, std::string message, std::string hint) {
  Fault &fault = list[{site, kind}];
  fault.message = std::move(message);
  fault.hint = std::move(hint);
}

void Faults::report(const Sites &sites, Diagnostics &diagnostics) const {
  for (const auto &[key, fault] : list) {
    std::string times = fault.count > 1 ? fmt::format("; {} times in all", fault.count) : "";
    diagnostics.error(sites.where(key.first), sites.name(key.first) + " " + fault.message + times,
                      fault.hint);
  }
}

} // namespace kgen
