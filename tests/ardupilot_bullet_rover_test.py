#!/usr/bin/env python3
"""The end-to-end test: examples/bullet_rover driven over its hills by the real ArduRover, with ArduPilot's own parameters.

It needs what ardupilot_test.py needs, and says that it is skipped where that is missing:

    AP_JSON_ARDUPILOT_BIN=.../ardupilot/build/sitl/bin \\
        python3 tests/ardupilot_bullet_rover_test.py --bullet-rover build/examples/bullet_rover --picture track.svg

Armed with all of ArduRover's checks, driven forwards and backwards in MANUAL, then to points in GUIDED. Seconds are
simulated time unless they are called wall; metres are true ones, from home.
"""
import argparse
import math
import os
import signal
import subprocess
import sys
import tempfile
import time

import ardupilot_test as base
from ardupilot_plane_test import Pilot, polyline
from ardupilot_test import Failure, check, mavlink

PARAMETERS = '../../../Tools/autotest/default_params/rover.parm'  # from the folder of ArduPilot's binaries
GUIDED, HOLD = 15, 4     # ArduRover's modes
ARRIVED = 3              # m: WP_RADIUS in rover.parm
POINTS = (40, -10), (40, 45), (-20, 45), (-20, 10)  # m north and east of home
POSITION_ONLY = 0b110111111100  # SET_POSITION_TARGET: ignore all but x, y, z


class Bench(base.Bench):
    def __init__(self, rover, ardurover, parameters, speedup, folder):
        super().__init__(rover, ardurover, speedup, folder)
        self.rover, self.parameters = os.path.abspath(rover), os.path.abspath(parameters)

    def start_rover(self):
        rover = self.start('bullet_rover', self.rover, '--instance', str(self.instance))
        base.wait_wall('bullet_rover listens', lambda: self.check_running() or rover.console(), 10)
        return rover

    def start_sitl(self):
        return self.start('ardurover', self.ardurover, '--model', 'JSON:127.0.0.1', '--speedup',
                          f'{self.speedup:g}', '--wipe', '-I', str(self.instance), '--defaults', self.parameters)


def speeds(points):
    return [math.dist(a[1:3], b[1:3]) / (b[0] - a[0]) for a, b in zip(points, points[1:]) if b[0] > a[0]]


def drive(pilot, name, pwm, seconds):
    begin = len(pilot.flight)
    pilot.set_throttle(pwm)
    pilot.run(seconds)
    points = pilot.flight[begin:]
    moved = points[-1][1] - points[0][1]
    apart = max(point[6] for point in points)
    print(f'MANUAL {name}: {moved:+.1f} m north in {seconds} s, EKF and truth {apart:.2f} m apart at most')
    check(pilot.armed and apart < 2, f'{name}: the EKF is off by {apart:.1f} m')
    return moved


def drive_to(pilot, place):
    """In GUIDED, by a position north and east of home."""
    begin, start, wall = len(pilot.flight), pilot.time, time.monotonic()
    latitude = pilot.home[0] + round(place[0] / base.METRES_PER_LATITUDE_UNIT)
    longitude = pilot.home[1] + round(place[1] / base.METRES_PER_LATITUDE_UNIT /
                                      math.cos(math.radians(pilot.home[0] * 1e-7)))
    pilot.mav.set_position_target_global_int_send(0, *pilot.target, mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT,
                                                  POSITION_ONLY, latitude, longitude, *[0] * 9)
    distance = lambda: math.dist(pilot.flight[-1][1:3], place)
    pilot.wait(f'the point {place}', lambda: distance() < ARRIVED, 90)
    pilot.run(10)  # until it stands there
    points = pilot.flight[begin:]
    print(f'GUIDED to {place[0]:+}, {place[1]:+} m: {pilot.time - start - 10:.1f} s, at most '
          f'{max(speeds(points)):.1f} m/s, heights {min(p[3] for p in points):+.1f} to '
          f'{max(p[3] for p in points):+.1f} m, ended {distance():.2f} m off; '
          f'{(pilot.time - start) / (time.monotonic() - wall):.1f} times real time')
    check(distance() < ARRIVED, f'it did not stay at {place}')


def test(bench, picture):
    print(f'ArduRover at --speedup {bench.speedup:g}, instance {bench.instance}')
    rover, _ = bench.start_rover(), bench.start_sitl()
    wall = time.monotonic()
    pilot = Pilot(bench)
    try:
        base.arm(pilot)
        print('armed; said:', '; '.join(text for text in pilot.texts if 'rm' in text))
        pilot.texts_before_arming = len(pilot.texts)
        check(drive(pilot, 'forwards', 1600, 5) > 3, 'it did not drive forwards')
        drive(pilot, 'stop', 1500, 8)
        check(drive(pilot, 'backwards', 1400, 5) < -3, 'it did not drive backwards')
        drive(pilot, 'stop', 1500, 8)
        pilot.set_mode(GUIDED)
        for place in POINTS:
            drive_to(pilot, place)
        pilot.set_mode(HOLD)
        pilot.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 0)
    finally:
        if picture:
            draw(picture, pilot.flight)
    trouble = pilot.trouble()
    print(f'{pilot.time:.0f} s in {time.monotonic() - wall:.0f} s wall; EKF and truth '
          f'{max(point[6] for point in pilot.flight):.2f} m apart at most; largest EKF variance while armed '
          f'{pilot.variance:.2f}; complaints: {"; ".join(trouble) or "none"}')
    check(pilot.variance < 1 and not trouble, 'the EKF was not content')
    bench.stop(rover, signal.SIGINT)
    base.check_summary(rover, missed=0, drained=0, restarts=0, losses=0, rejected=0, refused=0)


def draw(path, track):
    """The track from above, and the height over time, as an SVG."""
    points, scale = track[::5], 5
    place = lambda north, east: (40 + (east + 25) * scale, 20 + (55 - north) * scale)
    chart = lambda at, height: (40 + at / max(points[-1][0], 1) * 400, 530 - 20 * height)
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 600" font-family="sans-serif" font-size="12">'
             '<rect width="100%" height="100%" fill="white"/>',
             polyline([place(*point[1:3]) for point in points], 'fill="none" stroke="#06c" stroke-width="1.5"')]
    for name, (x, y) in [('home', place(0, 0))] + [(f'{n}, {e} m', place(n, e)) for n, e in POINTS]:
        parts.append(f'<circle cx="{x}" cy="{y}" r="4" fill="#c30"/><text x="{x + 7}" y="{y + 4}">{name}</text>')
    parts += [polyline([chart(point[0], point[3]) for point in points], 'fill="none" stroke="#06c"'),
              polyline([chart(0, 0), chart(points[-1][0], 0)], 'stroke="#999"'),
              f'<text x="40" y="590">height over time, {min(p[3] for p in points):.1f} to '
              f'{max(p[3] for p in points):.1f} m, 0 to {points[-1][0]:.0f} s</text></svg>']
    with open(path, 'w') as file:
        file.write('\n'.join(parts) + '\n')


def main():
    parser = argparse.ArgumentParser(description='Drives the example bullet_rover with the real ArduRover.')
    parser.add_argument('--bullet-rover', required=True, metavar='PATH', help='the program bullet_rover')
    parser.add_argument('--speedup', type=float, default=10, help='simulated seconds per second (default: 10)')
    parser.add_argument('--picture', metavar='FILE.svg', help='draws the driven track')
    options = parser.parse_args()
    folder = os.environ.get('AP_JSON_ARDUPILOT_BIN', '')
    ardurover, parameters = os.path.join(folder, 'ardurover'), os.path.join(folder, PARAMETERS)
    reason = base.reason_to_skip(ardurover)
    if not reason and not os.path.isfile(parameters):
        reason = f'there is no {parameters} (ArduPilot\'s parameters for its rover)'
    if reason:
        print(f'skipped: {reason}. To run it: build ArduPilot (./waf configure --board sitl && ./waf rover), '
              'pip install pymavlink, and set AP_JSON_ARDUPILOT_BIN to ArduPilot\'s folder build/sitl/bin.')
        return base.SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # passes through the `finally` below
    sys.stdout.reconfigure(line_buffering=True)

    with tempfile.TemporaryDirectory(prefix='ap_json_ardupilot_bullet_') as folder:
        bench = Bench(options.bullet_rover, ardurover, parameters, options.speedup, folder)
        try:
            test(bench, options.picture)
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
