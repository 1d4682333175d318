import { licenseAddress } from "#contracts/catalogue-metadata.ts";
import { CFF_LICENSES } from "./cff-licenses.ts";
import {
  type CitedVersion,
  citeAs,
  dayOf,
  doiOf,
  orcidAddress,
  rorAddress,
  selectionOf,
  titleOf,
  uriOf,
} from "./cited-version.ts";

/** A CITATION.cff of the Citation File Format 1.2.0. */
export function citationCff(cited: CitedVersion): string {
  const { version, address, metadata } = cited;
  const doi = cffDoi(cited);
  const members = yamlOf({
    message: messageOf(cited),
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
  });
  return `cff-version: 1.2.0\n${members}`;
}

/** The format has no other member for what was used of a dataset. */
function messageOf(cited: CitedVersion): string {
  const selection = selectionOf(cited);
  const message = "If you use this catalogue, please cite this version of it.";
  return selection === null ? message : `${message} ${selection}.`;
}

type Yaml = string | readonly Yaml[] | { readonly [name: string]: Yaml | undefined };

/**
 * YAML with every text in quotes, as JSON writes them: most readers know YAML 1.1, to which a bare
 * `No`, `Y` or `2016-11-13` is no text.
 */
function yamlOf(members: object, indent = ""): string {
  return Object.entries(members as { [name: string]: Yaml })
    .map(([name, value]) => `${indent}${name}:${yamlValue(value, indent)}`)
    .join("");
}

function yamlValue(value: Yaml, indent: string): string {
  if (typeof value === "string") return ` ${quoted(value)}\n`;
  if (!Array.isArray(value)) return `\n${yamlOf(value, `${indent}  `)}`;
  const items = value.map((item) => `${indent}  - ${yamlOf(item, `${indent}    `).trimStart()}`);
  return items.length === 0 ? " []\n" : `\n${items.join("")}`;
}

/** YAML takes more characters for line ends and for unprintable ones than JSON does. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\p{Cc}\u2028\u2029\ufeff]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
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
    const [family, givenName, ...more] = name.split(", ");
    const isPerson = ror === undefined && family && givenName && more.length === 0;
    return {
      ...(isPerson ? { "family-names": family, "given-names": givenName } : { name }),
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
