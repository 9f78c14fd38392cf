#!/usr/bin/env python3
"""mutate.py - tests the tests: puts one small fault at a time into the protocol and client layers, and looks whether a
test catches it. One that no test catches is either listed in tests/mutants_accepted.txt with the reason, or a failure.

All faults that are within functions are built into one set of libraries and tests; a variable of the environment says
which one is there. The others (constants, initial values) are built one by one, and only with --all.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import cpp_mutants

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = ROOT / 'build-mutants'
TREE, BUILD = SCRATCH / 'tree', SCRATCH / 'build'
ACCEPTED = ROOT / 'tests' / 'mutants_accepted.txt'
SURVIVED = SCRATCH / 'survived.txt'

CORE, INCLUDE = 'src/ap_json/', 'include/ap_json/'
# The sources in order of importance, each with the tests that look at it, the nearest first.
SOURCES = {
    CORE + 'servo_packet.cpp': 'servo_packet captures client',
    INCLUDE + 'servo_packet.hpp': 'servo_packet client',
    CORE + 'frame_tracker.cpp': 'frame_tracker client',
    INCLUDE + 'frame_tracker.hpp': 'frame_tracker client',
    CORE + 'client.cpp': 'client lockstep libAP_JSON fleet cost',
    INCLUDE + 'client.hpp': 'client lockstep',
    INCLUDE + 'log.hpp': 'log client libAP_JSON',
    CORE + 'state_json.cpp': 'state_json client captures cost',
    INCLUDE + 'state_json.hpp': 'state_json',
    INCLUDE + 'state.hpp': 'state_json client sitl_reader',
    CORE + 'text_writer.hpp': 'text_writer state_json client',
    INCLUDE + 'lockstep.hpp': 'lockstep',
    CORE + 'udp_socket.cpp': 'udp_socket client lockstep cost',
    CORE + 'udp_socket.hpp': 'udp_socket client',
    CORE + 'resampler.cpp': 'resampler',
    INCLUDE + 'resampler.hpp': 'resampler',
    INCLUDE + 'frames.hpp': 'frames state_json resampler',
    CORE + 'fleet.cpp': 'fleet cost',
    INCLUDE + 'fleet.hpp': 'fleet',
    CORE + 'error.cpp': 'servo_packet state_json client',
    INCLUDE + 'error.hpp': 'servo_packet state_json client',
    CORE + 'sitl_reader.cpp': 'sitl_reader sitl_stand_in',
    INCLUDE + 'libAP_JSON.h': 'libAP_JSON',
    INCLUDE + 'nlohmann.hpp': 'nlohmann',
    CORE + 'thread_pin.cpp': 'client',
}

PRELUDE = '''#pragma once
#include <cstdlib>
inline int running_mutant() {
    static const int number = std::getenv("MUTANT") == nullptr ? 0 : std::atoi(std::getenv("MUTANT"));
    return number;
}
#define MUTANT (__builtin_is_constant_evaluated() ? 0 : running_mutant())
'''


def tests_of(file):
    """The test programs for a source, of those that there are."""
    names = [name + '_test' for name in SOURCES[file].split()]
    return [name for name in names if (ROOT / 'tests' / (name + '.cpp')).exists()]


# ---- the list of accepted survivors

def key_of(mutant):
    return mutant.file, mutant.before, mutant.operator


def read_accepted():
    """Blocks of four lines: file, source line, operators (with ; between), reason. @return reasons by key"""
    reasons = {}
    text = '\n'.join(line for line in ACCEPTED.read_text().splitlines() if not line.startswith('#')) \
        if ACCEPTED.exists() else ''
    for block in re.split(r'\n\s*\n', text.strip()):
        lines = [line.strip() for line in block.splitlines()]
        if not lines:
            continue
        if len(lines) < 4:
            sys.exit(f'{ACCEPTED}: an entry has file, source line, operators, and reason: {lines}')
        for operator in lines[2].split('; '):
            reasons[lines[0], lines[1], operator] = ' '.join(lines[3:])
    return reasons


# ---- building

def write_if_changed(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    content = content.encode() if isinstance(content, str) else content
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def copy_tree(instead):
    """The project, with some of its files replaced: {name: text}."""
    listed = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            write_if_changed(TREE / name, instead.get(name) or (ROOT / name).read_bytes())


def configure():
    off = [f'-DAP_JSON_BUILD_{part}=OFF' for part in ('TOOLS', 'EXAMPLES', 'BENCHMARKS', 'PX4_HIL', 'PX4_SETPOINT', 'COPTERSIM')]
    launcher = ['-DCMAKE_CXX_COMPILER_LAUNCHER=ccache'] if shutil.which('ccache') else []
    ninja = ['-G', 'Ninja'] if shutil.which('ninja') else []
    command = ['cmake', *ninja, '-S', TREE, '-B', BUILD, '-DCMAKE_BUILD_TYPE=Debug', '-DBUILD_SHARED_LIBS=ON', *off, *launcher,
               '-DCMAKE_CXX_FLAGS_DEBUG=-O0', f'-DCMAKE_CXX_FLAGS=-w -D_GLIBCXX_ASSERTIONS -fmax-errors=0 -include {SCRATCH}/prelude.hpp',
               '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON']
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def build(targets, jobs):
    """@return what the compiler says, or nothing when all is well"""
    command = ['cmake', '--build', BUILD, '--parallel', str(jobs), '--target', *targets]
    command += ['--', '-k', '0'] if (BUILD / 'build.ninja').exists() else ['--', '-k']  # goes on after an error
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return '' if done.returncode == 0 else done.stdout


def targets_of(files):
    return sorted({test for file in files for test in tests_of(file)})


def broken_in(said):
    """Numbers of the mutants that a compiler complains about."""
    return {int(n) for n in re.findall(r'mutant-(\d+):\d+:\d+: (?:fatal )?error', said)}


def look_over(file, text):
    """What the compiler says of one source, without building it: quick, but templates are not looked into."""
    path = SCRATCH / 'look' / file.replace('/', '-')  # a name that no other source includes
    write_if_changed(path, text)
    compiler = os.environ.get('CXX', 'c++')
    return subprocess.run([compiler, '-std=c++17', '-fsyntax-only', '-w', '-fmax-errors=0', '-x', 'c++',
                           '-include', SCRATCH / 'prelude.hpp', '-I', ROOT / 'include', '-I', ROOT / 'src/ap_json', path],
                          capture_output=True, text=True).stderr


def build_with_all(mutants, jobs):
    """Builds the libraries and tests with all these mutants in them, {number: mutant}.
    @return numbers of those that are in, and of those that do not compile"""
    files = sorted({m.file for m in mutants.values()})
    broken = set()
    write_if_changed(SCRATCH / 'prelude.hpp', PRELUDE)

    def source(file):
        these = {n: m for n, m in mutants.items() if m.file == file and n not in broken}
        return cpp_mutants.with_all(file, (ROOT / file).read_text(), these)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for said in pool.map(lambda file: look_over(file, source(file)[0]), files):
            broken |= broken_in(said)
    while True:
        sources = {file: source(file) for file in files}
        copy_tree({file: text for file, (text, _) in sources.items()})
        configure()
        said = build(targets_of(files), jobs)
        if not said:
            return set().union(*(held for _, held in sources.values())), broken
        if not broken_in(said) - broken:
            sys.exit('does not build:\n' + said[-5000:])
        broken |= broken_in(said)


# ---- running

def modest():
    """Of a process with a fault: it shall neither fill the memory nor stand in the way."""
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)


def passes(test, number, seconds, *options):
    """Whether a test program passes with this mutant; one that does not end fails."""
    process = subprocess.Popen([BUILD / 'tests' / test, '--gtest_fail_fast', '--gtest_brief=1', *options],
                               env=dict(os.environ, MUTANT=str(number)), cwd=BUILD / 'tests', stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=modest)
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


class Baseline:
    """How the tests behave without a fault: they have to pass, and how long that takes says what is too long with one."""

    def __init__(self, tests):
        self.seconds, self.slow = {}, {}
        for test in tests:
            report = SCRATCH / f'{test}.json'
            start = time.monotonic()
            options = [f'--gtest_output=json:{report}']
            if not passes(test, 0, 600, *options) and not passes(test, 0, 600, *options):
                sys.exit(f'{test} fails without any mutant')
            self.seconds[test] = 5 * (time.monotonic() - start) + 10
            cases = [(suite['name'] + '.' + case['name'], float(case['time'][:-1]))
                     for suite in json.loads(report.read_text())['testsuites'] for case in suite['testsuite']]
            self.slow[test] = [name for name, seconds in cases if seconds > 0.3]

    def survives(self, number, tests):
        """Whether a mutant passes all tests; the quick ones of all programs come first."""
        for sign in ('-', ''):
            for test in tests:
                names = ':'.join(self.slow[test])
                if (sign or names) and not passes(test, number, self.seconds[test], f'--gtest_filter={sign}{names}'):
                    return False
        return True


def survives_alone(mutant, baseline):
    """A mutant that is built by itself, into the whole project. @return None when it does not compile"""
    write_if_changed(TREE / mutant.file, mutant.applied_to((ROOT / mutant.file).read_text()))
    try:
        for test in tests_of(mutant.file):
            if build([test], 2):
                return None
            if not baseline.survives(0, [test]):
                return False
        return True
    finally:
        write_if_changed(TREE / mutant.file, (ROOT / mutant.file).read_bytes())


# ---- the command

class Result:
    def __init__(self, accepted):
        self.accepted, self.made, self.caught, self.listed, self.survived, self.files = accepted, 0, 0, 0, [], set()
        self.needless = []

    def add(self, mutant, survived):
        self.made += 1
        self.files.add(mutant.file)
        listed = key_of(mutant) in self.accepted
        if not survived:
            self.caught += 1
            if listed:
                self.needless.append(mutant)
        elif listed:
            self.listed += 1
        else:
            self.survived.append(mutant)
            show(mutant)

    def line(self):
        return (f'mutants | {self.made}, {len(self.files)} files | {self.caught} caught, {self.listed} listed with a reason, '
                f'{len(self.survived)} survived')


def show(mutant):
    print(f'{mutant.file}:{mutant.line}  {mutant.operator}\n    before  {mutant.before}\n    after   {mutant.after}', flush=True)


def run(files, chosen, jobs, alone):
    """@param chosen  {number: mutant}; @param alone  whether to build those that are not within functions, too"""
    result = Result(read_accepted())
    print(f'building {len(chosen)} mutants of {len(files)} files', flush=True)
    held, broken = build_with_all(chosen, jobs)
    baseline = Baseline(targets_of(files))
    print(f'running {len(held)}; {len(broken)} do not compile', flush=True)
    with concurrent.futures.ThreadPoolExecutor(2 * jobs) as pool:  # tests wait more than they compute
        outcomes = {pool.submit(baseline.survives, n, tests_of(chosen[n].file)): n for n in sorted(held)}
        for outcome in concurrent.futures.as_completed(outcomes):
            result.add(chosen[outcomes[outcome]], outcome.result())
    others = [m for n, m in chosen.items() if n not in held and n not in broken]
    if alone and others:
        print(f'building and running {len(others)} one by one', flush=True)
        copy_tree({})
        for mutant in others:
            survived = survives_alone(mutant, baseline)
            if survived is not None:
                result.add(mutant, survived)
    return result


def choose(arguments, files):
    mutants = [m for file in files for m in cpp_mutants.mutants_of(file, (ROOT / file).read_text())]
    numbered = dict(enumerate(mutants, 1))
    if arguments.again:
        keys = {tuple(line.split('\t')) for line in SURVIVED.read_text().splitlines()}
        return {n: m for n, m in numbered.items() if key_of(m) in keys}
    if arguments.all or arguments.files:
        return numbered
    picked = random.Random(arguments.seed).sample(sorted(numbered), min(arguments.sample, len(numbered)))
    return {n: numbered[n] for n in sorted(picked)}


def stale_entries():
    """Entries of the list that no mutant has any more."""
    accepted = read_accepted()
    made = {key_of(m) for file in {key[0] for key in accepted} if (ROOT / file).exists()
            for m in cpp_mutants.mutants_of(file, (ROOT / file).read_text())}
    return [key for key in accepted if key not in made]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('files', nargs='*', help='all mutants of these sources')
    parser.add_argument('--all', action='store_true', help='all mutants of all sources; takes an hour or more')
    parser.add_argument('--again', action='store_true', help='those that survived last time')
    parser.add_argument('--sample', type=int, default=150, help='so many of all sources (default: 150)')
    parser.add_argument('--seed', type=int, default=1, help='of the sample')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--in-functions', action='store_true', help='leave out those that have to be built one by one')
    parser.add_argument('--self-test', action='store_true', help='tests the maker of mutants')
    arguments = parser.parse_args()
    if arguments.self_test:
        faults = cpp_mutants.self_test()
        print('\n'.join(faults) or 'all right')
        return 1 if faults else 0
    stale = stale_entries()
    for file, before, operator in stale:
        print(f'tests/mutants_accepted.txt lists what is not there any more: {file}  {before}  [{operator}]')
    files = arguments.files or list(SOURCES)
    chosen = choose(arguments, files)
    if not chosen:
        print('nothing to do')
        return 1 if stale else 0
    alone = not arguments.in_functions and bool(arguments.all or arguments.files or arguments.again)
    result = run(sorted({m.file for m in chosen.values()}, key=files.index), chosen, arguments.jobs, alone)
    for mutant in result.needless:
        print(f'listed, but caught: {mutant.file}:{mutant.line}  {mutant.before}  [{mutant.operator}]')
    SURVIVED.write_text(''.join('\t'.join(key_of(m)) + '\n' for m in result.survived))
    print(result.line())
    if results := os.environ.get('AP_JSON_RESULTS'):
        with open(results, 'a') as file:
            file.write(result.line() + '\n')
    return 1 if stale or result.survived else 0


if __name__ == '__main__':
    sys.exit(main())
