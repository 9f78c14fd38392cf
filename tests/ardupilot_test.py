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
import signal
import sys
import time

import ardupilot
from ardupilot import METRES_PER_LATITUDE_UNIT, Pilot, check, check_summary

MANUAL = 0  # ArduRover's mode


class Programs:
    """How to start the two programs under test."""

    def __init__(self, bench, simple_rover):
        self.bench, self.simple_rover = bench, simple_rover

    def start_rover(self):
        return self.bench.start_backend(self.simple_rover)

    def start_sitl(self):
        return self.bench.start_sitl('ardurover')


def arm(pilot):
    pilot.wait_for_ekf()
    pilot.set_throttle(1500)
    pilot.set_mode(MANUAL)
    pilot.arm()


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


def restart_rover(programs, pilot, rover, how):
    """Ends simpleRover and starts it again, at a standstill because the new one is at home and at rest."""
    before = pilot.time
    programs.bench.stop(rover, how)
    rover, wall = programs.start_rover(), time.monotonic()
    pilot.wait('SITL goes on with the new simpleRover', lambda: pilot.time > before + 5, 60)
    print(f'simpleRover ended by {how.name} and started again: {pilot.time - before:.1f} s more by SITL\'s '
          f'clock after {time.monotonic() - wall:.1f} s wall')
    check(not pilot.went_back, 'SITL\'s clock went back with the new simpleRover')
    check(pilot.armed, 'ArduRover disarmed with the new simpleRover')
    return rover


def restart_sitl(programs, sitl, home):
    """Kills ArduRover and starts it again: the same simpleRover answers it, from home and from time 0."""
    bench = programs.bench
    bench.stop(sitl, signal.SIGKILL)
    bench.pilots.clear()
    programs.start_sitl()
    pilot = Pilot(bench)
    pilot.run(5)
    off = (pilot.last['SIM_STATE'].lat_int - home) * METRES_PER_LATITUDE_UNIT
    print(f'ArduRover killed and started again: its clock from {pilot.first_time:.1f} to {pilot.time:.1f} s, '
          f'the rover {off:+.2f} m from home')
    check(pilot.first_time < 10, 'the new ArduRover\'s clock does not start near 0')
    check(abs(off) <= 0.1, 'simpleRover did not go back home for the new ArduRover')


def test(programs):
    bench = programs.bench
    print(f'ArduRover at {bench.describe()}')
    rover, sitl = programs.start_rover(), programs.start_sitl()
    pilot = Pilot(bench)
    home = pilot.last['SIM_STATE'].lat_int
    arm(pilot)
    drive(pilot, 'forwards', 1900, +1, 10)
    drive(pilot, 'backwards', 1100, -1, 10)
    drive(pilot, 'stopped', 1500, 0, 5)

    second = restart_rover(programs, pilot, rover, signal.SIGINT)
    check_summary(rover, repeated=0, missed=0, drained=0, restarts=0, losses=0, rejected=0, refused=0)
    third = restart_rover(programs, pilot, second, signal.SIGKILL)
    drive(pilot, 'forwards', 1900, +1, 5)

    restart_sitl(programs, sitl, home)
    bench.stop(third, signal.SIGINT)
    check_summary(third, restarts=1, missed=0, rejected=0, refused=0)


def main():
    parser = argparse.ArgumentParser(description='Drives simpleRover with the real ArduRover.')
    parser.add_argument('--simple-rover', required=True, metavar='PATH', help='the program simpleRover')
    parser.add_argument('--speedup', type=float, default=10, help='simulated seconds per second (default: 10)')
    options = parser.parse_args()
    return ardupilot.main(lambda bench: test(Programs(bench, options.simple_rover)), ['ardurover'], options.speedup)


if __name__ == '__main__':
    sys.exit(main())
