#!/usr/bin/env python3
"""docs_check.py - checks README, CONTRIBUTING and docs/: each relative link leads to a file and a heading that exist; each
command in a ```sh block names a script, program and option that exists (asked with --help where it is built); each word of
the public enumerations and each log line is in docs/errors.md; docs/link.svg is what its script draws.
usage: docs_check.py [--build FOLDER]      (FOLDER/examples, FOLDER/tools: the programs)"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
HEADERS = ROOT / "include/ap_json"
# Which enumerations and structs docs/errors.md explains, word by word: (header, name, its heading there)
WORDS = [
    ("error.hpp", "enum class ErrorCode", "ErrorCode"),
    ("frame_tracker.hpp", "enum class FrameKind", "FrameKind"),
    ("client.hpp", "enum class LinkStatus", "Link status"),
    ("client.hpp", "struct Statistics", "Statistics"),
    ("sitl_reader.hpp", "enum class SitlVerdict", "SitlVerdict"),
]
# What a ```sh line may begin with, besides programs of ours.
SYSTEM = {"cmake", "g++", "xargs", "kill", "ctest", "printf", "git", "python3", "apt-get"}
faults = []


def fault(page, text):
    faults.append(f"{page.relative_to(ROOT)}: {text}")


def outside_of_blocks(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def anchor(heading):
    """As GitHub makes it."""
    heading = re.sub(r"[`*]|\[|\]\([^)]*\)", "", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(page):
    return {anchor(h) for h in re.findall(r"^#+ (.*)$", outside_of_blocks(page.read_text()), flags=re.M)}


def check_links(page):
    links = re.findall(r"\]\(([^)\s]+)\)", outside_of_blocks(page.read_text()))
    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        path, _, part = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            fault(page, f"link to {link}: no such file")
        elif part and part not in anchors(target):
            fault(page, f"link to {link}: no such heading")
    return len(links)


def commands(page):
    for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(), flags=re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            words = [w for w in shlex.split(line, comments=True)]
            while words and re.match(r"[A-Z_]+=", words[0]):
                words.pop(0)
            if words:
                yield words


def help_of(program, subcommand):
    command = [str(program), *subcommand, "--help"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def check_options(page, words, text):
    for option in [w.split("=")[0] for w in words if w.startswith("--")]:
        if not re.search(re.escape(option) + r"\b", text):
            fault(page, f"{' '.join(words)}: there is no {option}")


def check_command(page, words, build):
    program = words[0]
    if program in SYSTEM:
        for word in words[1:]:  # a script of ours behind python3
            if word.startswith(("tests/", "scripts/")) and not (ROOT / word).exists():
                fault(page, f"{' '.join(words)}: no such file {word}")
        if program == "cmake":
            options = re.findall(r"option\((\w+)|set\((AP_JSON_\w+)", (ROOT / "CMakeLists.txt").read_text())
            for name in re.findall(r"-D((?:AP_JSON|BUILD)_\w+)", " ".join(words)):
                if name not in {a or b for a, b in options}:
                    fault(page, f"{' '.join(words)}: there is no option {name}")
        return
    if program == "sim_vehicle.py":
        return  # ArduPilot's
    if program.startswith("scripts/"):
        script = ROOT / program
        if not (script.exists() and os.access(script, os.X_OK)):
            fault(page, f"{program}: no such script")
            return
        check_options(page, words, script.read_text())
    elif program.startswith("build/"):
        built = build / program[len("build/"):] if build else None
        if built is None:
            return
        if not built.exists():
            if built.name != "bullet_rover":  # only where Bullet is
                fault(page, f"{program}: is not built")
            return
        subcommand = words[1:2] if built.name == "ap_json" else []
        check_options(page, words, help_of(built, subcommand))
    else:
        fault(page, f"{' '.join(words)}: what is {program}?")


def body(header, name):
    text = (HEADERS / header).read_text()
    found = re.search(re.escape(name) + r"\b[^{;]*\{(.*?)^\};", text, flags=re.M | re.S)
    return re.sub(r"//.*", "", found.group(1))


def check_words(page):
    text = page.read_text()
    sections = {m.group(1): m.group(2) for m in re.finditer(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, flags=re.M | re.S)}
    for header, name, heading in WORDS:
        pattern = r"uint64_t (\w+)" if name.startswith("struct") else r"^\s*(\w+)\s*(?:=\s*\d+)?\s*,"
        in_header = re.findall(pattern, body(header, name), flags=re.M)
        on_page = re.findall(r"^\| `(\w+)` \|", sections[heading], flags=re.M)
        assert in_header, name
        for word in in_header:
            if word not in on_page:
                fault(page, f"{name} has {word}, the section {heading} has not")
        for word in on_page:
            if word not in in_header:
                fault(page, f"the section {heading} has {word}, {name} has not")


def check_log_lines(page):
    # The beginnings of what is logged; what follows are numbers and addresses.
    client = (ROOT / "src/ap_json/client.cpp").read_text()
    lines = re.findall(r'log\(text << "([^"]+)"', client) + re.findall(r'^\s*text << "(ArduPilot repeats[^"]*)"', client, flags=re.M)
    drop_in = (HEADERS / "libAP_JSON.h").read_text()
    lines += re.findall(r'say\((?:std::string\()?"([^"]+)"', drop_in) + re.findall(r'say_once\(\w+, "([^"]+)"', drop_in)
    lines += re.findall(r'[?:] "(time [^"]+)"', drop_in)
    assert len(lines) >= 14, lines
    for line in lines:
        if "`" + line not in page.read_text():
            fault(page, f'the log line "{line}..." is not there')


def check_picture():
    drawn = subprocess.run([sys.executable, ROOT / "docs/link_picture.py", "--print"], capture_output=True, text=True,
                           check=True).stdout
    if drawn != (ROOT / "docs/link.svg").read_text():
        fault(ROOT / "docs/link.svg", "is not what link_picture.py draws: run it in docs/")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path)
    build = parser.parse_args().build
    links = sum(check_links(page) for page in PAGES)
    shown = 0
    for page in PAGES:
        for words in commands(page):
            check_command(page, words, build)
            shown += 1
    check_words(ROOT / "docs/errors.md")
    check_log_lines(ROOT / "docs/errors.md")
    check_picture()
    assert links > 50 and shown > 10
    print(f"{len(PAGES)} pages, {links} links, {shown} commands, {len(faults)} faults")
    for text in faults:
        print(text)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
