// px4_parser_test.cpp - the stream parser: the vectors' streams in pieces of all sizes, faults on the line, and whether a
// good frame is ever lost.
#include <gmock/gmock.h>

#include <random>

#include "vectors.hpp"

namespace px4_hil {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

SigningKey key_from(const std::string& hex) {
    SigningKey key{};
    const Bytes bytes = from_hex(hex);
    std::copy(bytes.begin(), bytes.end(), key.begin());
    return key;
}

class Px4Stream : public testing::TestWithParam<Json> {};

TEST_P(Px4Stream, IsReadAsExpectedInPiecesOfAnySize) {
    const Json& vector = GetParam();
    const Json& expect = vector["expect"];
    const Bytes bytes = from_hex(vector["bytes_hex"]);
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        SCOPED_TRACE(piece);
        Parser parser;
        if (vector.contains("secret_key_hex"))
            parser.require_signature(key_from(vector["secret_key_hex"]), 0);
        std::vector<std::string> messages;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            parser.parse(bytes.data() + at, std::min(piece, bytes.size() - at), {},
                         [&](const Frame& frame) { messages.emplace_back(frame.info->name); });
        }
        EXPECT_EQ(messages, expect["messages"].get<std::vector<std::string>>());
        const ParserStatistics& s = parser.statistics();
        EXPECT_EQ(s.delivered, messages.size());
        EXPECT_EQ(s.bad_checksum, expect.value("bad_crc", 0U));
        EXPECT_EQ(s.incompatible, expect.value("incompat", 0U));
        EXPECT_EQ(s.bad_length, expect.value("bad_length", 0U));
        EXPECT_EQ(s.unknown_id, expect.value("unknown_id", 0U));
        EXPECT_EQ(s.bad_signature, expect.value("bad_signature", 0U));
        EXPECT_EQ(s.skipped_bytes, expect.value("skipped_bytes", 0U));
        EXPECT_EQ(s.lost, expect.value("lost", 0U));
        EXPECT_EQ(parser.pending_bytes(), expect.value("pending_bytes", 0U));
    }
}

INSTANTIATE_TEST_SUITE_P(Vectors, Px4Stream, testing::ValuesIn(vectors()["streams"].get<std::vector<Json>>()),
                         [](const auto& test) { return test.param["id"].template get<std::string>(); });

/// All frames of the vectors that are not signed.
std::vector<Bytes> all_frames() {
    std::vector<Bytes> frames;
    for (const Json& each : vectors()["frames"]) {
        if (!each.contains("signing")) frames.push_back(from_hex(each["frame_hex"]));
    }
    return frames;
}

Bytes payload_of(const Bytes& frame) {
    return Bytes(frame.begin() + (frame[0] == 0xFE ? 6 : 10), frame.end() - 2);
}

TEST(Px4Parser, NeverLosesAGoodFrameBetweenNoise) {
    const std::vector<Bytes> frames = all_frames();
    std::mt19937 random(1);
    int accidents = 0;
    for (int round = 0; round < 300; ++round) {
        Bytes stream;
        std::vector<Bytes> sent;
        for (int i = 0; i < 40; ++i) {
            // Noise that is rich in start markers, which are what could mislead.
            for (auto n = random() % 30; n > 0; --n) {
                const auto kind = random() % 4;
                stream.push_back(kind == 0   ? 0xFD
                                 : kind == 1 ? 0xFE
                                             : static_cast<unsigned char>(random() & 255));
            }
            const Bytes& frame = frames[random() % frames.size()];
            stream.insert(stream.end(), frame.begin(), frame.end());
            sent.push_back(frame);
        }
        stream.insert(stream.end(), max_frame, 0);  // so that no false marker is still waiting for bytes
        Parser parser;
        std::size_t matched = 0;
        bool accident = false;
        std::size_t at = 0;
        while (at < stream.size()) {
            const std::size_t piece = std::min<std::size_t>(1 + random() % 200, stream.size() - at);
            parser.parse(stream.data() + at, piece, {}, [&](const Frame& frame) {
                const Bytes payload(frame.payload.begin(), frame.payload.begin() + frame.payload_size);
                if (matched < sent.size() && payload == payload_of(sent[matched])) {
                    ++matched;
                } else {
                    accident = true;
                }
            });
            at += piece;
        }
        // Noise has a right checksum once in 65536 times; then what it covers is lost.
        if (accident) {
            ++accidents;
        } else {
            ASSERT_EQ(matched, sent.size()) << "round " << round;
        }
    }
    EXPECT_LE(accidents, 2);
}

TEST(Px4Parser, EachByteIsDeliveredSkippedOrPending) {
    const std::vector<Bytes> frames = all_frames();
    std::mt19937 random(2);
    for (int round = 0; round < 200; ++round) {
        Bytes stream;
        for (int i = 0; i < 30; ++i) {
            Bytes frame = frames[random() % frames.size()];
            if (random() % 3 == 0)
                frame[random() % frame.size()] ^= static_cast<unsigned char>(1U << random() % 8);
            if (random() % 5 == 0)
                frame.erase(frame.begin() + static_cast<std::ptrdiff_t>(random() % frame.size()));
            stream.insert(stream.end(), frame.begin(), frame.end());
        }
        Parser parser;
        std::size_t delivered = 0;
        parser.parse(stream.data(), stream.size(), {}, [&](const Frame& frame) {
            delivered += frame.payload_size + (frame.version == MavlinkVersion::v1 ? 8U : 12U);
        });
        const ParserStatistics& s = parser.statistics();
        EXPECT_EQ(delivered + s.skipped_bytes + parser.pending_bytes(), stream.size());
        EXPECT_GT(s.bad_checksum + s.bad_length + s.unknown_id + s.incompatible, 0U);
    }
}

TEST(Px4Parser, FalseMarkerHoldsAWholeFrameBackForATenthOfASecondOnly) {
    const Bytes heartbeat = from_hex(vectors()["frames"][0]["frame_hex"]);
    const unsigned char marker[] = {0xFD, 0xFF, 0, 0, 1, 1, 1, 0, 0, 0};  // a heartbeat of 255 bytes, it says
    Parser parser;
    const Parser::Time start;
    int frames = 0;
    const auto count = [&](const Frame&) { ++frames; };
    parser.parse(marker, sizeof marker, start, count);
    parser.parse(heartbeat.data(), heartbeat.size(), start + 50ms, count);
    EXPECT_EQ(frames, 0);
    parser.parse(nullptr, 0, start + 101ms, count);
    EXPECT_EQ(frames, 1);
    EXPECT_EQ(parser.statistics().skipped_bytes, sizeof marker);
}

TEST(Px4Parser, FrameThatStallsHalfWayIsNotLost) {
    const Bytes heartbeat = from_hex(vectors()["frames"][0]["frame_hex"]);
    Parser parser;
    const Parser::Time start;
    int frames = 0;
    const auto count = [&](const Frame&) { ++frames; };
    parser.parse(heartbeat.data(), 12, start, count);
    parser.parse(nullptr, 0, start + 10s, count);
    parser.parse(heartbeat.data() + 12, heartbeat.size() - 12, start + 20s, count);
    EXPECT_EQ(frames, 1);
    EXPECT_EQ(parser.statistics().skipped_bytes, 0U);
}

TEST(Px4Parser, SignaturesAreCountedWhenNoKeyIsKnownAndAskedForWhenOneIs) {
    const Json& signed_vector = vectors()["frames"][50];
    ASSERT_EQ(signed_vector["id"], "F51");
    const Bytes with = from_hex(signed_vector["frame_hex"]),
                without = from_hex(vectors()["frames"][0]["frame_hex"]);
    const auto ignore = [](const Frame&) {};

    Parser keyless;
    keyless.parse(with.data(), with.size(), {}, ignore);
    keyless.parse(without.data(), without.size(), {}, ignore);
    EXPECT_EQ(keyless.statistics().signed_dropped, 1U);
    EXPECT_EQ(keyless.statistics().delivered, 1U);
    EXPECT_EQ(keyless.statistics().skipped_bytes, with.size());

    const SigningKey key = key_from(signed_vector["signing"]["secret_key_hex"]);
    Parser parser;
    parser.require_signature(key, 0);
    parser.parse(without.data(), without.size(), {}, ignore);
    EXPECT_EQ(parser.statistics().unsigned_dropped, 1U);
    parser.parse(with.data(), with.size(), {}, ignore);
    EXPECT_EQ(parser.statistics().delivered, 1U);
    parser.parse(with.data(), with.size(), {}, ignore);  // played back
    EXPECT_EQ(parser.statistics().delivered, 1U);
    EXPECT_EQ(parser.statistics().bad_signature, 1U);

    Parser later;  // more than a minute after the frame was signed
    later.require_signature(key, signed_vector["signing"]["timestamp_10us"].get<std::uint64_t>() + 6000001);
    later.parse(with.data(), with.size(), {}, ignore);
    EXPECT_EQ(later.statistics().bad_signature, 1U);
}

TEST(Px4Parser, SignedFramesOfOneLinkFollowEachOther) {
    SigningKey key{};
    key[5] = 7;
    FrameEncoder encoder({1, 1});
    encoder.sign(key, 1, signing_time(1700000000000000));
    Parser parser;
    parser.require_signature(key, signing_time(1700000000000000));
    for (int i = 0; i < 300; ++i) {
        const EncodedFrame frame = encoder.encode(Heartbeat());
        parser.parse(frame.data(), frame.size(), {}, [](const Frame& each) { EXPECT_TRUE(each.is_signed); });
    }
    EXPECT_EQ(parser.statistics().delivered, 300U);
    EXPECT_EQ(parser.statistics().lost, 0U);
}

TEST(Px4Parser, CountsLossesForEachSender) {
    FrameEncoder one({1, 1}), two({2, 1});
    Parser parser;
    const auto send = [&](FrameEncoder& encoder) {
        const EncodedFrame frame = encoder.encode(Heartbeat());
        parser.parse(frame.data(), frame.size(), {}, [](const Frame&) {});
        return frame;
    };
    for (int i = 0; i < 3; ++i) send(one), send(two);
    EXPECT_EQ(parser.statistics().lost, 0U);
    for (int i = 0; i < 5; ++i) static_cast<void>(one.encode(Heartbeat()));
    send(one), send(two);
    EXPECT_EQ(parser.statistics().lost, 5U);
    const EncodedFrame again = send(two);  // a line that doubles
    parser.parse(again.data(), again.size(), {}, [](const Frame&) {});
    EXPECT_EQ(parser.statistics().lost, 5U);
    EXPECT_EQ(parser.statistics().repeated, 1U);
    parser.reset();  // opened anew: what was missed meanwhile is nobody's loss
    for (int i = 0; i < 5; ++i) static_cast<void>(one.encode(Heartbeat()));
    send(one);
    EXPECT_EQ(parser.statistics().lost, 5U);
    // More senders than it remembers.
    for (std::uint8_t system = 1; system < 200; ++system) {
        FrameEncoder other({system, 3});
        send(other), send(other);
    }
    EXPECT_EQ(parser.statistics().lost, 5U);
}

}  // namespace
}  // namespace px4_hil
