"""A heating for a house, chosen on a front of three objectives. Serve it with: prefero serve pareto.py.

Nobody can have the least cost, the least emissions and the most comfort at once. What is best among the designs that no other
one beats in everything is a matter of taste.
"""

import numpy as np

import prefero as pf

question = "Which of the two would you rather live with?"
UNITS = {"cost": "€ a year", "emissions": "kg CO₂ a year", "cold hours": "hours a year"}


def outcomes():
    """What each of many designs leads to: insulation in cm, a heat pump in kW, solar cells in m²."""
    designs = np.meshgrid(np.linspace(4, 30, 14), np.linspace(2, 12, 11), np.linspace(0, 40, 9))
    insulation, pump, cells = (grid.ravel() for grid in designs)
    loss = 16 / (1 + insulation / 6)  # kW on a cold day
    power = 2000 * np.minimum(loss, pump) / 3.3  # kWh a year
    bought = power * np.exp(-90 * cells / power)
    cost = 0.32 * bought + 11 * insulation + 95 * pump + 22 * cells
    emissions = 0.4 * bought + 5 * insulation + 8 * pump + 4 * cells
    cold = 220 * np.maximum(loss - pump, 0)
    return np.column_stack([cost, emissions, cold]).round()


def front(rows):
    """Those that no other one beats in everything."""
    rows = np.unique(rows, axis=0)
    beaten = [(np.all(rows <= row, axis=1) & np.any(rows < row, axis=1)).any() for row in rows]
    return rows[~np.array(beaten)]


FRONT = front(outcomes())
space = pf.Catalogue([dict(zip(UNITS, row.tolist(), strict=True)) for row in FRONT])
comparisons = 20


def render(candidate):
    """An SVG: a bar for each objective, shorter is better; the whole width is the worst of the front."""
    bars = []
    for k, (name, most) in enumerate(zip(UNITS, FRONT.max(axis=0), strict=True)):
        y, width = 30 + 90 * k, 360 * candidate[name] / most
        bars.append(f'<text x="20" y="{y}" font-weight="600">{name}</text>')
        bars.append(f'<text x="380" y="{y}" text-anchor="end">{candidate[name]:.0f} {UNITS[name]}</text>')
        bars.append(f'<rect x="20" y="{y + 12}" width="360" height="22" rx="4" fill="#8884"/>')
        bars.append(f'<rect x="20" y="{y + 12}" width="{width:.1f}" height="22" rx="4" fill="#4a86c8"/>')
    style = "text{font:16px system-ui,sans-serif;fill:#222}@media(prefers-color-scheme:dark){text{fill:#eee}}"
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 270" width="800" height="540">'
    return f"{head}<style>{style}</style>{''.join(bars)}</svg>"


def prefer(a, b):
    """Somebody who answers where nobody is there: warm first, then cheap."""
    dislike = [c["cost"] / 1000 + c["emissions"] / 2000 + c["cold hours"] / 300 for c in (a, b)]
    return "a" if dislike[0] < dislike[1] else "b"
