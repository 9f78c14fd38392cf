"""Draws flown tracks as a small SVG: from above, and the altitude over time when there is any."""

WIDTH, MARGIN, GAP = 720, 46, 34
COLOURS = '#0b6e99', '#c2571a', '#3d7a3d', '#7a3d7a', '#8a6d00'
MOST_POINTS = 500  # of one line


def thinned(points):
    stride = max(1, -(-len(points) // MOST_POINTS))
    return points[::stride] + points[-1:]


class Panel:
    """One diagram: scales from data to the picture, x to the right and y up."""

    def __init__(self, xs, ys, top, width, height, same_scale):
        self.x0, self.x1, self.y0, self.y1 = min(xs), max(xs), min(ys), max(ys)
        x_span, y_span = max(self.x1 - self.x0, 1), max(self.y1 - self.y0, 1)
        self.x_scale, self.y_scale = width / x_span, height / y_span
        if same_scale:
            self.x_scale = self.y_scale = min(self.x_scale, self.y_scale)
        self.top, self.width, self.height = top, width, y_span * self.y_scale

    def x(self, x):
        return MARGIN + (x - self.x0) * self.x_scale

    def y(self, y):
        return self.top + self.height - (y - self.y0) * self.y_scale

    def axes(self, x_label, y_label):
        bottom = self.top + self.height
        parts = []
        for tick in ticks(self.x0, self.x0 + self.width / self.x_scale):
            parts.append(f'<path class="g" d="M{self.x(tick):.1f} {self.top:.1f}V{bottom:.1f}"/>'
                         f'<text x="{self.x(tick):.1f}" y="{bottom + 14:.1f}" text-anchor="middle">{tick:g}</text>')
        for tick in ticks(self.y0, self.y1):
            parts.append(f'<path class="g" d="M{MARGIN} {self.y(tick):.1f}H{MARGIN + self.width}"/>'
                         f'<text x="{MARGIN - 6}" y="{self.y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
        parts.append(f'<text x="{MARGIN + self.width}" y="{bottom + 28:.1f}" text-anchor="end">{x_label}</text>'
                     f'<text x="{MARGIN}" y="{self.top - 8:.1f}">{y_label}</text>')
        return parts

    def line(self, points, colour):
        text = ' '.join(f'{self.x(x):.1f},{self.y(y):.1f}' for x, y in thinned(points))
        return f'<polyline points="{text}" stroke="{colour}"/>'


def ticks(low, high):
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**9) if (high - low) / s <= 10)
    first = -(-low // step) * step
    return [first + n * step for n in range(int((high - first) // step) + 1)]


def write(path, tracks):
    """tracks: pairs of a name and a list of (time, north, east, up), in s and m."""
    every = [place for _, places in tracks for place in places]
    inner = WIDTH - 2 * MARGIN
    above = Panel([p[2] for p in every], [p[1] for p in every], MARGIN, inner, 420, same_scale=True)
    parts = above.axes('east, m', 'north, m')
    bottom = above.top + above.height
    flies = max(p[3] for p in every) > 1
    if flies:
        side = Panel([p[0] for p in every], [p[3] for p in every], bottom + GAP + MARGIN, inner, 130, same_scale=False)
        parts += side.axes('time, s', 'up, m')
        bottom = side.top + side.height
    for (name, places), colour in zip(tracks, COLOURS):
        parts.append(above.line([(p[2], p[1]) for p in places], colour))
        if flies:
            parts.append(side.line([(p[0], p[3]) for p in places], colour))
    if len(tracks) > 1:
        for n, ((name, _), colour) in enumerate(zip(tracks, COLOURS)):
            parts.append(f'<text x="{MARGIN + 120 + 110 * n}" y="{MARGIN - 8}" fill="{colour}">{name}</text>')
    height = bottom + MARGIN
    style = ('text{font:12px sans-serif;fill:#555}.g{stroke:#ddd}polyline{fill:none;stroke-width:1.6}')
    with open(path, 'w') as picture:
        picture.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}">'
                      f'<style>{style}</style><rect width="100%" height="100%" fill="#fff"/>'
                      + '\n'.join(parts) + '</svg>\n')
