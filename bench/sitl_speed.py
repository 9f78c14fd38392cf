#!/usr/bin/env python3
"""Simulated seconds per second of the real ArduRover with a backend, or with its built-in model; prints the number.

usage: sitl_speed.py [--sitl-core N] [--core N] [--seconds S] 'BACKEND COMMAND' | --built-in
The backend's command gets the port as `--port N`, or as its last word when its name is bare_backend.
AP_JSON_ARDUPILOT_BIN names the folder with ardurover."""
import argparse
import os
import shlex
import socket
import struct
import subprocess
import sys
import tempfile
import time


def free_instance():
    """An instance number whose ports are free; SITL's ports are fixed by it."""
    for instance in range(20 + os.getpid() % 100, 400):
        try:
            for kind, port in ((socket.SOCK_STREAM, 5760), (socket.SOCK_DGRAM, 9002)):
                with socket.socket(socket.AF_INET, kind) as probe:
                    probe.bind(('127.0.0.1', port + 10 * instance))
            return instance
        except OSError:
            continue
    sys.exit('no free SITL instance')


def boot_times(connection, end):
    """(wall, simulated) seconds of each SYSTEM_TIME or ATTITUDE message until `end`."""
    buffer = b''
    while time.monotonic() < end:
        connection.settimeout(max(0.01, end - time.monotonic()))
        try:
            data = connection.recv(65536)
        except socket.timeout:
            return
        if not data:
            return
        buffer += data
        while len(buffer) >= 12:
            if buffer[0] == 0xFD:                                # MAVLink 2
                size, header, message = buffer[1] + 12, 10, int.from_bytes(buffer[7:10], 'little')
            elif buffer[0] == 0xFE:                              # MAVLink 1
                size, header, message = buffer[1] + 8, 6, buffer[5]
            else:
                buffer = buffer[1:]
                continue
            if len(buffer) < size:
                break
            if message == 30:                                    # ATTITUDE: time_boot_ms comes first
                payload = buffer[header:size].ljust(header + 4, b'\0')
                yield time.monotonic(), struct.unpack_from('<I', payload)[0] / 1000
            buffer = buffer[size:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('backend', nargs='?')
    parser.add_argument('--built-in', action='store_true')
    parser.add_argument('--sitl-core')
    parser.add_argument('--core')
    parser.add_argument('--seconds', type=float, default=4)
    options = parser.parse_args()
    pinned = lambda core: ['taskset', '-c', core] if core else []
    instance = free_instance()
    port = str(9002 + 10 * instance)
    processes = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            if not options.built_in:
                words = shlex.split(options.backend)
                words += [port] if os.path.basename(words[0]) == 'bare_backend' else ['--port', port]
                processes.append(subprocess.Popen(pinned(options.core) + words, stdout=subprocess.DEVNULL))
            binary = os.path.join(os.environ['AP_JSON_ARDUPILOT_BIN'], 'ardurover')
            model = 'rover' if options.built_in else 'JSON:127.0.0.1'
            processes.append(subprocess.Popen(
                pinned(options.sitl_core) + [binary, '--model', model, '--speedup', '2000', '--wipe', '-I%d' % instance],
                cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            deadline = time.monotonic() + 10
            while True:
                try:
                    connection = socket.create_connection(('127.0.0.1', 5760 + 10 * instance))
                    break
                except OSError:
                    if time.monotonic() > deadline:
                        sys.exit('SITL does not listen')
                    time.sleep(0.05)
            # A ground station's heartbeat, version 1, is not needed: SITL streams ATTITUDE by default.
            list(boot_times(connection, time.monotonic() + 1))   # warm up
            times = list(boot_times(connection, time.monotonic() + options.seconds))
        finally:
            for process in processes:
                process.kill()
                process.wait()
    if len(times) < 2:
        sys.exit('no MAVLink message told the time')
    print('%.2f' % ((times[-1][1] - times[0][1]) / (times[-1][0] - times[0][0])))


main()
