"""Small tables of made-up choices, in the layout of the data sets and in an archive like theirs."""

import gzip
import zipfile
from pathlib import Path

import numpy as np

from benchmarks import choices

PEOPLE, CHOICES = 12, 9
TASTE = np.array([-2.0, -1.0, 0.0, 0.5])


def trips_table() -> str:
    """Trips of people who mostly weigh price and time, in the layout of the data set."""
    rng = np.random.default_rng(0)
    lines = ["id,choiceid,choice," + ",".join(f"{name}{side}" for side in (1, 2) for name in choices.TRIP)]
    for person in range(PEOPLE):
        for number in range(CHOICES):
            trips = rng.integers(0, 5, (2, 4)) * [100, 10, 1, 1]
            better = (trips[0] - trips[1]) @ (TASTE / [100, 10, 1, 1]) + rng.logistic() > 0
            values = ",".join(str(value) for value in trips.ravel())
            lines.append(f"{person},{number},choice{1 if better else 2},{values}")
    return "\n".join(lines)


def electricity_table() -> str:
    lines = ["choice,id,alt,pf,cl,loc,wk,tod,seas,chid"]
    for number, chosen in enumerate((4, 2)):
        for alternative in (1, 2, 3, 4):
            said = "TRUE" if alternative == chosen else "FALSE"
            lines.append(f"{said},7,{alternative},{alternative},5,0,1,0,0,{number}")
    return "\n".join(lines)


def small_wheel(folder: Path) -> Path:
    """An archive of both tables in this folder."""
    path = folder / choices.WHEEL
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in (("train_data", trips_table()), ("electricity", electricity_table())):
            archive.writestr(f"{choices.INSIDE}/{file}.csv.gz", gzip.compress(text.encode()))
    return path
