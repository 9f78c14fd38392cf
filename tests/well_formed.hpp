// well_formed.hpp - whether a text is well-formed XML, and which tags are in it. Enough of XML for what we write: elements,
// attributes in double quotes, text; no comments, no CDATA.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct XmlTag {
    std::string name;
    std::vector<std::pair<std::string, std::string>> attributes;
};

/// Reads a text; says what is wrong with it.
class XmlChecker {
  public:
    explicit XmlChecker(std::string_view text) : text_(text) {
        constexpr std::string_view doctype = "<!DOCTYPE html>\n";
        if (text_.substr(0, doctype.size()) == doctype) at_ = doctype.size();
        while (problem_.empty() && at_ < text_.size()) {
            if (text_[at_] == '<') {
                tag();
            } else {
                character();
            }
        }
        if (problem_.empty() && !open_.empty()) problem_ = "<" + open_.back() + "> is not closed";
    }

    [[nodiscard]] const std::string& problem() const { return problem_; }
    [[nodiscard]] const std::vector<XmlTag>& tags() const { return tags_; }

  private:
    void fail(const std::string& what) {
        if (problem_.empty())
            problem_ = what + " near: " + std::string(text_.substr(at_ < 40 ? 0 : at_ - 40, 80));
        at_ = text_.size();
    }
    [[nodiscard]] char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void character() {
        const char c = now();
        if (c >= 0 && c < 0x20 && c != '\n' && c != '\t') return fail("a control character");
        if (c == '&') {
            const auto end = text_.find(';', at_);
            const std::string_view name =
                text_.substr(at_, end == std::string_view::npos ? 1 : end - at_ + 1);
            for (const char* known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
                if (name == known) {
                    at_ = end + 1;
                    return;
                }
            }
            return fail("a bare &");
        }
        ++at_;
    }

    std::string name() {
        const std::size_t begin = at_;
        while ((now() >= 'a' && now() <= 'z') || (now() >= 'A' && now() <= 'Z') ||
               (now() >= '0' && now() <= '9') || now() == '-' || now() == ':')
            ++at_;
        if (at_ == begin) fail("a name is missing");
        return std::string(text_.substr(begin, at_ - begin));
    }

    void spaces() {
        while (now() == ' ' || now() == '\n') ++at_;
    }

    void tag() {
        ++at_;
        if (now() == '/') {
            ++at_;
            const std::string closed = name();
            if (open_.empty() || open_.back() != closed || now() != '>')
                return fail("</" + closed + "> closes nothing");
            open_.pop_back();
            ++at_;
            return;
        }
        XmlTag tag;
        tag.name = name();
        for (spaces(); problem_.empty() && now() != '>' && now() != '/'; spaces()) attribute(tag);
        if (now() == '/') {
            ++at_;
        } else {
            open_.push_back(tag.name);
        }
        if (now() != '>') return fail("a tag that does not end");
        ++at_;
        tags_.push_back(tag);
    }

    void attribute(XmlTag& tag) {
        const std::string key = name();
        if (now() != '=') return fail("an attribute without a value");
        ++at_;
        if (now() != '"') return fail("an attribute without quotes");
        const std::size_t begin = ++at_;
        while (problem_.empty() && at_ < text_.size() && now() != '"') {
            if (now() == '<') return fail("< in an attribute");
            character();
        }
        if (!problem_.empty()) return;
        for (const auto& other : tag.attributes) {
            if (other.first == key) return fail("twice the attribute " + key);
        }
        tag.attributes.emplace_back(key, std::string(text_.substr(begin, at_ - begin)));
        ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<std::string> open_;
    std::vector<XmlTag> tags_;
    std::string problem_;
};
