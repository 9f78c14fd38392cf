// signing.cpp - see signing.hpp. With SHA-256 (FIPS 180-4), of which a signature is the beginning.
#include "px4_hil/signing.hpp"

#include <algorithm>
#include <cstring>

namespace px4_hil {
namespace {

class Sha256 {
  public:
    void add(const unsigned char* data, std::size_t size) noexcept {
        for (std::size_t i = 0; i < size; ++i) {
            block_[length_++ % sizeof block_] = data[i];
            if (length_ % sizeof block_ == 0) compress();
        }
    }

    std::array<unsigned char, 32> finish() noexcept {
        const std::uint64_t bits = length_ * 8;
        constexpr unsigned char one = 0x80, zero = 0;
        add(&one, 1);
        while (length_ % sizeof block_ != 56) add(&zero, 1);
        unsigned char count[8];
        for (unsigned i = 0; i < 8; ++i) count[i] = static_cast<unsigned char>(bits >> (56 - 8 * i) & 0xFF);
        add(count, sizeof count);
        std::array<unsigned char, 32> hash{};
        for (unsigned i = 0; i < 32; ++i)
            hash[i] = static_cast<unsigned char>(state_[i / 4] >> (24 - 8 * (i % 4)) & 0xFF);
        return hash;
    }

  private:
    static std::uint32_t rotated(std::uint32_t x, unsigned by) noexcept { return x >> by | x << (32 - by); }

    void compress() noexcept {
        std::uint32_t w[64];
        for (unsigned i = 0; i < 16; ++i) {
            const unsigned char* const b = block_ + std::size_t{4} * i;
            w[i] = std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
        }
        for (unsigned i = 16; i < 64; ++i) {
            const std::uint32_t s0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
            const std::uint32_t s1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        std::uint32_t v[8];
        std::copy(std::begin(state_), std::end(state_), v);
        for (unsigned i = 0; i < 64; ++i) {
            const std::uint32_t s1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25);
            const std::uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
            const std::uint32_t one = v[7] + s1 + choice + constants[i] + w[i];
            const std::uint32_t s0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22);
            const std::uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            std::copy_backward(v, v + 7, v + 8);
            v[4] += one;
            v[0] = one + s0 + majority;
        }
        for (unsigned i = 0; i < 8; ++i) state_[i] += v[i];
    }

    static constexpr std::uint32_t constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

    std::uint32_t state_[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char block_[64] = {};
    std::uint64_t length_ = 0;  // bytes
};

constexpr std::size_t time_size = 6;
constexpr std::size_t hash_size = 6;  // that are sent

/// Of the key, the frame, and the link and time behind it.
std::array<unsigned char, 32> hash_of(const SigningKey& key, const unsigned char* frame,
                                      std::size_t size) noexcept {
    Sha256 hash;
    hash.add(key.data(), key.size());
    hash.add(frame, size + 1 + time_size);
    return hash.finish();
}

}  // namespace

void write_signature(Signer& signer, unsigned char* frame, std::size_t size) noexcept {
    unsigned char* to = frame + size;
    *to++ = signer.link;
    for (unsigned i = 0; i < time_size; ++i)
        *to++ = static_cast<unsigned char>(signer.timestamp >> (8 * i) & 0xFF);
    ++signer.timestamp;
    const auto hash = hash_of(signer.key, frame, size);
    std::memcpy(to, hash.data(), hash_size);
}

bool SignatureCheck::accepts(const unsigned char* frame, std::size_t size) noexcept {
    constexpr std::uint64_t minute = 6000000;
    const unsigned char* const link = frame + size;
    if (std::memcmp(hash_of(key_, frame, size).data(), link + 1 + time_size, hash_size) != 0) return false;
    std::uint64_t timestamp = 0;
    for (unsigned i = 0; i < time_size; ++i) timestamp |= std::uint64_t{link[1 + i]} << (8 * i);

    const std::uint8_t system = frame[5], component = frame[6];
    const auto end = streams_.begin() + static_cast<std::ptrdiff_t>(stream_count_);
    const auto known = std::find_if(streams_.begin(), end, [&](const Stream& stream) {
        return stream.system == system && stream.component == component && stream.link == *link;
    });
    if (known != end) {
        if (timestamp <= known->timestamp) return false;
        known->timestamp = timestamp;
    } else {
        if (timestamp + minute < local_time_ || stream_count_ == most_streams) return false;
        streams_[stream_count_++] = {system, component, *link, timestamp};
    }
    local_time_ = std::max(local_time_, timestamp);
    return true;
}

}  // namespace px4_hil
