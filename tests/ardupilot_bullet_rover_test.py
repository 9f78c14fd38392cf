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
import signal
import sys
import time

import ardupilot
import track_picture
from ardupilot import METRES_PER_LATITUDE_UNIT, check, check_summary, mavlink
from ardupilot_plane_test import Pilot
from ardupilot_test import arm

GUIDED, HOLD = 15, 4     # ArduRover's modes
ARRIVED = 3              # m: WP_RADIUS in rover.parm
POINTS = (40, -10), (40, 45), (-20, 45), (-20, 10)  # m north and east of home
POSITION_ONLY = 0b110111111100  # SET_POSITION_TARGET: ignore all but x, y, z


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
    latitude = pilot.home[0] + round(place[0] / METRES_PER_LATITUDE_UNIT)
    longitude = pilot.home[1] + round(place[1] / METRES_PER_LATITUDE_UNIT /
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


def test(bench, options):
    print(f'ArduRover at {bench.describe()}')
    rover = bench.start_backend(options.bullet_rover)
    bench.start_sitl('ardurover', *bench.default_parameters('rover.parm'))
    wall = time.monotonic()
    pilot = Pilot(bench)
    try:
        arm(pilot)
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
        if options.picture:
            track_picture.write(options.picture, [('bullet_rover', [point[:4] for point in pilot.flight])])
    trouble = pilot.trouble()
    print(f'{pilot.time:.0f} s in {time.monotonic() - wall:.0f} s wall; EKF and truth '
          f'{max(point[6] for point in pilot.flight):.2f} m apart at most; largest EKF variance while armed '
          f'{pilot.variance:.2f}; complaints: {"; ".join(trouble) or "none"}')
    check(pilot.variance < 1 and not trouble, 'the EKF was not content')
    bench.stop(rover, signal.SIGINT)
    check_summary(rover, missed=0, drained=0, restarts=0, losses=0, rejected=0, refused=0)


def main():
    parser = argparse.ArgumentParser(description='Drives the example bullet_rover with the real ArduRover.')
    parser.add_argument('--bullet-rover', required=True, metavar='PATH', help='the program bullet_rover')
    parser.add_argument('--speedup', type=float, default=10, help='simulated seconds per second (default: 10)')
    parser.add_argument('--picture', metavar='FILE.svg', help='draws the driven track')
    options = parser.parse_args()
    return ardupilot.main(lambda bench: test(bench, options), ['ardurover'], options.speedup)


if __name__ == '__main__':
    sys.exit(main())
