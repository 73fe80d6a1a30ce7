"""A classifier of photographs, judged by its mistakes. Serve it with: prefero serve classifier.py.

A net returns its confidence in each of four classes; weights decide which class is predicted. Is it worse to take a deer for a
ship, or a ship for a deer? Compare the confusion matrices. Each mistake has an unknown cost, so the proposer learns the utility
as a weighted sum of the mistakes.
"""

from scipy.optimize import LinearConstraint

import prefero as pf
from prefero.cli.demos import classifier
from prefero.exchange.fronts import all_weights

CLASSES = classifier.CLASSES
question = "Whose mistakes would you rather live with?"
space = pf.Space(  # four weights that sum to one: the last is 1 minus the others
    {f"weight of {name}": pf.Real(0, 1) for name in CLASSES[:-1]}, LinearConstraint([[1, 1, 1]], ub=1)
)


def mistakes(candidate):
    """Return the counts of all mistakes."""
    return classifier.mistakes(all_weights(list(candidate.values())))


proposer = pf.Outcomes(mistakes, pf.Posterior(linear=True), guess=False)


def render(candidate):
    """Return an SVG of the confusion matrix, where frequent mistakes are darker, and the number of correct predictions."""
    weights = all_weights(list(candidate.values()))
    counts = classifier.confusion(weights)
    cells = []
    for i, actual in enumerate(CLASSES):
        cells.append(f'<text x="96" y="{89 + 64 * i}" text-anchor="end">{actual}</text>')
        cells.append(f'<text x="{140 + 80 * i}" y="44" text-anchor="middle">{actual}</text>')
        for j in range(len(CLASSES)):
            share = counts[i, j] / counts[i].sum()
            colour = f"rgb(60 140 90 / {0.75 * share:.2f})" if i == j else f"rgb(200 80 40 / {min(4 * share, 0.9):.2f})"
            cells.append(f'<rect x="{102 + 80 * j}" y="{54 + 64 * i}" width="76" height="60" rx="4" fill="{colour}"/>')
            cells.append(f'<text x="{140 + 80 * j}" y="{89 + 64 * i}" text-anchor="middle">{counts[i, j]}</text>')
    cells.append(
        '<text x="260" y="20" text-anchor="middle">taken for</text><text x="96" y="20" text-anchor="end">is a</text>'
    )
    style = "text{font:15px system-ui,sans-serif;fill:#222}@media(prefers-color-scheme:dark){text{fill:#eee}}"
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 430 316" width="860" height="632">'
    matrix = f"{head}<style>{style}</style>{''.join(cells)}</svg>"
    return {"confusion": matrix, "right of 4000": int(counts.trace())}


def prefer(a, b):
    """Answer as a simulated person, who compares the costs of the mistakes."""
    costs = [classifier.cost(all_weights(list(c.values()))) for c in (a, b)]
    return "same" if costs[0] == costs[1] else "a" if costs[0] < costs[1] else "b"
