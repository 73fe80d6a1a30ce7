"""`python -m prefero` is the command `prefero`."""

from prefero.cli import main

if __name__ == "__main__":
    main()
