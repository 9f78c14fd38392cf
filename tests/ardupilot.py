"""What the end-to-end tests share: starts ArduPilot's SITL and physics backends, and flies or drives over MAVLink.

It needs ArduPilot's SITL binaries, in the folder that AP_JSON_ARDUPILOT_BIN names, and pymavlink; main() says that a
test is skipped where they are missing. Seconds are simulated time unless they are called wall.
"""
import ctypes
import os
import re
import select
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


class Skipped(Exception):
    """What is missing on this machine."""


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


def free_instance(count):
    """The first of `count` SITL instances in a row none of whose ports is in use: MAVLink, the physics backend, RC
    input."""
    tcp, udp = socket.SOCK_STREAM, socket.SOCK_DGRAM
    ports = (tcp, 5760), (tcp, 5762), (tcp, 5763), (udp, 9002), (udp, 5501)
    for first in range(100):
        if all(is_free(kind, port + 10 * (first + n)) for kind, port in ports for n in range(count)):
            return first
    raise Failure('no SITL instance from 0 to 99 has all its ports free')


def die_with_parent():
    """ctest ends a test that takes too long with SIGKILL: leave nothing running then either."""
    if sys.platform == 'linux':
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Program:
    """A process that this test has started. Its console goes to a file."""

    def __init__(self, name, argv, folder):
        self.name, self.console_path = name, os.path.join(folder, name + '.txt')
        os.makedirs(os.path.join(folder, name))  # for the files that SITL writes
        with open(self.console_path, 'wb') as console:
            self.process = subprocess.Popen(argv, cwd=os.path.join(folder, name), stdin=subprocess.DEVNULL,
                                            stdout=console, stderr=subprocess.STDOUT, preexec_fn=die_with_parent)

    def console(self):
        with open(self.console_path, errors='replace') as console:
            return console.read().splitlines()

    def stop(self, how):
        self.process.send_signal(how)  # does nothing if the process has ended already
        self.process.wait(10)


class Bench:
    """The programs under test: starts them, knows which are meant to run, and ends them."""

    def __init__(self, binaries, speedup, folder, instances=1):
        self.binaries, self.speedup, self.folder = os.path.abspath(binaries), speedup, folder
        self.private = enter_private_network()
        self.instance = 0 if self.private else free_instance(instances)
        self.started, self.running, self.pilots = [], [], []

    def describe(self):
        return f'--speedup {self.speedup:g}, instance {self.instance}, {"private" if self.private else "shared"} loopback'

    def start_backend(self, path, *options):
        backend = self.start(os.path.basename(path), os.path.abspath(path), '--instance', str(self.instance), *options)
        wait_wall(f'{backend.name} listens', lambda: self.check_running() or backend.console(), 10)
        return backend

    def start_sitl(self, vehicle, *options, number=0):
        """vehicle: the name of ArduPilot's program; number: of the instance, counted from this bench's first."""
        return self.start(vehicle, os.path.join(self.binaries, vehicle), '--model', 'JSON:127.0.0.1', '--speedup',
                          f'{self.speedup:g}', '--wipe', '-I', str(self.instance + number), *options)

    def default_parameters(self, *names):
        """The option that makes SITL start with these of ArduPilot's parameter files, which lie beside its sources."""
        folder = os.path.normpath(os.path.join(self.binaries, '../../../Tools/autotest/default_params'))
        paths = [os.path.join(folder, name) for name in names]
        for path in paths:
            if not os.path.isfile(path):
                raise Skipped(f'there is no {path}, which has ArduPilot\'s default parameters for this vehicle')
        return '--defaults', ','.join(paths)

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
            print('ArduPilot said:', *pilot.texts[-20:], sep='\n    ')
            newest = [message for name, message in pilot.last.items() if name in STREAMS + ('HEARTBEAT',)]
            print(f'Newest messages, at {pilot.time} s:', *newest, sep='\n    ')
        for program in self.started:
            print(f'Console of {program.name}:', *program.console()[-20:], sep='\n    ')


def check_summary(backend, **expected):
    """Compares the counters in the last line of a backend that has ended."""
    line = (backend.console() or [''])[-1]
    print(f'{backend.name} said: {line}')
    check('link online:' in line, f'{backend.name} did not end with "link online: ..."')
    counters = {name: int(count) for name, count in re.findall(r'(\w+) (\d+)', line)}
    check(counters.get('received', 0) > 0, f'{backend.name} received nothing')
    for name, count in expected.items():
        check(counters.get(name) == count, f'{backend.name} does not say "{name} {count}"')


# ---- MAVLink


class Pilot:
    """Flies or drives one SITL process over MAVLink, and takes the time from what it says. SITL does not even ask its
    physics backend for anything before somebody has connected here."""

    def __init__(self, bench, number=0):
        self.bench, self.port = bench, 5760 + 10 * (bench.instance + number)
        self.time = None        # of SITL's clock
        self.went_back = False  # SITL's clock did
        self.last = {}          # the newest message of each type
        self.track = []         # (time, speed by EKF, metres north by EKF, true speed, true latitude)
        self.texts = []
        self.target = 0, 0
        self.armed = False
        self.throttle, self.throttle_sent = None, 0
        wait_wall('SITL accepts a MAVLink connection', self.connect, 20)
        bench.pilots.append(self)
        self.wait('a heartbeat', lambda: self.target[0], 20)
        for name in STREAMS:  # 10 Hz each; intervals shorter than ArduRover's loop would be denied
            number = getattr(mavlink, 'MAVLINK_MSG_ID_' + name)
            self.command(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, number, 100000)
        self.wait('the time and the simulation\'s state', lambda: self.time and 'SIM_STATE' in self.last, 20)
        self.first_time = self.time

    def connect(self):
        self.bench.check_running()
        try:
            self.socket = socket.create_connection(('127.0.0.1', self.port), 1)
        except OSError:
            return False
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.mav = mavlink.MAVLink(self.socket.makefile('wb', 0), srcSystem=255, srcComponent=190)
        self.mav.robust_parsing = True
        return True

    def wait(self, what, done, seconds):
        """Goes on until done(). Gives up after so many simulated seconds, and after a wall time that leaves
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
        """Takes what has come, for the other pilots of the bench too: a SITL whose messages nobody takes stops, and
        with it the world that it shares with others."""
        self.bench.check_running()
        pilots = {pilot.socket: pilot for pilot in self.bench.pilots if pilot.socket.fileno() >= 0}
        for ready in select.select(list(pilots), [], [], 0.1)[0]:
            pilots[ready].take_data(ready.recv(65536))

    def take_data(self, data):
        if not data:
            self.socket.close()
            raise Failure('SITL closed the MAVLink connection')
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
        """Returns whether ArduPilot accepted this MAVLink command."""
        self.last.pop('COMMAND_ACK', None)
        self.mav.command_long_send(*self.target, number, 0, *parameters, *[0] * (7 - len(parameters)))
        self.wait(f'command {number} is answered', lambda: 'COMMAND_ACK' in self.last, 30)
        answer = self.last['COMMAND_ACK']
        accepted = answer.command == number and answer.result == mavlink.MAV_RESULT_ACCEPTED
        check(accepted or may_be_denied, f'command {number} {parameters}: {answer}')
        return accepted

    def set_mode(self, number):
        self.command(mavlink.MAV_CMD_DO_SET_MODE, mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED, number)

    def set_throttle(self, pwm):
        """Overrides RC channel 3, now and from now on."""
        self.throttle, self.throttle_sent = pwm, self.time
        unchanged = 65535
        self.mav.rc_channels_override_send(*self.target, unchanged, unchanged, pwm, *[unchanged] * 5)
        self.mav.heartbeat_send(mavlink.MAV_TYPE_GCS, mavlink.MAV_AUTOPILOT_INVALID, 0, 0, 0)

    def wait_for_ekf(self):
        def ready():
            flags = self.last['EKF_STATUS_REPORT'].flags if 'EKF_STATUS_REPORT' in self.last else EKF_NOT_YET
            return flags & EKF_USABLE == EKF_USABLE and not flags & EKF_NOT_YET

        self.wait('the EKF is ready', ready, 120)
        print(f'EKF ready at {self.time:.1f} s')

    def arm(self):
        """As ArduPilot's checks have it: nothing is forced. They can take a little longer than the EKF."""
        give_up = self.time + 60
        while not self.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1, may_be_denied=True):
            check(self.time < give_up, 'ArduPilot does not arm')
            self.run(1)
        self.wait('armed', lambda: self.armed, 10)


# ---- the program


def reason_to_skip(vehicles):
    if not os.environ.get('AP_JSON_ARDUPILOT_BIN'):
        return 'AP_JSON_ARDUPILOT_BIN is not set'
    for vehicle in vehicles:
        path = os.path.join(os.environ['AP_JSON_ARDUPILOT_BIN'], vehicle)
        if not os.path.isfile(path):
            return f'there is no {path}'
    return None if mavlink else f'{sys.executable} has no pymavlink'


def skip(reason):
    print(f'skipped: {reason}. To run it: build ArduPilot (./waf configure --board sitl && ./waf rover copter '
          'plane), pip install pymavlink, and set AP_JSON_ARDUPILOT_BIN to ArduPilot\'s folder build/sitl/bin.')
    return SKIPPED


def main(test, vehicles, speedup, instances=1):
    """Runs test(bench) and returns the program's exit code; leaves nothing running."""
    reason = reason_to_skip(vehicles)
    if reason:
        return skip(reason)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # passes through the `finally` below
    sys.stdout.reconfigure(line_buffering=True)

    with tempfile.TemporaryDirectory(prefix='ap_json_ardupilot_') as folder:
        bench = Bench(os.environ['AP_JSON_ARDUPILOT_BIN'], speedup, folder, instances)
        try:
            test(bench)
        except Skipped as reason:
            return skip(reason)
        except (Failure, OSError, subprocess.TimeoutExpired) as failure:
            bench.report_failure(failure)
            return 1
        finally:
            for program in bench.running:
                program.stop(signal.SIGKILL)
    print('passed')
    return 0
