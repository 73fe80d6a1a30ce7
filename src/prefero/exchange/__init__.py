"""Exchange with other programs: read catalogues, export tables, import comparisons, choose from a Pareto front."""

from prefero.exchange.archive import read_archive, write_archive
from prefero.exchange.catalogues import attach_files, read_catalogue
from prefero.exchange.measured import rate_measured
from prefero.exchange.tables import (
    answers_csv,
    answers_frame,
    candidates_csv,
    candidates_frame,
    import_arrays,
    import_csv,
    import_frame,
    import_optuna,
    import_pairs,
    pairs,
)

__all__ = [
    "answers_csv",
    "answers_frame",
    "attach_files",
    "candidates_csv",
    "candidates_frame",
    "import_arrays",
    "import_csv",
    "import_frame",
    "import_optuna",
    "import_pairs",
    "pairs",
    "rate_measured",
    "read_archive",
    "read_catalogue",
    "write_archive",
]
