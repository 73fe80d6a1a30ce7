"""A heating system for a house, chosen from a Pareto front of three objectives. Serve it with: prefero serve pareto.py.

No design has the lowest cost, the lowest emissions and the most comfort at once. Which Pareto optimal design is best is a
matter of taste.
"""

import numpy as np

import prefero as pf

question = "Which of the two would you rather live with?"
UNITS = {"cost": "€ per year", "emissions": "kg CO₂ per year", "cold hours": "hours per year"}


def outcomes():
    """Return the objectives of many designs, which have insulation in cm, a heat pump in kW and solar cells in m²."""
    designs = np.meshgrid(np.linspace(4, 30, 14), np.linspace(2, 12, 11), np.linspace(0, 40, 9))
    insulation, pump, cells = (grid.ravel() for grid in designs)
    loss = 16 / (1 + insulation / 6)  # kW on a cold day
    power = 2000 * np.minimum(loss, pump) / 3.3  # kWh per year
    bought = power * np.exp(-90 * cells / power)
    cost = 0.32 * bought + 11 * insulation + 95 * pump + 22 * cells
    emissions = 0.4 * bought + 5 * insulation + 8 * pump + 4 * cells
    cold = 220 * np.maximum(loss - pump, 0)
    return np.column_stack([cost, emissions, cold]).round()


def front(rows):
    """Return the Pareto optimal rows: those that no other row dominates."""
    rows = np.unique(rows, axis=0)
    dominated = [(np.all(rows <= row, axis=1) & np.any(rows < row, axis=1)).any() for row in rows]
    return rows[~np.array(dominated)]


FRONT = front(outcomes())
space = pf.Catalogue([dict(zip(UNITS, row.tolist(), strict=True)) for row in FRONT])
comparisons = 20


def render(candidate):
    """Return an SVG with a bar for each objective; shorter is better, and the full width is the worst of the front."""
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
    """Answer as a simulated person, who wants a warm house first and low cost second."""
    dislike = [c["cost"] / 1000 + c["emissions"] / 2000 + c["cold hours"] / 300 for c in (a, b)]
    return "a" if dislike[0] < dislike[1] else "b"
