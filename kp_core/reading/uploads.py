"""Hold files as they were given beside what was decided about them, and load them into one corpus."""

from __future__ import annotations

from collections import abc
from dataclasses import dataclass, field

from kp_core.corpus import Corpus
from kp_core.reading.archive import is_gzip, is_workbook, is_zip
from kp_core.reading.load import load
from kp_core.reading.mapping import Mapping
from kp_core.reading.names import renamed
from kp_core.reading.source import Source


@dataclass(frozen=True)
class Uploads:
    """Files as they were given, and what was decided about them: all that is needed to load them again.

    mappings  name of a file → how it is read
    fixes    fixes of ids and lists, in order
    names    systems under other names: name in the files → name on screen
    title    what the files are called together; empty if they are no more than so many files
    """

    files: tuple[Source, ...] = ()
    mappings: abc.Mapping[str, Mapping] = field(default_factory=dict)
    fixes: tuple[str, ...] = ()
    names: abc.Mapping[str, str] = field(default_factory=dict)
    title: str = ""

    def load(self) -> Corpus:
        """Read all files together; what was decided about an archive holds for everything in it.

        >>> file = Source("g.csv", b"Nr,Begriff,Wer\\n1,tide,ana\\n")
        >>> mapping = Mapping("gold", document="Nr", keyphrases="Begriff", annotator="Wer")
        >>> Uploads((file,), {"g.csv": mapping}).load().gold[["doc_id", "annotator", "phrase"]].values.tolist()
        [['1', 'ana', 'tide']]
        """
        return renamed(load(files=list(self.files), mapping=self.mappings, fixes=self.fixes), self.names)


def is_archive(file: Source) -> bool:
    """Tell whether a file is a zip or gzip file, and no workbook."""
    return is_gzip(file.data) or (is_zip(file.data) and not is_workbook(file.data))
