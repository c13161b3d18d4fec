// The targets of a library that names none: one decision for specs, models and what is imported.
#pragma once

#include "graph/Graph.h"
#include "target/Architecture.h"

namespace kgen {

/// Returns what the graphs multiply and add up.
ProductTypes productTypesOf(llvm::ArrayRef<Graph> graphs);

/// Returns the targets that suit what the graphs compute, for `architecture`; null: for the one
/// that kgen runs on, or else for the first one that it knows.
std::vector<DefaultTarget> defaultTargets(llvm::ArrayRef<Graph> graphs,
                                          const Architecture *architecture = nullptr);

/// Returns what code for such products would use of `cpu` and `other` lacks, as a noun: "dot
/// products of bytes, as in 'conv1'". Empty if there is nothing.
std::string usedAdvantage(const Cpu &cpu, const Cpu &other, const ProductTypes &products);

/// "x86-64-v2, x86-64-v3, x86-64-v4: every library", and a line for each further reason.
std::vector<std::string> describe(llvm::ArrayRef<DefaultTarget> targets);

} // namespace kgen
