// recording_test.cpp - recordings: there and back, damage of every kind, a recorder that is killed.
#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <recording.hpp>
#include <sstream>
#include <vector>

namespace {

using testing::HasSubstr;

class RecordingTest : public testing::Test {
  protected:
    RecordingTest() {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::temp_directory_path() /
                  ("ap_json_recording_" + std::string(info->name()) + std::to_string(std::random_device{}()));
        std::filesystem::create_directories(folder_);
        path_ = (folder_ / "flight.jsonl").string();
    }
    ~RecordingTest() override { std::filesystem::remove_all(folder_); }

    static Record record(Record::Kind kind, std::int64_t time, const std::string& bytes) {
        return {kind,  time, 1774008000000000000 + time, kind == Record::Kind::mark ? "" : "127.0.0.1:9002",
                bytes, ""};
    }

    void write(const std::vector<Record>& records) {
        RecordingWriter writer;
        ASSERT_EQ(writer.open(path_, "a note with \"quotes\" and \xff"), "");
        for (const Record& each : records) ASSERT_TRUE(writer.write(each));
    }

    std::string text() const {
        std::ifstream file(path_, std::ios::binary);
        std::ostringstream all;
        all << file.rdbuf();
        return all.str();
    }
    void set_text(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

    std::filesystem::path folder_;
    std::string path_;
};

/// Datagrams of all bytes and lengths come back byte for byte.
TEST_F(RecordingTest, ThereAndBack) {
    std::mt19937 random(1);
    std::vector<Record> records = {record(Record::Kind::mark, 0, "a mark: \n\"\\\t\xc3\xa4")};
    for (int i = 0; i < 500; ++i) {
        std::string bytes(random() % 300, '\0');
        for (char& byte : bytes) byte = static_cast<char>(i % 3 == 0 ? ' ' + random() % 95 : random());
        records.push_back(
            record(i % 2 == 0 ? Record::Kind::from_sitl : Record::Kind::from_backend, 10 * i, bytes));
        if (i % 5 == 0) records.back().fate = "lost";
    }
    records.push_back(record(Record::Kind::from_backend, 1 << 30, "\n{\"timestamp\":1}\n"));
    write(records);
    RecordingReader reader;
    ASSERT_EQ(reader.open(path_), "");
    EXPECT_THAT(reader.note(), HasSubstr("a note with \"quotes\""));
    for (const Record& expected : records) {
        const auto got = reader.next();
        ASSERT_TRUE(got) << reader.problem();
        EXPECT_EQ(got->kind, expected.kind);
        EXPECT_EQ(got->steady_ns, expected.steady_ns);
        EXPECT_EQ(got->wall_ns, expected.wall_ns);
        EXPECT_EQ(got->peer, expected.peer);
        EXPECT_EQ(got->bytes, expected.bytes);
        EXPECT_EQ(got->fate, expected.fate);
    }
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.problem(), "");
    EXPECT_EQ(reader.progress(), 1);
}

TEST_F(RecordingTest, AStateIsReadableInTheFile) {
    write({record(Record::Kind::from_backend, 0, "\n{\"timestamp\":1}\n")});
    EXPECT_THAT(text(), HasSubstr(R"("text":"\n{\"timestamp\":1}\n")"));
}

/// A recorder that is killed: cut at each byte, all lines before the cut one are there.
TEST_F(RecordingTest, ACutFileKeepsWhatIsWhole) {
    write({record(Record::Kind::from_sitl, 1, "abc"), record(Record::Kind::from_backend, 2, "\n{}\n"),
           record(Record::Kind::mark, 3, "end")});
    const std::string whole = text();
    const std::size_t header = whole.find('\n');
    for (std::size_t length = header + 1; length < whole.size(); ++length) {
        set_text(whole.substr(0, length));
        const std::string kept = whole.substr(0, length);
        const auto lines = std::count(kept.begin(), kept.end(), '\n') - 1;
        const std::string rest = kept.substr(kept.rfind('\n') + 1);
        const bool damaged = !rest.empty() && rest.back() != '}';
        RecordingReader reader;
        ASSERT_EQ(reader.open(path_), "");
        std::ptrdiff_t count = 0;
        while (reader.next()) ++count;
        EXPECT_GE(count, lines) << length;
        if (damaged && count == lines) {
            EXPECT_THAT(reader.problem(), HasSubstr("line " + std::to_string(lines + 2)));
            EXPECT_THAT(reader.problem(), HasSubstr("--repair"));
        }
        RecordingReader repairing(true);
        ASSERT_EQ(repairing.open(path_), "");
        count = 0;
        while (repairing.next()) ++count;
        EXPECT_GE(count, lines);
        EXPECT_EQ(repairing.problem(), "");
    }
}

TEST_F(RecordingTest, EachKindOfDamageIsNamed) {
    write({record(Record::Kind::mark, 5, "a"), record(Record::Kind::mark, 9, "z")});
    const std::string whole = text();
    const std::size_t last = whole.rfind("{\"t\":9");
    const std::pair<const char*, const char*> cases[] = {
        {"no json", "not JSON"},
        {"", "not JSON"},
        {"[1]", "not a JSON object"},
        {"{}", "t or wall"},
        {"{\"t\":1.5,\"wall\":1,\"mark\":\"\"}", "t or wall"},
        {"{\"t\":6,\"wall\":\"1\",\"mark\":\"\"}", "t or wall"},
        {"{\"t\":6,\"wall\":1,\"mark\":7}", "from is neither"},
        {"{\"t\":6,\"wall\":1,\"from\":\"me\",\"hex\":\"00\"}", "from is neither"},
        {"{\"t\":6,\"wall\":1,\"from\":\"sitl\"}", "hex or text is missing"},
        {"{\"t\":6,\"wall\":1,\"from\":\"sitl\",\"hex\":\"0\"}", "hexadecimal"},
        {"{\"t\":6,\"wall\":1,\"from\":\"sitl\",\"hex\":\"0g\"}", "hexadecimal"},
        {"{\"t\":4,\"wall\":1,\"mark\":\"\"}", "before that of the line before"},
        {"\xff\xfe", "not JSON"},
    };
    for (const auto& [bad, reason] : cases) {
        set_text(whole.substr(0, last) + bad + "\n" + whole.substr(last));
        RecordingReader reader;
        ASSERT_EQ(reader.open(path_), "");
        EXPECT_TRUE(reader.next());
        EXPECT_FALSE(reader.next());
        EXPECT_THAT(reader.problem(), testing::AllOf(HasSubstr("line 3"), HasSubstr(reason))) << bad;
        EXPECT_FALSE(reader.next()) << "and stays there";
        RecordingReader repairing(true);
        ASSERT_EQ(repairing.open(path_), "");
        EXPECT_TRUE(repairing.next());
        EXPECT_EQ(repairing.next()->bytes, "z");
        EXPECT_EQ(repairing.skipped(), 1U);
    }
}

TEST_F(RecordingTest, WhatIsNoRecordingIsSaidSo) {
    RecordingReader reader;
    EXPECT_THAT(reader.open(path_), HasSubstr(path_));
    for (const auto& [content, reason] : {std::pair{"", "empty"},
                                          {"hello\n", "not a recording"},
                                          {"{}\n", "not a recording"},
                                          {"{\"ap_json_recording\":2}\n", "version 2"}}) {
        set_text(content);
        EXPECT_THAT(RecordingReader().open(path_), HasSubstr(reason));
    }
}

TEST_F(RecordingTest, ADiskThatTakesNothingIsSaidSo) {
    RecordingWriter nowhere;
    EXPECT_THAT(nowhere.open((folder_ / "no" / "such").string(), ""), HasSubstr("cannot write"));
    EXPECT_FALSE(nowhere.write({}));
#if defined(__linux__)
    RecordingWriter full;
    EXPECT_THAT(full.open("/dev/full", ""), HasSubstr("/dev/full"));
#endif
}

/// Random damage never does more than end the reading, or skip lines.
TEST_F(RecordingTest, AnyDamageIsSurvived) {
    std::vector<Record> records;
    for (int i = 0; i < 20; ++i)
        records.push_back(record(Record::Kind::from_backend, i, "\n{\"timestamp\":1}\n"));
    write(records);
    const std::string whole = text();
    std::mt19937 random(4);
    for (int round = 0; round < 500; ++round) {
        std::string damaged = whole;
        for (int hit = 0; hit < 5; ++hit) damaged[random() % damaged.size()] = static_cast<char>(random());
        set_text(damaged);
        for (bool repair : {false, true}) {
            RecordingReader reader(repair);
            if (!reader.open(path_).empty()) continue;
            int count = 0;
            while (reader.next()) ++count;
            EXPECT_LE(count, 25);
            if (repair) {
                EXPECT_EQ(reader.problem(), "");
            }
        }
    }
}

}  // namespace
