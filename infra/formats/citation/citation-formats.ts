import { licenseAddress } from "#contracts/catalogue-metadata.ts";
import type { CitationFormat } from "#contracts/http/versions.ts";
import { citationCff } from "./cff.ts";
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
  yearOf,
} from "./cited-version.ts";
import { citationText } from "./text.ts";

/** DataCite's words for values that must stand but are not known ("Standard values for unknown information"). */
const UNKNOWN = "(:unkn)";
const UNAVAILABLE = "(:unav)";

/**
 * The version's record for DataCite: its JSON, Metadata Schema 4.6. It uses nothing that 4.5 lacks, whose
 * JSON schema is the latest that is published.
 */
function citationDatacite(cited: CitedVersion): string {
  const { version, metadata, address, eventCount } = cited;
  const doi = doiOf(cited);
  const record = {
    ...(doi !== null && { doi }),
    url: address,
    types: { resourceTypeGeneral: "Dataset", resourceType: "Earthquake catalogue" },
    creators: creatorsOf(cited),
    titles: [{ title: titleOf(cited) }],
    publisher: { name: metadata?.publisher ?? UNAVAILABLE },
    publicationYear: yearOf(cited),
    dates: datesOf(cited),
    alternateIdentifiers: alternatesOf(cited),
    relatedIdentifiers: relatedOf(cited),
    sizes: [`${eventCount} events`],
    version: String(version),
    ...(metadata?.license && { rightsList: [rightsOf(metadata.license)] }),
    ...descriptionsOf(cited),
    ...placesOf(cited),
    schemaVersion: "http://datacite.org/schema/kernel-4",
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}

function descriptionsOf(cited: CitedVersion): object {
  const description = cited.metadata?.description;
  const selection = selectionOf(cited);
  const descriptions = [
    ...(description ? [{ description, descriptionType: "Abstract" }] : []),
    ...(selection === null ? [] : [{ description: selection, descriptionType: "Methods" }]),
  ];
  return descriptions.length > 0 ? { descriptions } : {};
}

function creatorsOf({ metadata }: CitedVersion): object[] {
  const creators = metadata?.creators ?? [];
  if (creators.length === 0) return [{ name: UNKNOWN }];
  return creators.map(({ name, orcid, ror }) => {
    const nameIdentifiers = [
      orcid && identifier(orcidAddress(orcid), "ORCID", "https://orcid.org"),
      ror && identifier(rorAddress(ror), "ROR", "https://ror.org"),
    ].filter(Boolean);
    const nameType = orcid ? "Personal" : ror ? "Organizational" : null;
    return {
      name,
      ...(nameType && { nameType }),
      ...(nameIdentifiers.length > 0 && { nameIdentifiers }),
    };
  });
}

const identifier = (nameIdentifier: string, nameIdentifierScheme: string, schemeUri: string) => ({
  nameIdentifier,
  nameIdentifierScheme,
  schemeUri,
});

function datesOf(cited: CitedVersion): object[] {
  const { start_time: start, end_time: end } = cited.bounds;
  const issued = { date: dayOf(cited), dateType: "Issued" };
  if (start === null || end === null) return [issued];
  return [issued, { date: `${start.slice(0, 10)}/${end.slice(0, 10)}`, dateType: "Collected" }];
}

function alternatesOf({ address, sha256 }: CitedVersion): object[] {
  const ofAddress = { alternateIdentifier: address, alternateIdentifierType: "URL" };
  if (sha256 === null) return [ofAddress];
  return [ofAddress, { alternateIdentifier: sha256, alternateIdentifierType: "SHA-256" }];
}

function relatedOf({ catalogueAddress, previous, sources, metadata }: CitedVersion): object[] {
  const related = (relatedIdentifier: string, relationType: string) => ({
    relatedIdentifier,
    relatedIdentifierType: "URL",
    relationType,
  });
  return [
    related(catalogueAddress, "IsVersionOf"),
    ...(previous === null ? [] : [related(previous, "IsNewVersionOf")]),
    ...sources.map((source) => related(source, "IsDerivedFrom")),
    ...(metadata?.references ?? []).map((reference) => related(uriOf(reference), "References")),
  ];
}

const rightsOf = (license: string) => ({
  rights: license,
  rightsUri: licenseAddress(license),
  rightsIdentifier: license,
  rightsIdentifierScheme: "SPDX",
  schemeUri: "https://spdx.org/licenses/",
});

function placesOf({ bounds, longitudes }: CitedVersion): object {
  const { min_latitude: south, max_latitude: north, min_longitude, max_longitude } = bounds;
  const { west, east } = longitudes ?? { west: min_longitude, east: max_longitude };
  if (west === null || east === null || south === null || north === null) return {};
  const box = {
    westBoundLongitude: west,
    eastBoundLongitude: east,
    southBoundLatitude: south,
    northBoundLatitude: north,
  };
  return { geoLocations: [{ geoLocationBox: box }] };
}

const SPECIAL: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "{": "\\textbraceleft{}",
  "}": "\\textbraceright{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "`": "\\textasciigrave{}",
  "%": "\\%",
  "&": "\\&",
  $: "\\$",
  "#": "\\#",
  _: "\\_",
};

/** An entry of BibTeX and biblatex, in UTF-8. */
function citationBibtex(cited: CitedVersion): string {
  const { catalogueId, version, metadata, sha256 } = cited;
  const note = [
    `Dataset, version ${version} of ${dayOf(cited)}`,
    signed(escaped(selectionOf(cited) ?? "")),
    sha256 && `sha256:${sha256}`,
  ];
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ["author", metadata?.creators?.map(({ name }) => author(name)).join(" and ")],
    ["title", `{${escaped(titleOf(cited))}}`],
    ["year", yearOf(cited)],
    ["version", String(version)],
    ["publisher", metadata?.publisher && escaped(metadata.publisher)],
    ["doi", verbatim(doiOf(cited))],
    ["url", verbatim(citeAs(cited))],
    ["note", note.filter(Boolean).join(", ")],
    ["abstract", metadata?.description && escaped(metadata.description)],
  ];
  const lines = fields.flatMap(([name, value]) => (value ? [`  ${name} = {${value}}`] : []));
  return `@misc{catalogue-${catalogueId.slice(0, 8)}-v${version},\n${lines.join(",\n")}\n}\n`;
}

/** "Family, Given" is split by BibTeX; any other name is one of an organisation, and stays whole. */
function author(name: string): string {
  const isPerson = /^[^,]+, [^,]+$/.test(name) && !/\band\b/i.test(name);
  return isPerson ? escaped(name) : `{${escaped(name)}}`;
}

/** LaTeX makes one mark of two quotes or dashes, unless something stands between. */
const LIGATURE = /(?<=(['-]))(?=\1)/g;

function escaped(text: string): string {
  const latex = text.replaceAll(/[\\{}~^`%&$#_]/g, (character) => SPECIAL[character] ?? character);
  return latex.replaceAll(LIGATURE, "{}");
}

/** LaTeX knows these signs only among formulas. */
const SIGNS: Readonly<Record<string, string>> = { "≥": "$\\geq$", "≤": "$\\leq$", "\u2212": "$-$" };

function signed(latex: string): string {
  return latex.replaceAll(/[≥≤\u2212]/g, (sign) => SIGNS[sign] ?? sign);
}

/** In addresses nothing is escaped, but braces and backslashes would end the field. */
function verbatim(address: string | null): string | undefined {
  return address?.replaceAll(/[\\{}]/g, encodeURIComponent);
}

const LINE_END = "\r\n";

/** A record of RIS (Research Information Systems), type DATA, for Zotero, EndNote and their like. */
function citationRis(cited: CitedVersion): string {
  const { version, metadata, sha256 } = cited;
  const tags: readonly (readonly [tag: string, value: string | null | undefined])[] = [
    ["TY", "DATA"],
    ...(metadata?.creators ?? []).map(({ name }) => ["AU", name] as const),
    ["TI", titleOf(cited)],
    ["PY", yearOf(cited)],
    ["DA", dayOf(cited).replaceAll("-", "/")],
    ["ET", `Version ${version}`],
    ["PB", metadata?.publisher],
    ["DO", doiOf(cited)],
    ["UR", citeAs(cited)],
    ["AB", metadata?.description],
    ["N1", selectionOf(cited)],
    ["N1", sha256 && `sha256:${sha256}`],
  ];
  const lines = tags.flatMap(([tag, value]) => (value ? [`${tag}  - ${oneLine(value)}`] : []));
  return `${[...lines, "ER  - "].join(LINE_END)}${LINE_END}`;
}

function oneLine(text: string): string {
  const lines = text.split(/[\r\n]/).map((line) => line.trim());
  return lines.filter(Boolean).join(" ");
}

export const CITATION_WRITERS: Readonly<Record<CitationFormat, (cited: CitedVersion) => string>> = {
  text: citationText,
  bibtex: citationBibtex,
  ris: citationRis,
  datacite: citationDatacite,
  cff: citationCff,
};
