// Zip archives made in memory.
#pragma once

#include <zlib.h>

#include <string>
#include <vector>

namespace kgen::test {

struct ZipMember {
  std::string name, contents;
  bool isDeflated = false;
};

inline std::string littleEndian(uint64_t number, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i)
    text += char(number >> (8 * i));
  return text;
}

inline std::string deflated(const std::string &contents) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, contents.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(contents.data()));
  stream.avail_in = uInt(contents.size());
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = uInt(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// With `isLarge` all sizes and offsets are in zip64's records.
inline std::string zipArchive(const std::vector<ZipMember> &members, bool isLarge = false) {
  std::string file, directory;
  for (const ZipMember &member : members) {
    std::string packed = member.isDeflated ? deflated(member.contents) : member.contents;
    std::string sizes =
        isLarge ? std::string(8, '\xff')
                : littleEndian(packed.size(), 4) + littleEndian(member.contents.size(), 4);
    std::string extra = isLarge ? littleEndian(1, 2) + littleEndian(24, 2) +
                                      littleEndian(member.contents.size(), 8) +
                                      littleEndian(packed.size(), 8) + littleEndian(file.size(), 8)
                                : "";
    auto checksum = crc32(0, reinterpret_cast<const Bytef *>(member.contents.data()),
                          uInt(member.contents.size()));
    std::string common = littleEndian(20, 2) + littleEndian(0, 2) +
                         littleEndian(member.isDeflated ? 8 : 0, 2) + littleEndian(0, 4) +
                         littleEndian(checksum, 4) + sizes + littleEndian(member.name.size(), 2) +
                         littleEndian(extra.size(), 2);
    directory += "PK\1\2" + littleEndian(20, 2) + common + std::string(10, '\0') +
                 (isLarge ? std::string(4, '\xff') : littleEndian(file.size(), 4)) + member.name +
                 extra;
    file += "PK\3\4" + common + member.name + extra + packed;
  }
  size_t offset = file.size(), count = members.size();
  file += directory;
  if (isLarge) {
    size_t end = file.size();
    file += "PK\6\6" + littleEndian(44, 8) + std::string(12, '\0') + littleEndian(count, 8) +
            littleEndian(count, 8) + littleEndian(directory.size(), 8) + littleEndian(offset, 8);
    file += "PK\6\7" + littleEndian(0, 4) + littleEndian(end, 8) + littleEndian(1, 4);
  }
  file += "PK\5\6" + littleEndian(0, 4);
  if (isLarge)
    return file + std::string(12, '\xff') + littleEndian(0, 2);
  return file + littleEndian(count, 2) + littleEndian(count, 2) +
         littleEndian(directory.size(), 4) + littleEndian(offset, 4) + littleEndian(0, 2);
}

} // namespace kgen::test
