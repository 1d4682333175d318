import type { CitationFormat } from "#contracts/http/versions.ts";
import { citationBibtex } from "./bibtex.ts";
import { citationCff } from "./cff.ts";
import type { CitedVersion } from "./cited-version.ts";
import { citationDatacite } from "./datacite.ts";
import { citationRis } from "./ris.ts";
import { citationText } from "./text.ts";

export const CITATION_WRITERS: Readonly<Record<CitationFormat, (cited: CitedVersion) => string>> = {
  text: citationText,
  bibtex: citationBibtex,
  ris: citationRis,
  datacite: citationDatacite,
  cff: citationCff,
};
