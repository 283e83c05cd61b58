"""`python -m fathom` is the same command as `fathom`."""

from .cli import main

if __name__ == "__main__":
    main()
