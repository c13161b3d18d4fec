#include "RandomNumbers.h"

#include <openssl/evp.h>

#include <algorithm>
#include <stdexcept>

namespace kgen::tests {
namespace {

constexpr size_t stateWords = 624;

/// The text and its SHA-512 as one number, whose digits of 32 bits are the key, the lowest first.
std::vector<uint32_t> keyOf(std::string seed) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (!EVP_Digest(seed.data(), seed.size(), digest, &size, EVP_sha512(), nullptr))
    throw std::runtime_error("SHA-512 failed");
  seed.append(reinterpret_cast<const char *>(digest), size);
  std::vector<uint32_t> key((seed.size() + 3) / 4);
  for (size_t i = 0; i < seed.size(); ++i)
    key[i / 4] |= uint32_t(static_cast<unsigned char>(seed[seed.size() - 1 - i])) << i % 4 * 8;
  return key;
}

std::vector<uint32_t> initialState(uint32_t seed) {
  std::vector<uint32_t> state(stateWords);
  state[0] = seed;
  for (uint32_t i = 1; i < stateWords; ++i)
    state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
  return state;
}

uint32_t twisted(uint32_t upper, uint32_t lower) {
  uint32_t mixed = (upper & 0x80000000u) | (lower & 0x7fffffffu);
  return mixed >> 1 ^ (mixed & 1 ? 0x9908b0dfu : 0);
}

} // namespace

/// init_by_array of the authors' mt19937ar.c.
RandomNumbers::RandomNumbers(const std::string &seed)
    : state(initialState(19650218u)), next(stateWords) {
  const std::vector<uint32_t> key = keyOf(seed);
  size_t at = 1, inKey = 0;
  auto advance = [&] {
    if (++at == stateWords) {
      state[0] = state[stateWords - 1];
      at = 1;
    }
  };
  auto mixed = [&](uint32_t factor) {
    return state[at] ^ (state[at - 1] ^ state[at - 1] >> 30) * factor;
  };
  for (size_t step = std::max(stateWords, key.size()); step > 0; --step) {
    state[at] = mixed(1664525u) + key[inKey] + static_cast<uint32_t>(inKey);
    inKey = (inKey + 1) % key.size();
    advance();
  }
  for (size_t step = stateWords - 1; step > 0; --step) {
    state[at] = mixed(1566083941u) - static_cast<uint32_t>(at);
    advance();
  }
  state[0] = 0x80000000u;
}

void RandomNumbers::refill() {
  constexpr size_t distance = 397;
  for (size_t i = 0; i < stateWords; ++i)
    state[i] = state[(i + distance) % stateWords] ^ twisted(state[i], state[(i + 1) % stateWords]);
  next = 0;
}

uint32_t RandomNumbers::word() {
  if (next == stateWords)
    refill();
  uint32_t y = state[next++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}

double RandomNumbers::real() {
  double upper = word() >> 5, lower = word() >> 6; // of 53 bits
  return (upper * 0x1p26 + lower) / 0x1p53;
}

uint64_t RandomNumbers::bits(unsigned count) {
  if (count <= 32)
    return word() >> (32 - count);
  uint64_t lower = word();
  return lower | static_cast<uint64_t>(word() >> (64 - count)) << 32;
}

int64_t RandomNumbers::integer(int64_t low, int64_t high) {
  uint64_t size = static_cast<uint64_t>(high) - static_cast<uint64_t>(low), drawn;
  if (high <= low)
    throw std::runtime_error("a range of random integers is empty");
  unsigned count = 64 - static_cast<unsigned>(__builtin_clzll(size));
  do
    drawn = bits(count);
  while (drawn >= size);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + drawn);
}

} // namespace kgen::tests
