#!/usr/bin/env python3
"""link_picture.py - draws docs/link.svg: the life of a link, one message after the other. Run it in docs/ after a change;
tests/docs_check.py fails when picture and script differ."""
import sys

WIDTH, LEFT, RIGHT, ROW = 860, 250, 560, 36

# kind, text on the arrow, what the client calls it, what the simulator does
ROWS = [
    ("section", "A SITL starts, and the link comes up"),
    ("packet", "servo packet, count 0", "first", "step, answer"),
    ("state", "state, t = 0.0025", "", ""),
    ("packet", "count 1", "next", "step, answer"),
    ("state", "state, t = 0.0050", "", ""),
    ("packet", "count 2", "next", "step, answer"),
    ("section", "An answer is lost"),
    ("lost", "state, t = 0.0075", "", ""),
    ("wait", "SITL waits 1.1 s, then asks again", "", ""),
    ("packet", "count 2 again", "repeated", "do not step, answer again"),
    ("state", "the same state, t = 0.0075", "", ""),
    ("section", "The simulator is stopped for some seconds"),
    ("packet", "count 3, four times", "next", "three drained; step, answer once"),
    ("state", "state, t = 0.0100", "", ""),
    ("section", "SITL is started again: another port, count from 0"),
    ("packet", "count 0", "restarted", "reset, step, answer there"),
    ("state", "state, t = 0.0025", "", ""),
]

STYLE = """
  .back { fill: #ffffff; } text { font: 14px system-ui, 'DejaVu Sans', sans-serif; fill: #1f2328; }
  .head { font-weight: 600; } .section { font-weight: 600; fill: #57606a; font-size: 13px;
    paint-order: stroke; stroke: #ffffff; stroke-width: 8px; }
  .life { stroke: #8c959f; stroke-width: 2; } .rule { stroke: #d0d7de; }
  .packet { stroke: #0969da; fill: #0969da; } .state { stroke: #1a7f37; fill: #1a7f37; }
  .lost { stroke: #cf222e; fill: #cf222e; } .dash { stroke-dasharray: 5 4; } .wait, .what { fill: #57606a; }
  .kind { font-weight: 600; } text.packet, text.state, text.lost { stroke: none; }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117; } .section { stroke: #0d1117; } text { fill: #e6edf3; } .section, .wait, .what { fill: #9198a1; }
    .life { stroke: #6e7681; } .rule { stroke: #30363d; } .packet { stroke: #4493f8; fill: #4493f8; }
    .state { stroke: #3fb950; fill: #3fb950; } .lost { stroke: #f85149; fill: #f85149; }
  }
"""


def arrow(kind, y, start, end):
    head = 8 if end > start else -8
    dash = " dash" if kind == "lost" else ""
    lines = [f'<path class="{kind}{dash}" fill="none" d="M{start} {y}H{end}"/>']
    if kind == "lost":
        lines.append(f'<path class="lost" stroke-width="2" d="M{end - 5} {y - 5}l10 10m0 -10l-10 10"/>')
    else:
        lines.append(f'<path class="{kind}" d="M{end} {y}l{-head} -4v8z"/>')
    return lines


def row(kind, text, name, what, y):
    middle = (LEFT + RIGHT) / 2
    if kind == "wait":
        return [f'<text class="wait" x="{LEFT - 14}" y="{y + 5}" text-anchor="end">{text}</text>']
    ends = {"packet": (LEFT, RIGHT), "state": (RIGHT, LEFT), "lost": (RIGHT, middle - 60)}[kind]
    lines = arrow(kind, y, *ends)
    lines.append(f'<text class="{kind}" x="{middle + (30 if kind == "lost" else 0)}" y="{y - 6}" '
                 f'text-anchor="middle">{text}</text>')
    if name:
        lines.append(f'<text class="kind" x="{RIGHT + 14}" y="{y - 3}">{name}</text>')
        lines.append(f'<text class="what" x="{RIGHT + 14}" y="{y + 14}">{what}</text>')
    return lines


def picture():
    lines, y = [], 70
    for kind, *rest in ROWS:
        if kind == "section":
            lines.append(f'<path class="rule" d="M16 {y - 14}H{WIDTH - 16}"/>')
            lines.append(f'<text class="section" x="16" y="{y + 5}">{rest[0]}</text>')
        else:
            lines += row(kind, *rest, y)
        y += ROW
    height = y
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
            "<title>The life of the link between ArduPilot SITL and a simulator</title>", f"<style>{STYLE}</style>",
            f'<rect class="back" width="{WIDTH}" height="{height}" rx="8"/>']
    for x, name in ((LEFT, "ArduPilot SITL"), (RIGHT, "your simulator")):
        head.append(f'<text class="head" x="{x}" y="30" text-anchor="middle">{name}</text>')
        head.append(f'<path class="life" d="M{x} 40V{height - 16}"/>')
    return "\n".join(head + lines + ["</svg>", ""])


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        sys.stdout.write(picture())
    else:
        with open("link.svg", "w", encoding="utf-8") as file:
            file.write(picture())
