#!/usr/bin/env python3
"""The end-to-end test: examples/plane flown by the real ArduPlane, with ArduPilot's own parameters for its plane.

It needs what ardupilot_test.py needs, and says that it is skipped where that is missing:

    AP_JSON_ARDUPILOT_BIN=.../ardupilot/build/sitl/bin \\
        python3 tests/ardupilot_plane_test.py --plane build/examples/plane --picture track.svg

One flight: armed with all of ArduPlane's checks, TAKEOFF from the runway, LOITER, then an AUTO mission round a
rectangle and back onto the runway, where ArduPlane disarms by itself. Seconds are simulated time unless they are
called wall; metres are true ones, from home.
"""
import argparse
import math
import signal
import sys
import time

import ardupilot
import track_picture
from ardupilot import METRES_PER_LATITUDE_UNIT, check, check_summary, mavlink

PARAMETERS = '../models/plane.parm'  # from the folder of ArduPilot's default parameters
TAKEOFF, LOITER, AUTO = 13, 12, 10  # ArduPlane's modes
TAKEOFF_ALTITUDE = 50    # m above home: the default of TKOFF_ALT
LOITER_RADIUS = 80       # m: WP_LOITER_RAD in plane.parm
CRUISE_ALTITUDE = 60     # m above home, in the mission
RECTANGLE = (-200, 300), (300, 300), (300, -300), (-200, -300), (-200, 300)  # m north and east of home
APPROACH = (-650, 0), (-400, 0)                                              # of the landing, to the north
APPROACH_ALTITUDES = 45, 30
MORE_STREAMS = 'VFR_HUD', 'ATTITUDE'
WORDS_OF_TROUBLE = 'variance', 'nhealthy', 'failsafe on', 'lane switch', 'rror', 'DCM active', 'Crash', 'glitch'


class Pilot(ardupilot.Pilot):
    """Also keeps the true flight: (time, north, east, height, climb rate, airspeed, distance between EKF and truth)."""

    def __init__(self, bench):
        self.flight, self.home, self.variance, self.texts_before_arming = [], None, 0, 0
        super().__init__(bench)
        for name in MORE_STREAMS:
            self.command(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL,
                         getattr(mavlink, 'MAVLINK_MSG_ID_' + name), 100000)

    def take(self, message):
        super().take(message)
        name = message.get_type()
        if name == 'SIM_STATE':
            if self.home is None:
                self.home = message.lat_int, message.lon_int, message.alt
            self.record(message)
        elif name == 'EKF_STATUS_REPORT' and self.armed:
            self.variance = max(self.variance, message.velocity_variance, message.pos_horiz_variance,
                                message.pos_vert_variance, message.compass_variance)

    def record(self, truth):
        north = (truth.lat_int - self.home[0]) * METRES_PER_LATITUDE_UNIT
        east = ((truth.lon_int - self.home[1]) * METRES_PER_LATITUDE_UNIT *
                math.cos(math.radians(self.home[0] * 1e-7)))
        ekf, hud = self.last.get('LOCAL_POSITION_NED'), self.last.get('VFR_HUD')
        # The newest estimate is up to 0.1 s older than the truth, or newer: moved to the same time.
        age = (self.time or 0) - ekf.time_boot_ms / 1000 if ekf else 0
        apart = math.dist((north, east), (ekf.x + age * ekf.vx, ekf.y + age * ekf.vy)) if ekf else 0
        self.flight.append((self.time or 0, north, east, truth.alt - self.home[2], -truth.vd,
                            hud.airspeed if hud else 0, apart))

    def trouble(self):
        """What was said since arming that does not belong to a good flight."""
        return [text for text in self.texts[self.texts_before_arming:]
                if any(word in text for word in WORDS_OF_TROUBLE)]

    def height(self):
        return self.flight[-1][3]

    def upload(self, items):
        """A mission: (MAVLink command, north, east, height) each."""
        self.mav.mission_count_send(*self.target, len(items), mavlink.MAV_MISSION_TYPE_MISSION)
        self.last.pop('MISSION_ACK', None)

        def uploaded():
            request = self.last.pop('MISSION_REQUEST', None) or self.last.pop('MISSION_REQUEST_INT', None)
            if request:
                self.send_item(request.seq, *items[request.seq])
            return 'MISSION_ACK' in self.last
        self.wait('the mission is uploaded', uploaded, 60)
        check(self.last['MISSION_ACK'].type == mavlink.MAV_MISSION_ACCEPTED, f'{self.last["MISSION_ACK"]}')

    def send_item(self, number, command, north, east, height):
        latitude = self.home[0] + round(north / METRES_PER_LATITUDE_UNIT)
        longitude = self.home[1] + round(east / METRES_PER_LATITUDE_UNIT /
                                         math.cos(math.radians(self.home[0] * 1e-7)))
        self.mav.mission_item_int_send(*self.target, number, mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT, command, 0, 1,
                                       0, 0, 0, 0, latitude, longitude, height)


# ---- the flight


def arm(pilot):
    """With ArduPlane's checks, not forced."""
    pilot.wait_for_ekf()
    moved = max(max(abs(place) for place in point[1:4]) for point in pilot.flight)
    check(moved < 0.02, f'the plane moved by {moved} m before it was armed')
    pilot.set_mode(TAKEOFF)
    reported = len(pilot.texts)
    pilot.arm()
    pilot.texts_before_arming = len(pilot.texts)
    print(f'armed at {pilot.time:.1f} s;', 'said: ' + '; '.join(pilot.texts[reported:]))


def take_off(pilot):
    start = pilot.time
    pilot.wait('in the air', lambda: pilot.height() > 1, 60)
    print(f'take-off: in the air after {pilot.time - start:.1f} s and {math.hypot(*pilot.flight[-1][1:3]):.0f} m, ',
          end='')
    pilot.wait(f'{TAKEOFF_ALTITUDE} m high', lambda: pilot.height() > TAKEOFF_ALTITUDE - 5, 60)
    print(f'{TAKEOFF_ALTITUDE - 5} m high after {pilot.time - start:.1f} s')
    pilot.run(5)


def span(values):
    return f'{min(values):.1f} to {max(values):.1f}'


def loiter(pilot, seconds):
    before = pilot.height()
    pilot.set_mode(LOITER)
    pilot.run(30)  # until it is on the circle
    begin, wall = len(pilot.flight), time.monotonic()
    pilot.run(seconds)
    wall = time.monotonic() - wall
    _, north, east, height, _, speed, _ = zip(*pilot.flight[begin:])
    centre = (min(north) + max(north)) / 2, (min(east) + max(east)) / 2
    radii = [math.dist(centre, place) for place in zip(north, east)]
    print(f'loiter: {seconds} s, radius {span(radii)} m, height {span(height)} m, airspeed {span(speed)} m/s, '
          f'{seconds / wall:.1f} times real time')
    # LOITER keeps the height at which it was chosen.
    check(max(abs(h - before) for h in height) < 3, f'the height is not the {before:.1f} m from before')
    check(max(abs(r - LOITER_RADIUS) for r in radii) < 15, f'the radius is not {LOITER_RADIUS} m')


def mission():
    waypoint, land = mavlink.MAV_CMD_NAV_WAYPOINT, mavlink.MAV_CMD_NAV_LAND
    corners = [(waypoint, *corner, CRUISE_ALTITUDE) for corner in RECTANGLE]
    approach = [(waypoint, *place, height) for place, height in zip(APPROACH, APPROACH_ALTITUDES)]
    return [(waypoint, 0, 0, 0)] + corners + approach + [(land, 0, 0, 0)]  # the first is home


def off_line(place, begin, end):
    """How far the place is from the line from begin to end, and how far along it, 0 to 1."""
    along = end[0] - begin[0], end[1] - begin[1]
    offset = place[0] - begin[0], place[1] - begin[1]
    length = math.hypot(*along)
    return ((along[0] * offset[1] - along[1] * offset[0]) / length,
            (along[0] * offset[0] + along[1] * offset[1]) / length ** 2)


def fly_rectangle(pilot):
    pilot.upload(mission())
    pilot.set_mode(AUTO)
    current = lambda: pilot.last['MISSION_CURRENT'].seq if 'MISSION_CURRENT' in pilot.last else 0
    pilot.wait('the first corner', lambda: current() > 1, 180)
    start = pilot.time
    for leg, (begin, end) in enumerate(zip(RECTANGLE, RECTANGLE[1:]), 2):
        first = len(pilot.flight)
        pilot.wait(f'corner {leg}', lambda: current() > leg, 120)
        # ArduPlane cuts corners: what counts is the second half of each leg.
        points = [(off_line(point[1:3], begin, end), point) for point in pilot.flight[first:]]
        points = [(off, point) for off, point in points if off[1] > 0.5]
        off = max(abs(off[0]) for off, _ in points)
        heights = [point[3] for _, point in points]
        print(f'leg {leg - 1} of the rectangle: off the line by {off:.1f} m at most, height {span(heights)} m, '
              f'airspeed {span([point[5] for _, point in points])} m/s')
        check(off < 10, 'off the line')
        check(max(abs(h - CRUISE_ALTITUDE) for h in heights) < 6, f'the height is not {CRUISE_ALTITUDE} m')
    print(f'rectangle: {pilot.time - start:.1f} s')


def land(pilot):
    start = pilot.time
    pilot.wait('touchdown', lambda: pilot.height() < 0.1, 200)
    climb = min(point[4] for point in pilot.flight[-5:])
    print(f'touchdown {pilot.time - start:.1f} s later at {pilot.flight[-1][1]:+.1f} m north, '
          f'{pilot.flight[-1][2]:+.1f} m east of where to land, sinking at {-climb:.2f} m/s, ', end='')
    pilot.wait('disarmed by itself', lambda: not pilot.armed, 120)
    print(f'stands at {pilot.flight[-1][1]:+.1f}, {pilot.flight[-1][2]:+.1f} m, disarmed {pilot.time - start:.1f} s '
          'after the rectangle')
    check(abs(pilot.height()) < 0.05, 'the plane does not stand on its wheels')
    check(math.hypot(*pilot.flight[-1][1:3]) < 200, 'the landing is far off')


def summary(pilot, wall):
    apart = max(point[6] for point in pilot.flight)
    trouble = pilot.trouble()
    print(f'{pilot.time:.0f} s of simulated time in {wall:.0f} s wall: {pilot.time / wall:.1f} times real time')
    print(f'EKF and truth {apart:.1f} m apart at most; largest EKF variance while armed {pilot.variance:.2f}')
    print('said about EKF, AHRS and failsafes in flight:', '; '.join(trouble) or 'nothing')
    check(pilot.variance < 1 and not trouble, 'the EKF was not content')


def test(bench, options):
    print(f'ArduPlane at {bench.describe()}, wind {options.wind} m/s')
    plane = bench.start_backend(options.plane, f'--wind={options.wind}')
    bench.start_sitl('arduplane', *bench.default_parameters(PARAMETERS))
    wall = time.monotonic()
    pilot = Pilot(bench)
    try:
        arm(pilot)
        take_off(pilot)
        loiter(pilot, 60)
        fly_rectangle(pilot)
        land(pilot)
    finally:
        if options.picture:
            track_picture.write(options.picture, [('plane', [point[:4] for point in pilot.flight])])
    summary(pilot, time.monotonic() - wall)
    bench.stop(plane, signal.SIGINT)
    check_summary(plane, missed=0, drained=0, restarts=0, losses=0, rejected=0, refused=0)


# ---- the program


def main():
    parser = argparse.ArgumentParser(description='Flies the example plane with the real ArduPlane.')
    parser.add_argument('--plane', required=True, metavar='PATH', help='the program plane')
    parser.add_argument('--speedup', type=float, default=10, help='simulated seconds per second (default: 10)')
    parser.add_argument('--wind', default='0,0', metavar='NORTH,EAST', help='m/s, where the air moves to')
    parser.add_argument('--picture', metavar='FILE.svg', help='draws the flown track')
    options = parser.parse_args()
    return ardupilot.main(lambda bench: test(bench, options), ['arduplane'], options.speedup)


if __name__ == '__main__':
    sys.exit(main())
