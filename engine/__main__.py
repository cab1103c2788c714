"""`python -m engine` is `assay`."""

from engine.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
