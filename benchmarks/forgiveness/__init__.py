"""How forgiving the rubric language is, measured: `python -m benchmarks.forgiveness`."""

__all__: list[str] = []
