#include "emit/ExternText.h"

#include "emit/Names.h"
#include "emit/Template.h"

#include <algorithm>

namespace kgen {
namespace {

constexpr char externSection[] = R"(

/* Functions that this library calls and does not contain: whoever links it defines them. What is said above of functions that
 * never print, allocate and so on holds as far as they keep to it.
 *
 * They return 0. After anything else, the graph's function returns @LIBRARY@_EXTERN_FAILED at once; its outputs are unspecified.
 * They are called by the thread that has called the graph's function and never by an executor's; where several threads call
 * graphs, they are in them at the same time, each with other tensors and another workspace. They must return: no longjmp, no
 * exceptions.
 *
 * Tensors are dense and row-major, aligned to their element type, and do not overlap; those without elements are NULL.
 * Inputs must not be written. All elements of outputs must be; what they were before is unspecified. The workspace is aligned to
 * 64 bytes, and its contents are unspecified; without one it is NULL, 0. No pointer is valid after the call. */
@functions@)";

constexpr char stubsTemplate[] = R"(
/* What the library @library@ calls, to begin from; kgen never writes over this file. @library@.h says what holds for these
 * functions:
 *
 *   kgen bench SPEC --link @library@_stubs.c */
#include "@library@.h"
@functions@)";

/// "int f(const float *x, ...)" with one parameter a line; the comments are their types.
std::string externPrototype(const LibraryInterface &library, const ExternInterface &function) {
  std::string text = "int " + function.symbol + "(";
  std::string indent(text.size(), ' ');
  std::vector<Parameter> parameters = externParameters(library, function);
  size_t width = 0;
  for (const Parameter &p : parameters)
    width = std::max(width, p.declaration().size());
  for (const Parameter &p : parameters)
    text += p.declaration() + "," + std::string(width + 1 - p.declaration().size(), ' ') + "/* " +
            p.type.str() + " */\n" + indent;
  return text + "void *workspace, size_t workspace_size)";
}

std::string workspaceText(const ExternInterface &function) {
  return function.workspaceBytes == 0
             ? "no workspace"
             : "a workspace of " + std::to_string(function.workspaceBytes) + " bytes";
}

/// The graphs that call the function.
std::string callers(const LibraryInterface &library, const ExternInterface &function) {
  std::string names;
  for (const GraphInterface &graph : library.graphs)
    if (std::count(graph.calls.begin(), graph.calls.end(), function.symbol) != 0)
      names += (names.empty() ? "" : ", ") + graph.name;
  return names;
}

std::string stub(const LibraryInterface &library, const ExternInterface &function) {
  std::string text = "\n/* With " + workspaceText(function) + ". */\n" +
                     externPrototype(library, function) + " {\n";
  for (const Parameter &p : externParameters(library, function))
    text += "  (void)" + p.name + ";\n";
  return text +
         "  (void)workspace;\n  (void)workspace_size;\n  return 1; /* not written yet */\n}\n";
}

} // namespace

std::string externDeclarations(const LibraryInterface &library) {
  if (library.externs.empty())
    return "";
  std::string functions;
  for (const ExternInterface &function : library.externs)
    functions += "\n/* Called by " + callers(library, function) + ", with " +
                 workspaceText(function) + ". */\n" + externPrototype(library, function) + ";\n";
  return fillTemplate(externSection,
                      {{"LIBRARY", upperCase(library.name)}, {"functions", functions}});
}

std::string emitStubs(const LibraryInterface &library) {
  std::string functions;
  for (const ExternInterface &function : library.externs)
    functions += stub(library, function);
  return fillTemplate(stubsTemplate, {{"library", library.name}, {"functions", functions}});
}

} // namespace kgen
