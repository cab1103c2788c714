"""Assay: tells a team whether a change to its search, RAG or agent system is good enough to ship."""

__all__ = ["__version__"]

__version__ = "0.1.0"
