// The bytes of a run as a file, for readers that take paths.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

/// Writes the bytes into the file of this process, which is removed when it ends. Returns its path.
inline const std::string &temporaryFile(const char *extension, const unsigned char *data,
                                        size_t size) {
  static const std::string path = std::filesystem::temp_directory_path() /
                                  ("kgen-fuzz-" + std::to_string(getpid()) + extension);
  static const int removesAtExit = std::atexit([] { std::remove(path.c_str()); });
  (void)removesAtExit;
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(data), size);
  return path;
}
