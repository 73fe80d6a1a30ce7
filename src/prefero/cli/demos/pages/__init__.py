"""Demos for the page: each is a file of its own, as `prefero serve` takes it."""
