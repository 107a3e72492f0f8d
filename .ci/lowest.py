"""Prints the lowest version of each dependency in pyproject.toml, as constraints for pip."""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
groups = [project["dependencies"], *project["optional-dependencies"].values()]
for requirement in (Requirement(text) for group in groups for text in group):
    lowest = [part.version for part in requirement.specifier if part.operator == ">="]
    if lowest and (requirement.marker is None or requirement.marker.evaluate()):
        print(f"{requirement.name}=={lowest[0]}")
