"""What may succeed the default proposer: simpler, and as good on the BBOB functions so far.

It is developed here, beside the suite that has to show whether it may replace `posterior`, and is no part of the package. It is an
ordinary proposer: `pf.Study(space, proposer=Successor())`, or `python -m benchmarks.bbob default successor`.
"""
