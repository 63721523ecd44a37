"""Codriver: a decision sidecar for agents."""

__version__ = "0.1.0"
