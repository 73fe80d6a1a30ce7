"""One driver and one requirements file for each peer; a driver runs in an environment of its own, see `wire`."""
