"""Other libraries' interfaces to prefero: each module has the names of one library, and needs it only if it says so.

| module | instead of |
|---|---|
| `prefero.compat.glis` | `glis.solvers.GLISp` |
| `prefero.compat.sklearn` | a scikit-learn estimator of what a person prefers |
| `prefero.compat.optuna` | the sampler of a preferential study of Optuna Dashboard |
"""
