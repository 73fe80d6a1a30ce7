"""Models of what was learned: the paper's surrogate (lower is better) and the posterior of utilities (higher is better)."""
