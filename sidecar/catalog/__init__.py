"""Candidate sets that are loaded from YAML files."""
