#!/usr/bin/env python3
"""The end-to-end test: examples/simpleRover driven by the real ArduRover.

It needs ArduPilot's SITL binaries and pymavlink, and says that it is skipped where they are missing:

    AP_JSON_ARDUPILOT_BIN=.../ardupilot/build/sitl/bin \\
        python3 tests/ardupilot_test.py --simple-rover build/examples/simpleRover

Three parts: a drive over MAVLink (forwards, backwards, stop) in which the EKF and the truth must agree and no
frame may be lost; simpleRover started again under a running ArduRover; ArduRover started again under a running
simpleRover. Seconds are simulated time unless they are called wall.
"""
import argparse
import ctypes
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

try:
    from pymavlink.dialects.v20 import ardupilotmega as mavlink
except ImportError:
    mavlink = None

SKIPPED = 77  # what ctest knows as SKIP_RETURN_CODE
METRES_PER_LATITUDE_UNIT = 111319 * 1e-7  # SIM_STATE gives latitudes in 1e-7 degrees
EKF_USABLE = 1 | 2 | 8 | 16  # EKF_STATUS_REPORT: attitude, horizontal velocity, relative and absolute position
EKF_NOT_YET = 128 | 1024     # constant position mode, uninitialised
STREAMS = 'SYSTEM_TIME', 'SIM_STATE', 'LOCAL_POSITION_NED', 'SERVO_OUTPUT_RAW', 'EKF_STATUS_REPORT'


class Failure(Exception):
    """What did not come out as it should."""


def check(fact, text):
    if not fact:
        raise Failure(text)


def wait_wall(what, done, seconds):
    deadline = time.monotonic() + seconds
    while not done():
        check(time.monotonic() < deadline, f'not within {seconds} s wall: {what}')
        time.sleep(0.02)


# ---- network and processes


def enter_private_network():
    """Takes this process and its children into a network namespace of their own, where no port is taken and
    nothing from outside gets in. Returns whether that worked: it takes Linux and a privilege."""
    if sys.platform != 'linux' or ctypes.CDLL(None).unshare(0x40000000) != 0:  # CLONE_NEWNET
        return False
    import fcntl
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        interface_up = struct.pack('16sh22x', b'lo', 1)  # struct ifreq with IFF_UP
        fcntl.ioctl(any_socket, 0x8914, interface_up)    # SIOCSIFFLAGS
    return True


def is_free(kind, port):
    with socket.socket(socket.AF_INET, kind) as probe:
        try:
            probe.bind(('127.0.0.1', port))
        except OSError:
            return False
    return True


def free_instance():
    """The first SITL instance none of whose ports is in use: MAVLink, the physics backend, RC input."""
    tcp, udp = socket.SOCK_STREAM, socket.SOCK_DGRAM
    ports = (tcp, 5760), (tcp, 5762), (tcp, 5763), (udp, 9002), (udp, 5501)
    for n in range(100):
        if all(is_free(kind, port + 10 * n) for kind, port in ports):
            return n
    raise Failure('no SITL instance from 0 to 99 has all its ports free')


def die_with_parent():
    """ctest ends a test that takes too long with SIGKILL: leave nothing running then either."""
    if sys.platform == 'linux':
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Program:
    """A process that this test has started. Its console goes to a file."""

    def __init__(self, name, argv, folder):
        self.name, self.console_path = name, os.path.join(folder, name + '.txt')
        with open(self.console_path, 'wb') as console:
            self.process = subprocess.Popen(argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=console,
                                            stderr=subprocess.STDOUT, preexec_fn=die_with_parent)

    def console(self):
        with open(self.console_path, errors='replace') as console:
            return console.read().splitlines()

    def stop(self, how):
        self.process.send_signal(how)  # does nothing if the process has ended already
        self.process.wait(10)


class Bench:
    """The two programs under test: starts them, knows which are meant to run, and ends them."""

    def __init__(self, simple_rover, ardurover, speedup, folder):
        self.simple_rover, self.ardurover = os.path.abspath(simple_rover), os.path.abspath(ardurover)
        self.speedup, self.folder = speedup, folder
        self.private = enter_private_network()
        self.instance = 0 if self.private else free_instance()
        self.started, self.running, self.pilots = [], [], []

    def start_rover(self):
        rover = self.start('simpleRover', self.simple_rover, '--instance', str(self.instance))
        wait_wall(f'{rover.name} listens', lambda: self.check_running() or rover.console(), 10)
        return rover

    def start_sitl(self):
        return self.start('ardurover', self.ardurover, '--model', 'JSON:127.0.0.1', '--speedup',
                          f'{self.speedup:g}', '--wipe', '-I', str(self.instance))

    def start(self, name, *argv):
        program = Program(f'{name}.{len(self.started) + 1}', argv, self.folder)
        self.started.append(program)
        self.running.append(program)
        return program

    def stop(self, program, how):
        program.stop(how)
        self.running.remove(program)

    def check_running(self):
        for program in self.running:
            code = program.process.poll()
            check(code is None, f'{program.name} has ended by itself with {code}')

    def report_failure(self, failure):
        print(f'FAILED: {failure}')
        for pilot in self.pilots:
            print('ArduRover said:', *pilot.texts[-20:], sep='\n    ')
            newest = [message for name, message in pilot.last.items() if name in STREAMS + ('HEARTBEAT',)]
            print(f'Newest messages, at {pilot.time} s:', *newest, sep='\n    ')
        for program in self.started:
            print(f'Console of {program.name}:', *program.console()[-20:], sep='\n    ')


# ---- MAVLink


class Pilot:
    """Drives one SITL process over MAVLink, and takes the time from what it says. SITL does not even ask its
    physics backend for anything before somebody has connected here."""

    def __init__(self, bench):
        self.bench = bench
        self.time = None        # of SITL's clock
        self.went_back = False  # SITL's clock did
        self.last = {}          # the newest message of each type
        self.track = []         # (time, speed by EKF, metres north by EKF, true speed, true latitude)
        self.texts = []
        self.target = 0, 0
        self.armed = False
        self.throttle, self.throttle_sent = None, 0
        bench.pilots.append(self)
        wait_wall('SITL accepts a MAVLink connection', self.connect, 20)
        self.wait('a heartbeat and the time', lambda: self.target[0] and self.time is not None, 20)
        self.first_time = self.time
        for name in STREAMS:  # 10 Hz each; intervals shorter than ArduRover's loop would be denied
            number = getattr(mavlink, 'MAVLINK_MSG_ID_' + name)
            self.command(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, number, 100000)
        self.wait('the simulation\'s state', lambda: 'SIM_STATE' in self.last, 20)

    def connect(self):
        self.bench.check_running()
        try:
            self.socket = socket.create_connection(('127.0.0.1', 5760 + 10 * self.bench.instance), 1)
        except OSError:
            return False
        self.socket.settimeout(0.1)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.mav = mavlink.MAVLink(self.socket.makefile('wb', 0), srcSystem=255, srcComponent=190)
        self.mav.robust_parsing = True
        return True

    def wait(self, what, done, seconds):
        """Drives on until done(). Gives up after so many simulated seconds, and after a wall time that leaves
        room for a machine that does not reach the speed-up."""
        start, wall = self.time or 0, 20 + 2 * seconds / min(self.bench.speedup, 10)
        deadline = time.monotonic() + wall
        while not done():
            check((self.time or 0) - start <= seconds, f'not within {seconds} s: {what}')
            check(time.monotonic() < deadline, f'not within {wall:.0f} s wall: {what}')
            self.exchange()

    def run(self, seconds):
        end = self.time + seconds
        self.wait(f'{seconds} s go by', lambda: self.time >= end, seconds + 10)

    def exchange(self):
        self.bench.check_running()
        try:
            data = self.socket.recv(65536)
        except socket.timeout:
            return
        check(data, 'SITL closed the MAVLink connection')
        for message in self.mav.parse_buffer(data) or []:
            self.take(message)
        if self.throttle and self.time - self.throttle_sent > 0.3:  # ArduPilot forgets an override after 3 s
            self.set_throttle(self.throttle)

    def take(self, message):
        name = message.get_type()
        self.last[name] = message
        if name == 'HEARTBEAT':
            self.target = message.get_srcSystem(), message.get_srcComponent()
            self.armed = bool(message.base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED)
        elif name == 'STATUSTEXT':
            self.texts.append(message.text)
        elif name in ('SYSTEM_TIME', 'LOCAL_POSITION_NED'):
            now = message.time_boot_ms / 1000
            self.went_back |= self.time is not None and now < self.time
            self.time = now
        truth = self.last.get('SIM_STATE')
        if name == 'LOCAL_POSITION_NED' and truth:
            self.track.append((self.time, message.vx, message.x, truth.vn, truth.lat_int))

    def command(self, number, *parameters, may_be_denied=False):
        """Returns whether ArduRover accepted this MAVLink command."""
        self.last.pop('COMMAND_ACK', None)
        self.mav.command_long_send(*self.target, number, 0, *parameters, *[0] * (7 - len(parameters)))
        self.wait(f'command {number} is answered', lambda: 'COMMAND_ACK' in self.last, 30)
        answer = self.last['COMMAND_ACK']
        accepted = answer.command == number and answer.result == mavlink.MAV_RESULT_ACCEPTED
        check(accepted or may_be_denied, f'command {number} {parameters}: {answer}')
        return accepted

    def set_throttle(self, pwm):
        """Overrides RC channel 3, now and from now on."""
        self.throttle, self.throttle_sent = pwm, self.time
        unchanged = 65535
        self.mav.rc_channels_override_send(*self.target, unchanged, unchanged, pwm, *[unchanged] * 5)
        self.mav.heartbeat_send(mavlink.MAV_TYPE_GCS, mavlink.MAV_AUTOPILOT_INVALID, 0, 0, 0)


# ---- the test


def arm(pilot):
    def ekf_ready():
        flags = pilot.last['EKF_STATUS_REPORT'].flags if 'EKF_STATUS_REPORT' in pilot.last else EKF_NOT_YET
        return flags & EKF_USABLE == EKF_USABLE and not flags & EKF_NOT_YET

    pilot.wait('the EKF is ready', ekf_ready, 120)
    print(f'EKF ready at {pilot.time:.1f} s')
    pilot.set_throttle(1500)
    manual = 0
    pilot.command(mavlink.MAV_CMD_DO_SET_MODE, mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED, manual)
    give_up = pilot.time + 30  # the checks before arming can take a little longer than the EKF
    while not pilot.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1, may_be_denied=True):
        check(pilot.time < give_up, 'ArduRover does not arm')
        pilot.run(1)
    pilot.wait('armed', lambda: pilot.armed, 10)


def drive(pilot, name, pwm, speed, seconds):
    """Holds the throttle, and compares what the EKF believes, what is true, and what was asked for. With
    ArduRover's default parameters the whole range of the stick is the whole range of the servo."""
    pilot.set_throttle(pwm)
    # ArduRover moves the servo at a bounded rate (MOT_SLEWRATE). What counts starts a second after that.
    pilot.wait(f'servo 3 at {pwm}', lambda: abs(pilot.last['SERVO_OUTPUT_RAW'].servo3_raw - pwm) <= 2, 15)
    pilot.run(1)
    begin, wall = len(pilot.track), time.monotonic()
    pilot.run(seconds)
    wall = time.monotonic() - wall
    times, believed, north, true, latitude = zip(*pilot.track[begin:])

    duration = times[-1] - times[0]
    apart = max(abs(b - t) for b, t in zip(believed, true))
    ekf_distance, distance = north[-1] - north[0], (latitude[-1] - latitude[0]) * METRES_PER_LATITUDE_UNIT
    print(f'{name:9}  {pwm} us, {duration:4.1f} s: truth {min(true):+.3f} to {max(true):+.3f} m/s, '
          f'EKF {min(believed):+.3f} to {max(believed):+.3f} m/s, {apart:.3f} apart at most; '
          f'went {distance:+.2f} m, by EKF {ekf_distance:+.2f} m; {seconds / wall:.1f} times real time')
    check(max(abs(t - speed) for t in true) <= 0.02, f'{name}: the true speed is not {speed:+} m/s')
    check(apart <= 0.1, f'{name}: EKF and truth are {apart:.3f} m/s apart')
    for metres in distance, ekf_distance:
        check(abs(metres - speed * duration) <= 0.3, f'{name}: {metres:+.2f} m is not speed x time')
    check(pilot.armed, f'{name}: ArduRover disarmed')


def check_summary(rover, **expected):
    """Compares the counters in the rover's last line."""
    line = (rover.console() or [''])[-1]
    print(f'{rover.name} said: {line}')
    check(line.startswith('link online:'), f'{rover.name} did not end with "link online: ..."')
    counters = {name: int(count) for name, count in re.findall(r'(\w+) (\d+)', line)}
    check(counters.get('received', 0) > 0, f'{rover.name} received nothing')
    for name, count in expected.items():
        check(counters.get(name) == count, f'{rover.name} does not say "{name} {count}"')


def restart_rover(bench, pilot, rover, how):
    """Ends simpleRover and starts it again, at a standstill because the new one is at home and at rest."""
    before = pilot.time
    bench.stop(rover, how)
    rover, wall = bench.start_rover(), time.monotonic()
    pilot.wait('SITL goes on with the new simpleRover', lambda: pilot.time > before + 5, 60)
    print(f'simpleRover ended by {how.name} and started again: {pilot.time - before:.1f} s more by SITL\'s '
          f'clock after {time.monotonic() - wall:.1f} s wall')
    check(not pilot.went_back, 'SITL\'s clock went back with the new simpleRover')
    check(pilot.armed, 'ArduRover disarmed with the new simpleRover')
    return rover


def restart_sitl(bench, sitl, home):
    """Kills ArduRover and starts it again: the same simpleRover answers it, from home and from time 0."""
    bench.stop(sitl, signal.SIGKILL)
    bench.start_sitl()
    pilot = Pilot(bench)
    pilot.run(5)
    off = (pilot.last['SIM_STATE'].lat_int - home) * METRES_PER_LATITUDE_UNIT
    print(f'ArduRover killed and started again: its clock from {pilot.first_time:.1f} to {pilot.time:.1f} s, '
          f'the rover {off:+.2f} m from home')
    check(pilot.first_time < 10, 'the new ArduRover\'s clock does not start near 0')
    check(abs(off) <= 0.1, 'simpleRover did not go back home for the new ArduRover')


def test(bench):
    print(f'ArduRover at --speedup {bench.speedup:g}, instance {bench.instance}, '
          f'{"private" if bench.private else "shared"} loopback')
    rover, sitl = bench.start_rover(), bench.start_sitl()
    pilot = Pilot(bench)
    home = pilot.last['SIM_STATE'].lat_int
    arm(pilot)
    drive(pilot, 'forwards', 1900, +1, 10)
    drive(pilot, 'backwards', 1100, -1, 10)
    drive(pilot, 'stopped', 1500, 0, 5)

    second = restart_rover(bench, pilot, rover, signal.SIGINT)
    check_summary(rover, repeated=0, missed=0, drained=0, restarts=0, losses=0, rejected=0, refused=0)
    third = restart_rover(bench, pilot, second, signal.SIGKILL)
    drive(pilot, 'forwards', 1900, +1, 5)

    restart_sitl(bench, sitl, home)
    bench.stop(third, signal.SIGINT)
    check_summary(third, restarts=1, missed=0, rejected=0, refused=0)


# ---- the program


def reason_to_skip(ardurover):
    if not os.environ.get('AP_JSON_ARDUPILOT_BIN'):
        return 'AP_JSON_ARDUPILOT_BIN is not set'
    if not os.path.isfile(ardurover):
        return f'there is no {ardurover}'
    return None if mavlink else f'{sys.executable} has no pymavlink'


def main():
    parser = argparse.ArgumentParser(description='Drives simpleRover with the real ArduRover.')
    parser.add_argument('--simple-rover', required=True, metavar='PATH', help='the program simpleRover')
    parser.add_argument('--speedup', type=float, default=10, help='simulated seconds per second (default: 10)')
    options = parser.parse_args()
    ardurover = os.path.join(os.environ.get('AP_JSON_ARDUPILOT_BIN', ''), 'ardurover')
    reason = reason_to_skip(ardurover)
    if reason:
        print(f'skipped: {reason}. To run it: build ArduPilot (./waf configure --board sitl && ./waf rover), '
              'pip install pymavlink, and set AP_JSON_ARDUPILOT_BIN to ArduPilot\'s folder build/sitl/bin.')
        return SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # passes through the `finally` below
    sys.stdout.reconfigure(line_buffering=True)

    with tempfile.TemporaryDirectory(prefix='ap_json_ardupilot_') as folder:
        bench = Bench(options.simple_rover, ardurover, options.speedup, folder)
        try:
            test(bench)
        except (Failure, OSError, subprocess.TimeoutExpired) as failure:
            bench.report_failure(failure)
            return 1
        finally:
            for program in bench.running:
                program.stop(signal.SIGKILL)
    print('passed')
    return 0


if __name__ == '__main__':
    sys.exit(main())
