"""Compare proposers, ours and the peers', on problems with a known minimum: `python -m benchmarks.compare`."""
