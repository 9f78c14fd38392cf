#!/usr/bin/env python3
"""The end-to-end test of the example vehicles: rover, quadcopter and swarm, driven and flown by the real ArduPilot.

It needs ArduPilot's SITL binaries, its default parameter files beside them, and pymavlink, and says that it is skipped
where they are missing:

    AP_JSON_ARDUPILOT_BIN=.../ardupilot/build/sitl/bin \\
        python3 tests/ardupilot_vehicles_test.py --examples build/examples --vehicle quadcopter

Nothing is forced and no parameter is bent: ArduPilot's own defaults, arming with all checks. --picture FILE draws the
track, as it truly was, as SVG. Seconds are simulated time unless they are called wall.
"""
import argparse
import math
import os
import signal
import sys
import time

import ardupilot
import track_picture
from ardupilot import METRES_PER_LATITUDE_UNIT, Pilot, check, check_summary, mavlink

COPTER_GUIDED, COPTER_LAND = 4, 9
ROVER_AUTO, ROVER_GUIDED, ROVER_HOLD = 10, 15, 4
POSITION_ONLY = 0b110111111000  # SET_POSITION_TARGET_LOCAL_NED: ignore all but x, y, z
SWARM_DIAMETER = 0.7    # m, of the spheres that do not pass through each other
COMPLAINTS = 'EKF variance', 'EKF primary', 'GPS Glitch', 'Failsafe', 'Vibration', 'Crash', 'thrust loss', 'unhealthy'


class Truth:
    """Where the vehicle really is, in metres north, east and up from home, and all that was seen of it so far."""

    def __init__(self, pilot, home=None):
        """home: of another vehicle in the same world; else where this one is now."""
        self.pilot, self.places, self.outputs, self.worst_ekf = pilot, [], [], 0
        state = pilot.last['SIM_STATE']
        self.home = home or (state.lat_int, state.lon_int, state.alt)
        take = pilot.take

        def take_and_note(message):
            take(message)
            if message.get_type() == 'SIM_STATE':
                self.places.append((pilot.time, *self.place()))
            elif message.get_type() == 'SERVO_OUTPUT_RAW':
                self.outputs.append([message.servo1_raw, message.servo2_raw, message.servo3_raw, message.servo4_raw])
            elif message.get_type() == 'EKF_STATUS_REPORT' and pilot.armed:
                self.worst_ekf = max(self.worst_ekf, message.velocity_variance, message.pos_horiz_variance,
                                     message.pos_vert_variance, message.compass_variance)

        pilot.take = take_and_note

    def place(self):
        state = self.pilot.last['SIM_STATE']
        latitude, longitude, altitude = self.home
        east_scale = METRES_PER_LATITUDE_UNIT * math.cos(math.radians(latitude * 1e-7))
        return ((state.lat_int - latitude) * METRES_PER_LATITUDE_UNIT, (state.lon_int - longitude) * east_scale,
                state.alt - altitude)


class Clock:
    """How fast simulated time goes against the wall's."""

    def __init__(self, pilot):
        self.pilot, self.time, self.wall = pilot, pilot.time, time.monotonic()

    def report(self):
        print(f'{(self.pilot.time - self.time) / (time.monotonic() - self.wall):.1f} times real time')


def complaints(pilot):
    return [text for text in pilot.texts if any(word.lower() in text.lower() for word in COMPLAINTS)]


def report_texts(truth):
    """What ArduPilot said, and the worst of the EKF's test ratios while armed: at 1 it begins to doubt its sensors."""
    pilot = truth.pilot
    print('ArduPilot said:', *pilot.texts, sep='\n    ')
    print('complaints:', complaints(pilot) or 'none', f'; worst test ratio of the EKF {truth.worst_ekf:.2f}')


def go_to(pilot, north, east, down):
    pilot.mav.set_position_target_local_ned_send(0, *pilot.target, mavlink.MAV_FRAME_LOCAL_NED, POSITION_ONLY, north,
                                                 east, down, 0, 0, 0, 0, 0, 0, 0, 0)


def corners(side):
    return [(side, 0), (side, side), (0, side), (0, 0)]


def distance_to_leg(place, begin, end):
    """From a place to the straight line between two corners: metres, all as (north, east, ...)."""
    leg = end[0] - begin[0], end[1] - begin[1]
    away = place[0] - begin[0], place[1] - begin[1]
    length = math.hypot(*leg)
    along = min(max((away[0] * leg[0] + away[1] * leg[1]) / length**2, 0), 1)
    return math.hypot(away[0] - along * leg[0], away[1] - along * leg[1])


# ---- copters


def take_off(pilot, truth, metres):
    pilot.set_mode(COPTER_GUIDED)
    pilot.arm()
    print(f'armed at {pilot.time:.1f} s')
    begin = pilot.time
    pilot.command(mavlink.MAV_CMD_NAV_TAKEOFF, 0, 0, 0, 0, 0, 0, metres)
    pilot.wait(f'{metres} m are reached', lambda: truth.place()[2] > metres - 0.5, 60)
    print(f'{metres} m reached within 0.5 m in {pilot.time - begin:.1f} s')


def hold(pilot, truth, place, seconds, tolerance):
    """Stays where it is; place: metres north, east and up where it was told to be."""
    pilot.run(8)  # comes to rest
    begin, first = len(truth.places), len(truth.outputs)
    pilot.run(seconds)
    held, outputs = truth.places[begin:], truth.outputs[first:]
    sideways = max(math.hypot(p[1] - place[0], p[2] - place[1]) for p in held)
    vertical = max(abs(p[3] - place[2]) for p in held)
    print(f'held for {seconds} s: at most {sideways:.2f} m off sideways, {vertical:.2f} m in altitude')
    print('servos 1 to 4 meanwhile:', ', '.join(f'{min(each)} to {max(each)}' for each in zip(*outputs)), 'us')
    check(sideways <= tolerance and vertical <= tolerance, f'did not hold within {tolerance} m')


def fly_square(pilot, truth, side, altitude):
    """Clockwise from where it is, which is the origin of the EKF."""
    begin, worst, at_corners = (0, 0), 0, []
    start = pilot.time
    for corner in corners(side):
        go_to(pilot, *corner, -altitude)
        first = len(truth.places)
        pilot.wait(f'corner {corner}', lambda: math.dist(truth.place(), (*corner, altitude)) < 0.5, 60)
        pilot.run(3)
        worst = max([worst] + [distance_to_leg(p[1:], begin, corner) for p in truth.places[first:]])
        at_corners.append(math.dist(truth.place(), (*corner, altitude)))
        begin = corner
    print(f'square of {side} m flown in {pilot.time - start:.1f} s: at most {worst:.2f} m beside its sides, '
          f'{max(at_corners):.2f} m off its corners')
    check(worst <= 1.5, f'{worst:.2f} m beside the square')


def land(pilot, truth, place):
    pilot.set_mode(COPTER_LAND)
    wait_for_landing(pilot, truth, place, pilot.time)


def wait_for_landing(pilot, truth, place, start):
    pilot.wait('ArduCopter disarms by itself', lambda: not pilot.armed, 90)
    north, east, up = truth.place()
    off = math.hypot(north - place[0], east - place[1])
    print(f'landed, and disarmed by itself after {pilot.time - start:.1f} s, {off:.2f} m off, {up:+.2f} m up')
    check(off <= 1 and abs(up) <= 0.1, 'landed elsewhere')
    pilot.run(3)
    check(abs(pilot.last['SIM_STATE'].zgyro) < 1e-6, 'does not stand still')


def test_quadcopter(bench, options, wind=None):
    slow = ['--frame-rate', str(options.frame_rate)] if options.frame_rate else []
    backend = bench.start_backend(os.path.join(options.examples, 'quadcopter'), *(['--wind', wind] if wind else []), *slow)
    bench.start_sitl('arducopter', *bench.default_parameters('copter.parm', 'copter-X.parm'))
    pilot = Pilot(bench)
    truth, clock = Truth(pilot), Clock(pilot)
    pilot.wait_for_ekf()
    take_off(pilot, truth, 10)
    hold(pilot, truth, (0, 0, 10), 30, 0.5)
    fly_square(pilot, truth, 20, 10)
    land(pilot, truth, (0, 0))
    clock.report()
    report_texts(truth)
    check(not complaints(pilot), 'ArduCopter complains')
    bench.stop(backend, signal.SIGINT)
    check_summary(backend, missed=0, drained=0, restarts=0, losses=0, rejected=0, refused=0)
    return [('quadcopter', truth.places)]


def check_apart(truths):
    """No two of them have been within each other, nor has one been below the ground."""
    nearest = lowest = math.inf
    for n, truth in enumerate(truths):
        lowest = min([lowest] + [p[3] for p in truth.places])
        for other in truths[n + 1:]:
            at = {round(p[0], 1): p[1:] for p in other.places}
            nearest = min([nearest] + [math.dist(p[1:], at[round(p[0], 1)]) for p in truth.places
                                       if round(p[0], 1) in at])
    print(f'nearest to each other {nearest:.2f} m, centre to centre; lowest {lowest:+.2f} m up')
    check(SWARM_DIAMETER - 0.1 < nearest < SWARM_DIAMETER + 0.1, 'they did not touch, or went through each other')
    check(lowest > -0.05, 'one went through the ground')


def test_swarm(bench, options):
    """Three take off to the same altitude; the first flies to where the second one hovers, which has to keep it out,
    and back; all land."""
    count = 3
    backend = bench.start_backend(os.path.join(options.examples, 'swarm'), '--vehicles', str(count))
    for n in range(count):
        bench.start_sitl('arducopter', *bench.default_parameters('copter.parm', 'copter-X.parm'), number=n)
    pilots = [Pilot(bench, n) for n in range(count)]
    clock, truths = Clock(pilots[0]), [Truth(pilots[0])]
    truths += [Truth(pilot, truths[0].home) for pilot in pilots[1:]]
    for n, pilot in enumerate(pilots):
        pilot.wait_for_ekf()
        take_off(pilot, truths[n], 10)
    hold(pilots[2], truths[2], (0, 10, 10), 10, 0.5)
    go_to(pilots[0], 0, 5, -10)
    pilots[0].wait('vehicle 0 touches vehicle 1', lambda: math.dist(truths[0].place(), truths[1].place()) < 0.8, 30)
    pilots[0].run(5)
    for n in 0, 1:
        print(f'vehicle {n} told to be 0 m north, 5 m east, 10 m up is at {["%.2f" % x for x in truths[n].place()]}')
    go_to(pilots[0], 0, 0, -10)
    pilots[0].run(10)
    start = pilots[0].time
    for pilot in pilots:
        pilot.set_mode(COPTER_LAND)
    for n, pilot in enumerate(pilots):
        wait_for_landing(pilot, truths[n], (0, 5 * n), start)
    check_apart(truths)
    clock.report()
    for truth in truths:
        report_texts(truth)
    bench.stop(backend, signal.SIGINT)
    check_summary(backend, restarts=0, rejected=0, refused=0)
    return [(f'vehicle {n}', truth.places) for n, truth in enumerate(truths)]


# ---- rovers


def report_square(mode, side, seconds, places):
    legs = list(zip([(0, 0)] + corners(side), corners(side)))
    worst = max(min(distance_to_leg(place[1:], *leg) for leg in legs) for place in places)
    print(f'{mode}: square of {side} m driven in {seconds:.1f} s, at most {worst:.2f} m beside its sides')
    check(worst <= 3, f'{worst:.2f} m beside the square')


def drive_square(pilot, truth, side):
    """GUIDED: to each corner, clockwise."""
    pilot.set_mode(ROVER_GUIDED)
    start, first = pilot.time, len(truth.places)
    for corner in corners(side):
        go_to(pilot, *corner, 0)
        # Within ArduRover's WP_RADIUS of 3 m it takes a corner as reached.
        pilot.wait(f'corner {corner}', lambda: math.dist(truth.place()[:2], corner) < 3, 60)
    report_square('GUIDED', side, pilot.time - start, truth.places[first:])


def upload_mission(pilot, truth, places):
    """Waypoints, as (north, east); the first item of a mission is home."""
    latitude, longitude, _ = truth.home
    scale = METRES_PER_LATITUDE_UNIT, METRES_PER_LATITUDE_UNIT * math.cos(math.radians(latitude * 1e-7))
    items = [(0, 0)] + places
    pilot.last.pop('MISSION_ACK', None)
    pilot.mav.mission_count_send(*pilot.target, len(items))
    sent = -1
    while 'MISSION_ACK' not in pilot.last:
        pilot.wait('the mission is asked for', lambda: {'MISSION_REQUEST', 'MISSION_REQUEST_INT', 'MISSION_ACK'}
                   & set(pilot.last), 30)
        request = pilot.last.pop('MISSION_REQUEST', None) or pilot.last.pop('MISSION_REQUEST_INT', None)
        if not request:
            continue
        sent = request.seq
        north, east = items[sent]
        pilot.mav.mission_item_int_send(*pilot.target, sent, mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT_INT,
                                        mavlink.MAV_CMD_NAV_WAYPOINT, 0, 1, 0, 0, 0, 0,
                                        round(latitude + north / scale[0]), round(longitude + east / scale[1]), 0)
    check(pilot.last['MISSION_ACK'].type == 0, f'mission: {pilot.last["MISSION_ACK"]}')


def drive_mission(pilot, truth, side):
    """AUTO: the same square as a mission."""
    upload_mission(pilot, truth, corners(side))
    pilot.set_mode(ROVER_AUTO)
    start, first = pilot.time, len(truth.places)
    pilot.wait('the mission is complete', lambda: any('Mission Complete' in text for text in pilot.texts), 120)
    report_square('AUTO', side, pilot.time - start, truth.places[first:])


def test_rover(bench, options, drive='ackermann'):
    backend = bench.start_backend(os.path.join(options.examples, 'rover'), '--drive', drive)
    files = ['rover.parm'] + (['rover-skid.parm'] if drive == 'skid' else [])
    bench.start_sitl('ardurover', *bench.default_parameters(*files))
    pilot = Pilot(bench)
    truth, clock = Truth(pilot), Clock(pilot)
    pilot.wait_for_ekf()
    pilot.set_mode(ROVER_GUIDED)
    pilot.arm()
    print(f'armed at {pilot.time:.1f} s')
    drive_square(pilot, truth, 30)
    drive_mission(pilot, truth, 30)
    pilot.set_mode(ROVER_HOLD)
    pilot.run(8)
    speed = math.hypot(pilot.last['SIM_STATE'].vn, pilot.last['SIM_STATE'].ve)
    believed = pilot.last['LOCAL_POSITION_NED']
    apart = math.hypot(believed.x - truth.place()[0], believed.y - truth.place()[1])
    print(f'HOLD: {speed:.3f} m/s, EKF and truth {apart:.2f} m apart')
    check(speed < 0.01 and apart < 0.5, 'does not stand still where the EKF believes it')
    clock.report()
    report_texts(truth)
    check(not complaints(pilot), 'ArduRover complains')
    bench.stop(backend, signal.SIGINT)
    check_summary(backend, missed=0, drained=0, restarts=0, losses=0, rejected=0, refused=0)
    return [('rover', truth.places)]


# ---- the program

TESTS = {
    'rover': (test_rover, 'ardurover'),
    'rover-skid': (lambda bench, options: test_rover(bench, options, 'skid'), 'ardurover'),
    'quadcopter': (test_quadcopter, 'arducopter'),
    'quadcopter-wind': (lambda bench, options: test_quadcopter(bench, options, '4,3'), 'arducopter'),
    'swarm': (test_swarm, 'arducopter'),
}


def main():
    parser = argparse.ArgumentParser(description='Flies and drives the example vehicles with the real ArduPilot.')
    parser.add_argument('--examples', required=True, metavar='FOLDER', help='where the built examples are')
    parser.add_argument('--vehicle', required=True, choices=TESTS)
    parser.add_argument('--speedup', type=float, default=10, help='simulated seconds per second (default: 10)')
    parser.add_argument('--frame-rate', type=float, help='the quadcopter is a simulator of so many frames per second')
    parser.add_argument('--picture', metavar='FILE', help='draws the track as SVG')
    options = parser.parse_args()
    test, pilot = TESTS[options.vehicle]

    def test_and_draw(bench):
        tracks = test(bench, options)
        if options.picture:
            track_picture.write(options.picture, tracks)

    return ardupilot.main(test_and_draw, [pilot], options.speedup, instances=3)


if __name__ == '__main__':
    sys.exit(main())
