"""Demos for the page: each module is a file for `prefero serve`."""
