"""The version of prefero."""

__version__ = "0.1.0"
