import { stringify } from "yaml";
import { licenseAddress } from "#contracts/catalogue-metadata.ts";
import { CFF_LICENSES } from "./cff-licenses.ts";
import {
  type CitedVersion,
  citeAs,
  dayOf,
  doiOf,
  orcidAddress,
  rorAddress,
  titleOf,
  uriOf,
} from "./cited-version.ts";

/** A CITATION.cff of the Citation File Format 1.2.0. */
export function citationCff(cited: CitedVersion): string {
  const { version, address, metadata } = cited;
  const doi = cffDoi(cited);
  return stringify(
    {
      "cff-version": "1.2.0",
      message: "If you use this catalogue, please cite this version of it.",
      type: "dataset",
      title: titleOf(cited),
      authors: authorsOf(cited),
      version: String(version),
      "date-released": dayOf(cited),
      url: address,
      ...(doi !== null && { doi }),
      ...(metadata?.license && licenseOf(metadata.license)),
      ...(metadata?.description && { abstract: metadata.description }),
      identifiers: identifiersOf(cited),
    },
    // Most readers know YAML 1.1, to which an unquoted `No`, `Y` or `2016-11-13` is no text.
    { lineWidth: 0, compat: "yaml-1.1" },
  );
}

/** The format does not take every DOI; the address of any other is among the identifiers. */
const DOI = /^10\.\d{4,9}(?:\.\d+)?\/[A-Za-z0-9:/_;.()[\]\\-]+$/;

function cffDoi(cited: CitedVersion): string | null {
  const doi = doiOf(cited);
  return doi !== null && DOI.test(doi) ? doi : null;
}

/** There must be one; of a catalogue without creators it is the catalogue. */
function authorsOf({ metadata, name }: CitedVersion): object[] {
  const creators = metadata?.creators ?? [];
  if (creators.length === 0) return [{ name }];
  return distinct(creators).map(({ name, orcid, ror }) => {
    const [family, given, ...more] = name.split(", ");
    const isPerson = ror === undefined && family && given && more.length === 0;
    return {
      ...(isPerson ? { "family-names": family, "given-names": given } : { name }),
      ...(orcid && { orcid: orcidAddress(orcid) }),
      ...(ror && { website: rorAddress(ror) }),
    };
  });
}

/** The format knows the licences of its time; any other is named by its address. */
function licenseOf(license: string): object {
  return CFF_LICENSES.has(license) ? { license } : { "license-url": licenseAddress(license) };
}

function identifiersOf(cited: CitedVersion): object[] {
  const { address, sha256, metadata } = cited;
  const isElsewhere = doiOf(cited) === null || cffDoi(cited) !== null;
  return [
    { type: "url", value: address, description: "This version" },
    ...(isElsewhere ? [] : [{ type: "url", value: citeAs(cited), description: "Its DOI" }]),
    ...(sha256 === null
      ? []
      : [{ type: "other", value: `sha256:${sha256}`, description: "Of its canonical form" }]),
    ...distinct((metadata?.references ?? []).map(uriOf)).map((value) => ({
      type: "url",
      value,
      description: "Reference",
    })),
  ];
}

/** The lists of the format hold nothing twice. */
function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
