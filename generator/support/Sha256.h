// The hash by which files are compared.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <memory>
#include <string>

struct evp_md_ctx_st; // OpenSSL's

namespace kgen {

/// The SHA-256 of bytes that are added in turn.
class Sha256 {
public:
  Sha256();
  void add(llvm::StringRef bytes);
  /// Returns the hash in hex; nothing may be added after that.
  std::string hex();

private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st *)> context;
};

/// Returns the SHA-256 of the bytes in hex.
std::string sha256(llvm::StringRef bytes);

} // namespace kgen
