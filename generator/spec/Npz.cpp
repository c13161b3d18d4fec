// The zip format as PKWARE's APPNOTE.TXT 6.3 describes it: the files, the directory, and a record
// at the end that says where the directory is. Sizes from 4 GiB on and counts from 65535 on are in
// additional records ("zip64").
#include "spec/Npz.h"

#include "spec/Yaml.h"
#include "support/TensorLimits.h"

#include <llvm/Support/Endian.h>

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace kgen {
namespace {

using llvm::StringRef;

constexpr uint32_t localSignature = 0x04034b50, directorySignature = 0x02014b50,
                   endSignature = 0x06054b50, end64Signature = 0x06064b50,
                   locator64Signature = 0x07064b50;
constexpr size_t localBytes = 30, directoryBytes = 46, endBytes = 22, end64Bytes = 56,
                 locator64Bytes = 20; ///< of records, without their names
constexpr size_t maxComment = 65535;
constexpr uint16_t extra64 = 1; ///< the identifier of an extra field with large numbers
constexpr uint16_t encryptedFlag = 1, methodStored = 0, methodDeflated = 8;
constexpr uint64_t maxDeflateRatio = 1032; ///< a match of 258 bytes takes 2 bits

llvm::Error refusal(const std::string &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

uint16_t number16(StringRef bytes, size_t at) {
  return llvm::support::endian::read16le(bytes.data() + at);
}
uint32_t number32(StringRef bytes, size_t at) {
  return llvm::support::endian::read32le(bytes.data() + at);
}
uint64_t number64(StringRef bytes, size_t at) {
  return llvm::support::endian::read64le(bytes.data() + at);
}

/// Bytes [offset, offset + count), if the file has them.
std::optional<StringRef> slice(StringRef file, uint64_t offset, uint64_t count) {
  if (offset > file.size() || count > file.size() - offset)
    return std::nullopt;
  return file.substr(offset, count);
}

/// A record of that size, with its signature.
std::optional<StringRef> record(StringRef file, uint64_t offset, size_t count, uint32_t signature) {
  std::optional<StringRef> bytes = slice(file, offset, count);
  return bytes && number32(*bytes, 0) == signature ? bytes : std::nullopt;
}

/// Returns where the record at the end is: only its comment may follow.
std::optional<size_t> findEnd(StringRef file) {
  for (size_t comment = 0; comment <= maxComment && comment + endBytes <= file.size(); ++comment) {
    size_t at = file.size() - endBytes - comment;
    if (number32(file, at) == endSignature && number16(file, at + 20) == comment)
      return at;
  }
  return std::nullopt;
}

/// The extra field of large numbers; empty if there is none.
StringRef largeNumbers(StringRef extra) {
  while (extra.size() >= 4) {
    uint16_t identifier = number16(extra, 0), size = number16(extra, 2);
    extra = extra.drop_front(4);
    if (size > extra.size())
      return "";
    if (identifier == extra64)
      return extra.take_front(size);
    extra = extra.drop_front(size);
  }
  return "";
}

/// Replaces a number that says that the large one counts. Returns whether that one is there.
bool enlarge(uint64_t &number, StringRef &large) {
  if (number != std::numeric_limits<uint32_t>::max())
    return true;
  if (large.size() < 8)
    return false;
  number = number64(large, 0);
  large = large.drop_front(8);
  return true;
}

/// Fills `result`, which has the size that the directory promises.
bool inflateAll(StringRef packed, std::string &result) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) // negative: deflate's data without a header
    return false;
  auto *input = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
  auto *output = reinterpret_cast<Bytef *>(result.data());
  constexpr size_t most = std::numeric_limits<uInt>::max();
  size_t taken = 0, made = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    uInt in = static_cast<uInt>(std::min(most, packed.size() - taken)),
         out = static_cast<uInt>(std::min(most, result.size() - made));
    stream.next_in = input + taken;
    stream.avail_in = in;
    stream.next_out = output + made;
    stream.avail_out = out;
    status = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += out - stream.avail_out;
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && made == result.size() && taken == packed.size();
}

} // namespace

llvm::Expected<NpzArchive::Directory> NpzArchive::findDirectory() const {
  std::optional<size_t> end = findEnd(file);
  if (!end)
    return refusal(file.starts_with("\x93NUMPY")
                       ? "it is a .npy file, not a .npz archive; numpy.savez writes one"
                       : "it is not a .npz file, or truncated (the zip archive has no end)");
  Directory directory{number32(file, *end + 16), number32(file, *end + 12),
                      number16(file, *end + 10)};
  bool isLarge = directory.offset == std::numeric_limits<uint32_t>::max() ||
                 directory.bytes == std::numeric_limits<uint32_t>::max() ||
                 directory.count == std::numeric_limits<uint16_t>::max();
  if (!isLarge || *end < locator64Bytes)
    return directory;
  auto locator = record(file, *end - locator64Bytes, locator64Bytes, locator64Signature);
  if (!locator)
    return directory; // these are the numbers themselves
  auto end64 = record(file, number64(*locator, 8), end64Bytes, end64Signature);
  if (!end64)
    return refusal("its zip64 record is not where it should be");
  return Directory{number64(*end64, 48), number64(*end64, 40), number64(*end64, 32)};
}

llvm::Error NpzArchive::readMember(StringRef &directory) {
  std::optional<StringRef> entry = record(directory, 0, directoryBytes, directorySignature);
  if (!entry)
    return refusal("its directory is malformed");
  size_t nameBytes = number16(*entry, 28), extraBytes = number16(*entry, 30),
         commentBytes = number16(*entry, 32);
  Member member{number16(*entry, 8),  number16(*entry, 10), number32(*entry, 16),
                number32(*entry, 20), number32(*entry, 24), number32(*entry, 42)};
  std::optional<StringRef> texts =
      slice(directory, directoryBytes, nameBytes + extraBytes + commentBytes);
  if (!texts)
    return refusal("its directory is malformed");
  directory = directory.drop_front(directoryBytes + texts->size());
  StringRef name = texts->take_front(nameBytes);
  name.consume_back(".npy");
  StringRef large = largeNumbers(texts->substr(nameBytes, extraBytes));
  for (uint64_t *number : {&member.bytes, &member.packedBytes, &member.offset})
    if (!enlarge(*number, large))
      return refusal("its directory lacks the size of " + quoteText(name));
  if (!members.try_emplace(name.str(), member).second)
    return refusal("it has two arrays " + quoteText(name));
  return llvm::Error::success();
}

llvm::Expected<NpzArchive> NpzArchive::parse(StringRef file) {
  NpzArchive archive(file);
  llvm::Expected<Directory> directory = archive.findDirectory();
  if (!directory)
    return directory.takeError();
  std::optional<StringRef> bytes = slice(file, directory->offset, directory->bytes);
  if (!bytes)
    return refusal("its directory is not within the file");
  StringRef rest = *bytes;
  for (uint64_t i = 0; i < directory->count; ++i)
    if (llvm::Error error = archive.readMember(rest))
      return error;
  return archive;
}

std::vector<std::string> NpzArchive::names() const {
  std::vector<std::string> list;
  for (const auto &[name, member] : members)
    list.push_back(name);
  return list;
}

/// The member's bytes as the file has them, after a header of their own.
llvm::Expected<StringRef> NpzArchive::packed(const Member &member) const {
  std::optional<StringRef> local = record(file, member.offset, localBytes, localSignature);
  if (!local)
    return refusal("it is not where the directory says");
  uint64_t names = number16(*local, 26) + uint64_t(number16(*local, 28));
  std::optional<StringRef> data =
      slice(file, member.offset + localBytes + names, member.packedBytes);
  if (!data)
    return refusal("it is truncated");
  return *data;
}

llvm::Expected<FileTensor> NpzArchive::read(const std::string &name, std::string &storage) const {
  auto found = members.find(name);
  if (found == members.end())
    return refusal("there is no such array");
  const Member &member = found->second;
  if (member.flags & encryptedFlag)
    return refusal("it is encrypted");
  llvm::Expected<StringRef> data = packed(member);
  if (!data)
    return data.takeError();
  if (member.method == methodDeflated) {
    if (member.bytes / maxDeflateRatio > data->size() || member.bytes > maxTensorBytes)
      return refusal("it cannot have the size that the directory says");
    storage.resize(member.bytes);
    if (!inflateAll(*data, storage))
      return refusal("its compressed data are damaged");
    data = StringRef(storage);
  } else if (member.method != methodStored) {
    return refusal("it is compressed by a method (zip's " + std::to_string(member.method) +
                   ") that is not NumPy's; numpy.savez and numpy.savez_compressed write stored and "
                   "deflated ones");
  }
  if (data->size() != member.bytes)
    return refusal("its size is not what the directory says");
  if (crc32_z(0, reinterpret_cast<const Bytef *>(data->data()), data->size()) != member.checksum)
    return refusal("its checksum is wrong: the file is damaged");
  return readNpy(*data);
}

} // namespace kgen
