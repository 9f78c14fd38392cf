// parser.cpp - see parser.hpp.
#include "px4_hil/parser.hpp"

#include <algorithm>
#include <cstring>

#include "crc.hpp"
#include "wire.hpp"

namespace px4_hil {

void Parser::reset() noexcept {
    begin_ = end_ = 0;
    pending_since_.reset();
    source_count_ = 0;
}

std::size_t Parser::append(const unsigned char* data, std::size_t size) noexcept {
    if (size == 0) return 0;
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    const std::size_t taken = std::min(size, capacity - end_);
    std::memcpy(buffer_.data() + end_, data, taken);
    end_ += taken;
    return taken;
}

void Parser::skip(std::size_t count) noexcept {
    begin_ += count;
    statistics_.skipped_bytes += count;
    pending_since_.reset();
}

/// What begins at a position of the buffer. Says so as early as it can.
Parser::Candidate Parser::examine(std::size_t position) const noexcept {
    const unsigned char* const bytes = buffer_.data() + position;
    const std::size_t there = end_ - position;
    const bool v1 = bytes[0] == wire::marker_v1;
    const std::size_t header = v1 ? wire::header_v1 : wire::header_v2;
    Candidate candidate{Verdict::incomplete};
    const auto rejected = [&candidate](Verdict verdict) {
        candidate.verdict = verdict;
        return candidate;
    };

    if (!v1 && there > 1 && bytes[1] == 0) return rejected(Verdict::bad_length);
    if (!v1 && there > 2 && (bytes[2] & ~unsigned{wire::flag_signed}) != 0)
        return rejected(Verdict::incompatible);
    if (there < header) return candidate;
    const std::uint32_t id =
        v1 ? bytes[5]
           : std::uint32_t{bytes[7]} | std::uint32_t{bytes[8]} << 8 | std::uint32_t{bytes[9]} << 16;
    candidate.info = find_message(id);
    if (candidate.info == nullptr) return rejected(Verdict::unknown_id);
    if (v1 && bytes[1] < candidate.info->base_size) return rejected(Verdict::bad_length);

    candidate.is_signed = !v1 && (bytes[2] & wire::flag_signed) != 0;
    candidate.size = header + bytes[1] + wire::checksum_size;
    if (there < candidate.size + (candidate.is_signed ? signature_size : 0)) return candidate;
    const std::size_t content = candidate.size - wire::checksum_size;
    const std::uint16_t crc = crc16_byte(crc16(bytes + 1, content - 1), candidate.info->crc_extra);
    if (bytes[content] != (crc & 0xFF) || bytes[content + 1] != crc >> 8)
        return rejected(Verdict::bad_checksum);
    return rejected(Verdict::whole);
}

/// @return where the next whole frame begins behind a position, or end_
std::size_t Parser::whole_frame_behind(std::size_t position) const noexcept {
    while (++position < end_) {
        const unsigned char byte = buffer_[position];
        if (byte != wire::marker_v1 && byte != wire::marker_v2) continue;
        if (examine(position).verdict == Verdict::whole) return position;
    }
    return end_;
}

/// Finds the next frame. @return whether frame_ has one now
bool Parser::next(Time now) noexcept {
    while (begin_ < end_) {
        if (buffer_[begin_] != wire::marker_v1 && buffer_[begin_] != wire::marker_v2) {
            skip(1);
            continue;
        }
        const Candidate candidate = examine(begin_);
        std::uint64_t ParserStatistics::*reason = nullptr;
        switch (candidate.verdict) {
            case Verdict::whole:
                if (admit(candidate)) return true;
                continue;
            case Verdict::incomplete: {
                if (!pending_since_) pending_since_ = now;
                if (now - *pending_since_ <= longest_pending) return false;
                // Perhaps its start marker is false, perhaps it is only slow: a whole frame behind it tells.
                const std::size_t behind = whole_frame_behind(begin_);
                if (behind == end_) return false;
                skip(behind - begin_);
                continue;
            }
            case Verdict::incompatible:
                reason = &ParserStatistics::incompatible;
                break;
            case Verdict::unknown_id:
                reason = &ParserStatistics::unknown_id;
                break;
            case Verdict::bad_length:
                reason = &ParserStatistics::bad_length;
                break;
            case Verdict::bad_checksum:
                reason = &ParserStatistics::bad_checksum;
                break;
        }
        ++(statistics_.*reason);
        skip(1);
    }
    return false;
}

/// Takes a frame with a right checksum out of the buffer. @return whether it may be handed over
bool Parser::admit(const Candidate& candidate) noexcept {
    if (signatures_ && candidate.is_signed &&
        !signatures_->accepts(buffer_.data() + begin_, candidate.size)) {
        ++statistics_.bad_signature;
        skip(1);
        return false;
    }
    if (candidate.is_signed != signatures_.has_value()) {
        ++(candidate.is_signed ? statistics_.signed_dropped : statistics_.unsigned_dropped);
        skip(candidate.size + (candidate.is_signed ? signature_size : 0));
        return false;
    }
    deliver(candidate);
    return true;
}

void Parser::deliver(const Candidate& candidate) noexcept {
    const unsigned char* const bytes = buffer_.data() + begin_;
    const bool v1 = bytes[0] == wire::marker_v1;
    const unsigned char* const sender = bytes + (v1 ? 2 : 4);
    frame_.info = candidate.info;
    frame_.version = v1 ? MavlinkVersion::v1 : MavlinkVersion::v2;
    frame_.sequence = sender[0];
    frame_.sender = {sender[1], sender[2]};
    frame_.is_signed = candidate.is_signed;
    frame_.payload_size = bytes[1];
    std::memcpy(frame_.payload.data(), bytes + (v1 ? wire::header_v1 : wire::header_v2), bytes[1]);
    begin_ += candidate.size + (candidate.is_signed ? signature_size : 0);
    pending_since_.reset();
    ++statistics_.delivered;
    track(frame_);
}

void Parser::track(const Frame& frame) noexcept {
    const auto end = sources_.begin() + static_cast<std::ptrdiff_t>(source_count_);
    const auto known = std::find_if(sources_.begin(), end,
                                    [&](const Source& source) { return source.identity == frame.sender; });
    if (known == end) {
        // Too many senders: the first one gives way, and its next gap goes uncounted.
        const std::size_t place = source_count_ < most_sources ? source_count_++ : 0;
        sources_[place] = {frame.sender, frame.sequence};
        return;
    }
    const auto gap = static_cast<std::uint8_t>(frame.sequence - known->sequence - 1);
    if (frame.sequence == known->sequence) {
        ++statistics_.repeated;
    } else {
        statistics_.lost += gap;
    }
    known->sequence = frame.sequence;
}

}  // namespace px4_hil
