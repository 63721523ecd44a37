"""All candidate sets that a sidecar knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from sidecar.catalog.loader import CatalogError, load_set
from sidecar.core.candidates import CandidateSet
from sidecar.errors import CandidateSetNotFound


class Catalog:
    """Candidate sets by name and version; of several versions of a name the last is current.

    Never changes after it was made: to reload, load another one and replace the reference.
    """

    def __init__(self, sets: Iterable[CandidateSet] = ()) -> None:
        self._versions: dict[tuple[str, str], CandidateSet] = {}
        self._current: dict[str, CandidateSet] = {}
        for candidate_set in sets:
            self._versions[candidate_set.name, candidate_set.version] = candidate_set
            self._current[candidate_set.name] = candidate_set

    @classmethod
    def load(cls, paths: Sequence[Path]) -> Catalog:
        """Loads files, and the *.yaml files of directories, in the order of their file names.

        Raises CatalogError for the first file at fault, and for one that gives another content to
        a name and version that an earlier file has.
        """
        origins: dict[tuple[str, str], tuple[Path, str]] = {}
        sets = []
        for file in _files(paths):
            candidate_set = load_set(file)
            key = (candidate_set.name, candidate_set.version)
            first, content_hash = origins.setdefault(key, (file, candidate_set.content_hash))
            if content_hash != candidate_set.content_hash:
                raise CatalogError.of(
                    file,
                    "version",
                    f"{key[0]}@{key[1]} is already in {first} with other content; give one of them a new version",
                )
            sets.append(candidate_set)
        return cls(sets)

    @property
    def sets(self) -> tuple[CandidateSet, ...]:
        """Every version of every set, by name and version."""
        return tuple(self._versions[key] for key in sorted(self._versions))

    def get(self, reference: str) -> CandidateSet:
        """The set called "name" (the current version) or "name@version".

        Raises CandidateSetNotFound.
        """
        name, at, version = reference.partition("@")
        found = self._versions.get((name, version)) if at else self._current.get(name)
        if found is None:
            raise CandidateSetNotFound(
                f"the catalog has no candidate set {reference!r}",
                metadata={"candidate_set": reference, "name": name, "version": version},
            )
        return found


def _files(paths: Sequence[Path]) -> list[Path]:
    files = [file for path in paths for file in (path.glob("*.yaml") if path.is_dir() else (path,))]
    return sorted(files, key=lambda file: (file.name, str(file)))
