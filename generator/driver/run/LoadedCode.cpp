#include "driver/run/LoadedCode.h"

#include "codegen/ObjectCode.h"
#include "target/Architecture.h"
#include "target/HostCpu.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/TargetParser/Triple.h>

#include <cstring>
#include <set>
#include <utility>

using namespace llvm;

namespace kgen {

constexpr const char *linkedName = "linked"; ///< of what LinkedFiles has

struct LoadedCode::Linked {
  std::string messages; ///< of the linker
  std::unique_ptr<orc::LLJIT> jit;

  Expected<orc::ExecutorAddr> lookup(const std::string &symbol) {
    auto flags = orc::JITDylibLookupFlags::MatchAllSymbols;
    orc::JITDylibSearchOrder order = {{&jit->getMainJITDylib(), flags}};
    if (orc::JITDylib *outside = jit->getJITDylibByName(linkedName))
      order.push_back({outside, flags});
    auto found = jit->getExecutionSession().lookup(order, jit->mangleAndIntern(symbol));
    if (found)
      return found->getAddress();
    if (messages.empty())
      return found.takeError();
    consumeError(found.takeError()); // which only says that there was an error
    return createStringError(std::exchange(messages, ""));
  }

  std::set<std::string> callers; ///< functions that call
};

namespace {

/// One reservation for everything: code reaches its weights by 32-bit offsets.
Expected<std::unique_ptr<orc::ObjectLayer>> linkingLayer(orc::ExecutionSession &session,
                                                         size_t bytes) {
  auto memory =
      orc::MapperJITLinkMemoryManager::CreateWithMapper<orc::InProcessMemoryMapper>(bytes);
  if (!memory)
    return memory.takeError();
  return std::make_unique<orc::ObjectLinkingLayer>(session, std::move(*memory));
}

Expected<std::unique_ptr<orc::LLJIT>> makeJit(size_t bytes) {
  initializeTargets();
  orc::JITTargetMachineBuilder machine{Triple(hostTriple())};
  machine.setRelocationModel(Reloc::PIC_);
  auto jit = orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(machine))
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(orc::setUpInactivePlatform)
                 .setObjectLinkingLayerCreator([bytes](orc::ExecutionSession &session) {
                   return linkingLayer(session, bytes);
                 })
                 .create();
  if (!jit)
    return jit.takeError();
  return jit;
}

/// All that generated code may call (see auditSymbols), and what this caller offers.
Error defineHost(orc::LLJIT &jit,
                 const std::vector<std::pair<std::string, void *>> &hostFunctions) {
  orc::SymbolMap symbols;
  symbols[jit.mangleAndIntern("memcpy")] = orc::ExecutorSymbolDef::fromPtr(&std::memcpy);
  symbols[jit.mangleAndIntern("memset")] = orc::ExecutorSymbolDef::fromPtr(&std::memset);
  for (const auto &[name, function] : hostFunctions)
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                          JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
}

Error addFile(orc::LLJIT &jit, const std::string &path, const FileContents &contents) {
  Expected<std::string> object = contents.read();
  if (object && StringRef(path).ends_with(".s"))
    object = assemble(*object, hostTriple().str());
  if (!object)
    return object.takeError();
  return jit.addObjectFile(MemoryBuffer::getMemBufferCopy(*object, path));
}

/// In a library of their own, which sees what this process has: the C library, for example.
Error addLinked(orc::LLJIT &jit, const LinkedFiles &linked) {
  auto outside = jit.createJITDylib(linkedName);
  if (!outside)
    return outside.takeError();
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      jit.getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  outside->addGenerator(std::move(*process));
  orc::SymbolMap symbols;
  for (const auto &[name, address] : linked.addresses())
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                          JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  if (Error error = outside->define(orc::absoluteSymbols(std::move(symbols))))
    return error;
  for (const LinkedFiles::Object &object : linked.objects())
    if (Error error =
            jit.addObjectFile(*outside, MemoryBuffer::getMemBufferCopy(object.bytes, object.path)))
      return error;
  // Those that are hidden as well: a linker would find them.
  jit.getMainJITDylib().addToLinkOrder(*outside, orc::JITDylibLookupFlags::MatchAllSymbols);
  return Error::success();
}

std::string callerName(size_t arity, bool returnsStatus) {
  return (returnsStatus ? "kgen_call_status_" : "kgen_call_") + std::to_string(arity);
}

/// int kgen_call_<n>(function, pointers): calls with n pointers.
Error addCaller(orc::LLJIT &jit, size_t arity, bool returnsStatus) {
  std::string loads, arguments;
  for (size_t i = 0; i < arity; ++i) {
    std::string n = std::to_string(i);
    loads += "%p" + n + " = getelementptr ptr, ptr %pointers, i64 " + n + "\n%a" + n +
             " = load ptr, ptr %p" + n + "\n";
    arguments += (i ? ", ptr %a" : "ptr %a") + n;
  }
  std::string call = returnsStatus ? "%status = call i32 %function(" : "call void %function(",
              text = "define i32 @" + callerName(arity, returnsStatus) +
                     "(ptr %function, ptr %pointers) {\n" + loads + call + arguments +
                     ")\nret i32 " + (returnsStatus ? "%status" : "0") + "\n}\n";
  auto context = std::make_unique<LLVMContext>();
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(text, diagnostic, *context);
  if (!module)
    return createStringError("a function that calls " + std::to_string(arity) +
                             " pointers: " + diagnostic.getMessage());
  module->setDataLayout(jit.getDataLayout());
  module->setTargetTriple(Triple(hostTriple()));
  return jit.addIRModule(orc::ThreadSafeModule(std::move(module), std::move(context)));
}

} // namespace

LoadedCode::LoadedCode(std::unique_ptr<Linked> linked) : linked(std::move(linked)) {}
LoadedCode::LoadedCode(LoadedCode &&) noexcept = default;
LoadedCode::~LoadedCode() = default;

Expected<LoadedCode>
LoadedCode::load(const FileSet &files,
                 const std::vector<std::pair<std::string, void *>> &hostFunctions,
                 const LinkedFiles *linkedFiles) {
  size_t bytes = 16 << 20;
  for (const auto &[path, contents] : files)
    bytes += 2 * contents.size() + (64 << 10);
  if (linkedFiles)
    for (const LinkedFiles::Object &object : linkedFiles->objects())
      bytes += 2 * object.bytes.size() + (64 << 10);
  auto jit = makeJit(bytes);
  if (!jit)
    return jit.takeError();
  if (Error error = defineHost(**jit, hostFunctions))
    return error;
  if (linkedFiles)
    if (Error error = addLinked(**jit, *linkedFiles))
      return error;
  for (const auto &[path, contents] : files)
    if (StringRef(path).starts_with("objects/"))
      if (Error error = addFile(**jit, path, contents))
        return createStringError(path + ": " + toString(std::move(error)));
  auto linked = std::make_unique<Linked>();
  linked->jit = std::move(*jit);
  linked->jit->getExecutionSession().setErrorReporter([linked = linked.get()](Error error) {
    linked->messages += (linked->messages.empty() ? "" : "; ") + toString(std::move(error));
  });
  return LoadedCode(std::move(linked));
}

Expected<LoadedFunction> LoadedCode::function(const std::string &symbol, size_t arguments,
                                              bool returnsStatus) {
  std::string name = callerName(arguments, returnsStatus);
  if (linked->callers.insert(name).second)
    if (Error error = addCaller(*linked->jit, arguments, returnsStatus))
      return error;
  auto function = linked->lookup(symbol);
  if (!function)
    return function.takeError();
  auto caller = linked->lookup(name);
  if (!caller)
    return caller.takeError();
  LoadedFunction loaded;
  loaded.caller = caller->toPtr<int (*)(void *, void *const *)>();
  loaded.function = function->toPtr<void *>();
  return loaded;
}

Error LoadedCode::call(const std::string &symbol, const std::vector<void *> &arguments) {
  Expected<LoadedFunction> loaded = function(symbol, arguments.size());
  if (!loaded)
    return loaded.takeError();
  (*loaded)(arguments.data());
  return Error::success();
}

Expected<const void *> LoadedCode::address(const std::string &symbol) {
  auto address = linked->lookup(symbol);
  if (!address)
    return address.takeError();
  return address->toPtr<const void *>();
}

std::vector<std::string> missingOnHost(const std::vector<std::string> &features) {
  return hostCpu().missing(features);
}

bool hostSupports(const std::vector<std::string> &features) {
  return missingOnHost(features).empty();
}

} // namespace kgen
