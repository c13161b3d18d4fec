// #kgen.target as the cost model sees it.
#include "dialect/kgen/Kgen.h"

#include "target/Architecture.h"

using namespace mlir;

namespace kgen {
namespace {

std::optional<double> numberOf(Attribute attribute) {
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return static_cast<double>(integer.getInt());
  return std::nullopt;
}

/// Returns what the target's features allow, as the back end of its triple says; nothing for other
/// triples.
Capabilities capabilitiesOf(TargetAttr target) {
  std::set<std::string> features;
  for (StringRef feature : llvm::split(target.getFeatures(), ','))
    if (feature.consume_front("+"))
      features.insert(feature.str());
  const Architecture *architecture = architectureOf(target.getTriple());
  return architecture ? architecture->capabilities(features, target.getVectorBits())
                      : Capabilities();
}

/// Unknown names are left out: TargetAttr::verify refuses them.
Cpu makeCpu(TargetAttr target) {
  Cpu cpu;
  static_cast<Capabilities &>(cpu) = capabilitiesOf(target);
  cpu.vectorBits = target.getVectorBits();
  cpu.vectorRegisters = target.getVectorRegisters();
  cpu.l1dBytes = target.getL1d();
  cpu.l2Bytes = target.getL2();
  for (const FactEntry &fact : factEntries())
    if (auto stated = target.getFacts().getAs<IntegerAttr>(fact.name))
      cpu.*fact.member = stated.getInt();
  for (NamedAttribute kind : target.getGemmTiles())
    if (auto sizes = dyn_cast<DictionaryAttr>(kind.getValue()))
      for (NamedAttribute size : sizes)
        if (auto number = dyn_cast<IntegerAttr>(size.getValue()))
          cpu.gemmTiles[kind.getName().str()][size.getName().str()] = number.getInt();
  for (NamedAttribute cost : target.getReciprocalThroughput())
    if (std::optional<double> cycles = numberOf(cost.getValue()))
      cpu.costs[cost.getName().str()] = *cycles;
  for (NamedAttribute stated : target.getHeuristics()) {
    const HeuristicEntry *entry = findHeuristic(stated.getName().str());
    std::optional<double> value = numberOf(stated.getValue());
    if (entry && value)
      entry->set(cpu.heuristics, *value);
  }
  return cpu;
}

} // namespace

const Cpu &KgenDialect::cpuOf(TargetAttr target) {
  std::lock_guard lock(mutex);
  auto [known, isNew] = cpus.try_emplace(target.getAsOpaquePointer());
  if (isNew)
    known->second = makeCpu(target);
  return known->second;
}

const Cpu &TargetAttr::cpu() const { return static_cast<KgenDialect &>(getDialect()).cpuOf(*this); }

TargetAttr TargetAttr::withFeatures(StringRef features) const {
  return get(getContext(), getName(), getTriple(), features, getTune(), getVectorBits(),
             getVectorRegisters(), getL1d(), getL2(), getGemmTiles(), getReciprocalThroughput(),
             getFacts(), getHeuristics());
}

Element elementOf(Type type) {
  if (type.isBF16())
    return Element::bf16;
  if (type.isF16())
    return Element::f16;
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type))
    return bits > 32 ? Element::f64 : Element::f32;
  return bits > 32   ? Element::i64
         : bits > 16 ? Element::i32
         : bits > 8  ? Element::i16
                     : Element::i8;
}

double TargetAttr::cost(StringRef instruction) const { return costOf(cpu(), instruction.str()); }

double TargetAttr::productCost(ProductForm form, Type a, Type b) const {
  return kgen::productCost(cpu(), form, elementOf(a), elementOf(b));
}

bool TargetAttr::prefersF16Accumulate(Type a, Type b) const {
  return kgen::prefersF16Accumulate(cpu(), elementOf(a), elementOf(b));
}

ProductForm TargetAttr::vectorProductForm(Type a, Type b) const {
  return kgen::vectorProductForm(cpu(), elementOf(a), elementOf(b));
}

ProductForm TargetAttr::productForm(Type a, Type b) const {
  return kgen::productForm(cpu(), elementOf(a), elementOf(b));
}

int64_t TargetAttr::packedDepth(Type a, Type b, bool strictOrder) const {
  return kgen::packedDepth(cpu(), elementOf(a), elementOf(b), strictOrder);
}

bool TargetAttr::readsPackedDepth(Type a, Type b, int64_t depth) const {
  return depth == vnniFactor(elementOf(b)) ||
         matrixProduct(cpu(), elementOf(a), elementOf(b), depth);
}

int64_t TargetAttr::gemmTileSize(StringRef table, StringRef name, int64_t otherwise) const {
  auto sizes = getGemmTiles().getAs<DictionaryAttr>(table);
  auto number = sizes ? sizes.getAs<IntegerAttr>(name) : IntegerAttr();
  return number ? number.getInt() : otherwise;
}

GemmBlocking TargetAttr::gemmBlocking(Type a, Type b, int64_t m, int64_t n, int64_t k, bool packed,
                                      bool mayUseTiles, bool f16Accumulate, int64_t depth) const {
  return kgen::gemmBlocking(
      cpu(), {elementOf(a), elementOf(b), m, n, k, packed, mayUseTiles, f16Accumulate, depth});
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef, StringRef,
                                 StringRef, StringRef, int64_t, int64_t, int64_t, int64_t,
                                 DictionaryAttr, DictionaryAttr, DictionaryAttr facts,
                                 DictionaryAttr heuristics) {
  for (NamedAttribute fact : facts)
    if (!isa<IntegerAttr>(fact.getValue()) ||
        llvm::none_of(factEntries(),
                      [&](const FactEntry &known) { return fact.getName() == known.name; }))
      return emitError() << "expected a fact of the cost model and an integer, found "
                         << fact.getName() << " = " << fact.getValue();
  for (NamedAttribute stated : heuristics)
    if (!numberOf(stated.getValue()) || !findHeuristic(stated.getName().str()))
      return emitError() << "expected a heuristic of the cost model and a number, found "
                         << stated.getName() << " = " << stated.getValue();
  return success();
}

} // namespace kgen
