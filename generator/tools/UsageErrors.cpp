#include "tools/UsageErrors.h"

#include "driver/load/Load.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace kgen {
namespace {

std::vector<std::string> commandNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

/// Returns what was meant by a word that is no command; "" if nobody knows.
std::string meaning(llvm::StringRef word, llvm::StringRef next,
                    const std::vector<std::string> &commands) {
  if (word == "help")
    return llvm::is_contained(commands, next) ? ("kgen " + next + " --help").str() : "kgen --help";
  if (word == "version")
    return "kgen --version";
  for (const char *ending : {".onnx", ".mlir", ".yaml", ".yml"})
    if (word.ends_with(ending))
      return ("kgen generate " + word).str();
  return "";
}

} // namespace

std::string checkCommand(const CLI::App &app, int argc, char **argv) {
  const std::string name = argc > 1 ? argv[1] : "-";
  const std::vector<std::string> names = commandNames(app);
  if (llvm::StringRef(name).starts_with("-") || llvm::is_contained(names, name))
    return "";
  const std::string meant = meaning(name, argc > 2 ? argv[2] : "", names);
  return "there is no command '" + name + "'" +
         (meant.empty() ? didYouMean(name, names) : ": expected '" + meant + "'") + "; there are " +
         llvm::join(names, ", ");
}

std::string unexpectedArguments(const CLI::App &app) {
  for (const CLI::App *command : app.get_subcommands()) {
    const std::vector<std::string> rest = command->remaining();
    if (rest.empty())
      continue;
    std::vector<std::string> known;
    for (const CLI::Option *option : command->get_options())
      for (const std::string &name : option->get_lnames())
        known.push_back("--" + name);
    auto option = llvm::find_if(
        rest, [](const std::string &word) { return llvm::StringRef(word).starts_with("--"); });
    return "'" + command->get_name() + "' does not take '" + llvm::join(rest, " ") + "'" +
           (option == rest.end() ? "" : didYouMean(option->substr(0, option->find('=')), known)) +
           "; `kgen " + command->get_name() + " --help` lists what it takes";
  }
  return "unexpected arguments";
}

void addExamples(CLI::App &app, const std::string &examples, const std::string &exitCodes) {
  app.footer("\nExample:\n" + examples + "\n" + exitCodes);
  for (const std::string &name : commandNames(app)) {
    CLI::App *command = app.get_subcommand(name);
    if (!command->get_footer().empty())
      continue;
    std::string own;
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(examples).split(lines, '\n');
    for (llvm::StringRef line : lines)
      if (line.trim().starts_with("kgen " + name + " "))
        own += line.str() + "\n";
    command->footer((own.empty() ? "" : "\nExample:\n" + own) + "\n" + exitCodes);
  }
}

} // namespace kgen
