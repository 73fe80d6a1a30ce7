"""What stored studies and the service must survive, at full size: `python -m benchmarks.torture`."""
