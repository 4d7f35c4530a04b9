"""Export and import: everything a standpoint owns, as JSON lines, there and back."""

from memfort.memory.transfer.exporting import export
from memfort.memory.transfer.importing import import_bytes

__all__ = ["export", "import_bytes"]
