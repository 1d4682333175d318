/** How a version is cited: as text, BibTeX, RIS, DataCite's record and CITATION.cff. */

import { type CatalogueMetadata, licenseAddress } from "#contracts/catalogue-metadata.ts";
import type { Bounds } from "#contracts/events/catalogues.ts";
import type { CitationFormat } from "#contracts/http/versions.ts";

export type CitedVersion = {
  readonly catalogueId: string;
  readonly version: number;
  /** Of the version: `https://host/api/catalogues/<id>/versions/<n>`. */
  readonly address: string;
  /** Of the catalogue. */
  readonly catalogueAddress: string;
  /** The catalogue's. */
  readonly name: string;
  /** ISO 8601 UTC. */
  readonly committedAt: string;
  readonly eventCount: number;
  readonly bounds: Bounds;
  /** Of its smallest box, degrees, west above east across the antimeridian; null where `bounds` have them. */
  readonly longitudes: { readonly west: number; readonly east: number } | null;
  /** Of its canonical form, hex; null where it is not known. */
  readonly sha256: string | null;
  /** The address of the version before; null for the first. */
  readonly previous: string | null;
  /** The addresses of the versions that it was merged from. */
  readonly sources: readonly string[];
  readonly metadata: CatalogueMetadata | null;
  /** The filters of what was used of it, in words; empty for the whole version. */
  readonly filters: readonly string[];
};

export const CITATION_WRITERS: Readonly<Record<CitationFormat, (cited: CitedVersion) => string>> = {
  text: citationText,
  bibtex: citationBibtex,
  ris: citationRis,
  datacite: citationDatacite,
  cff: citationCff,
};

/**
 * One line, in the order that DataCite recommends: creators (year): title. Version. Publisher. Dataset. Without
 * creators the title comes first.
 */
export function citationText(cited: CitedVersion): string {
  const { version, metadata, sha256 } = cited;
  const creators = metadata?.creators?.map(({ name }) => name).join("; ");
  const [year, title] = [yearOf(cited), titleOf(cited)];
  const parts = [
    creators ? `${creators} (${year}): ${title}` : `${title} (${year})`,
    `Version ${version}`,
    metadata?.publisher,
    "Dataset",
    selectionOf(cited),
    citeAs(cited),
    sha256 && `sha256:${sha256}`,
  ];
  return `${parts.filter(Boolean).join(". ")}\n`;
}

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
    escaped(selectionOf(cited) ?? "").replaceAll(/[≥≤\u2212]/g, (sign) => SIGNS[sign] ?? sign),
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

/** A CITATION.cff of the Citation File Format 1.2.0. */
export function citationCff(cited: CitedVersion): string {
  const { version, address, metadata } = cited;
  const license = metadata?.license;
  const doi = cffDoi(cited);
  const selection = selectionOf(cited);
  const members = yamlOf({
    // The format has no other member for what was used of a dataset.
    message: selection === null ? CITE : `${CITE} ${selection}.`,
    type: "dataset",
    title: titleOf(cited),
    authors: authorsOf(cited),
    version: String(version),
    "date-released": dayOf(cited),
    url: address,
    ...(doi !== null && { doi }),
    // The format knows the licences of its time; any other is named by its address.
    ...(license &&
      (CFF_LICENSES.has(license) ? { license } : { "license-url": licenseAddress(license) })),
    ...(metadata?.description && { abstract: metadata.description }),
    identifiers: identifiersOf(cited),
  });
  return `cff-version: 1.2.0\n${members}`;
}

const CITE = "If you use this catalogue, please cite this version of it.";

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

/** The format does not take every DOI; the address of any other is among the identifiers. */
const DOI = /^10\.\d{4,9}(?:\.\d+)?\/[A-Za-z0-9:/_;.()[\]\\-]+$/;

/** The licences that the Citation File Format knows (schema of its version 1.2.0, `license-enum`). */
const CFF_LICENSES: ReadonlySet<string> = new Set(
  `
0BSD AAL Abstyles Adobe-2006 Adobe-Glyph ADSL AFL-1.1 AFL-1.2 AFL-2.0 AFL-2.1 AFL-3.0 Afmparse AGPL-1.0
AGPL-1.0-only AGPL-1.0-or-later AGPL-3.0 AGPL-3.0-only AGPL-3.0-or-later Aladdin AMDPLPA AML AMPAS
ANTLR-PD ANTLR-PD-fallback Apache-1.0 Apache-1.1 Apache-2.0 APAFML APL-1.0 APSL-1.0 APSL-1.1 APSL-1.2
APSL-2.0 Artistic-1.0 Artistic-1.0-cl8 Artistic-1.0-Perl Artistic-2.0 Bahyph Barr Beerware
BitTorrent-1.0 BitTorrent-1.1 blessing BlueOak-1.0.0 Borceux BSD-1-Clause BSD-2-Clause
BSD-2-Clause-FreeBSD BSD-2-Clause-NetBSD BSD-2-Clause-Patent BSD-2-Clause-Views BSD-3-Clause
BSD-3-Clause-Attribution BSD-3-Clause-Clear BSD-3-Clause-LBNL BSD-3-Clause-Modification
BSD-3-Clause-No-Nuclear-License BSD-3-Clause-No-Nuclear-License-2014 BSD-3-Clause-No-Nuclear-Warranty
BSD-3-Clause-Open-MPI BSD-4-Clause BSD-4-Clause-Shortened BSD-4-Clause-UC BSD-Protection BSD-Source-Code
BSL-1.0 BUSL-1.1 bzip2-1.0.5 bzip2-1.0.6 C-UDA-1.0 CAL-1.0 CAL-1.0-Combined-Work-Exception Caldera
CATOSL-1.1 CC-BY-1.0 CC-BY-2.0 CC-BY-2.5 CC-BY-3.0 CC-BY-3.0-AT CC-BY-3.0-US CC-BY-4.0 CC-BY-NC-1.0
CC-BY-NC-2.0 CC-BY-NC-2.5 CC-BY-NC-3.0 CC-BY-NC-4.0 CC-BY-NC-ND-1.0 CC-BY-NC-ND-2.0 CC-BY-NC-ND-2.5
CC-BY-NC-ND-3.0 CC-BY-NC-ND-3.0-IGO CC-BY-NC-ND-4.0 CC-BY-NC-SA-1.0 CC-BY-NC-SA-2.0 CC-BY-NC-SA-2.5
CC-BY-NC-SA-3.0 CC-BY-NC-SA-4.0 CC-BY-ND-1.0 CC-BY-ND-2.0 CC-BY-ND-2.5 CC-BY-ND-3.0 CC-BY-ND-4.0
CC-BY-SA-1.0 CC-BY-SA-2.0 CC-BY-SA-2.0-UK CC-BY-SA-2.1-JP CC-BY-SA-2.5 CC-BY-SA-3.0 CC-BY-SA-3.0-AT
CC-BY-SA-4.0 CC-PDDC CC0-1.0 CDDL-1.0 CDDL-1.1 CDL-1.0 CDLA-Permissive-1.0 CDLA-Sharing-1.0 CECILL-1.0
CECILL-1.1 CECILL-2.0 CECILL-2.1 CECILL-B CECILL-C CERN-OHL-1.1 CERN-OHL-1.2 CERN-OHL-P-2.0
CERN-OHL-S-2.0 CERN-OHL-W-2.0 ClArtistic CNRI-Jython CNRI-Python CNRI-Python-GPL-Compatible Condor-1.1
copyleft-next-0.3.0 copyleft-next-0.3.1 CPAL-1.0 CPL-1.0 CPOL-1.02 Crossword CrystalStacker CUA-OPL-1.0
Cube curl D-FSL-1.0 diffmark DOC Dotseqn DRL-1.0 DSDP dvipdfm ECL-1.0 ECL-2.0 eCos-2.0 EFL-1.0 EFL-2.0
eGenix Entessa EPICS EPL-1.0 EPL-2.0 ErlPL-1.1 etalab-2.0 EUDatagrid EUPL-1.0 EUPL-1.1 EUPL-1.2 Eurosym
Fair Frameworx-1.0 FreeBSD-DOC FreeImage FSFAP FSFUL FSFULLR FTL GD GFDL-1.1 GFDL-1.1-invariants-only
GFDL-1.1-invariants-or-later GFDL-1.1-no-invariants-only GFDL-1.1-no-invariants-or-later GFDL-1.1-only
GFDL-1.1-or-later GFDL-1.2 GFDL-1.2-invariants-only GFDL-1.2-invariants-or-later
GFDL-1.2-no-invariants-only GFDL-1.2-no-invariants-or-later GFDL-1.2-only GFDL-1.2-or-later GFDL-1.3
GFDL-1.3-invariants-only GFDL-1.3-invariants-or-later GFDL-1.3-no-invariants-only
GFDL-1.3-no-invariants-or-later GFDL-1.3-only GFDL-1.3-or-later Giftware GL2PS Glide Glulxe GLWTPL
gnuplot GPL-1.0 GPL-1.0-only GPL-1.0-or-later GPL-1.0+ GPL-2.0 GPL-2.0-only GPL-2.0-or-later
GPL-2.0-with-autoconf-exception GPL-2.0-with-bison-exception GPL-2.0-with-classpath-exception
GPL-2.0-with-font-exception GPL-2.0-with-GCC-exception GPL-2.0+ GPL-3.0 GPL-3.0-only GPL-3.0-or-later
GPL-3.0-with-autoconf-exception GPL-3.0-with-GCC-exception GPL-3.0+ gSOAP-1.3b HaskellReport
Hippocratic-2.1 HPND HPND-sell-variant HTMLTIDY IBM-pibs ICU IJG ImageMagick iMatix Imlib2 Info-ZIP
Intel Intel-ACPI Interbase-1.0 IPA IPL-1.0 ISC JasPer-2.0 JPNIC JSON LAL-1.2 LAL-1.3 Latex2e Leptonica
LGPL-2.0 LGPL-2.0-only LGPL-2.0-or-later LGPL-2.0+ LGPL-2.1 LGPL-2.1-only LGPL-2.1-or-later LGPL-2.1+
LGPL-3.0 LGPL-3.0-only LGPL-3.0-or-later LGPL-3.0+ LGPLLR Libpng libpng-2.0 libselinux-1.0 libtiff
LiLiQ-P-1.1 LiLiQ-R-1.1 LiLiQ-Rplus-1.1 Linux-OpenIB LPL-1.0 LPL-1.02 LPPL-1.0 LPPL-1.1 LPPL-1.2
LPPL-1.3a LPPL-1.3c MakeIndex MirOS MIT MIT-0 MIT-advertising MIT-CMU MIT-enna MIT-feh
MIT-Modern-Variant MIT-open-group MITNFA Motosoto mpich2 MPL-1.0 MPL-1.1 MPL-2.0
MPL-2.0-no-copyleft-exception MS-PL MS-RL MTLL MulanPSL-1.0 MulanPSL-2.0 Multics Mup NAIST-2003 NASA-1.3
Naumen NBPL-1.0 NCGL-UK-2.0 NCSA Net-SNMP NetCDF Newsletr NGPL NIST-PD NIST-PD-fallback NLOD-1.0 NLPL
Nokia NOSL Noweb NPL-1.0 NPL-1.1 NPOSL-3.0 NRL NTP NTP-0 Nunit O-UDA-1.0 OCCT-PL OCLC-2.0 ODbL-1.0
ODC-By-1.0 OFL-1.0 OFL-1.0-no-RFN OFL-1.0-RFN OFL-1.1 OFL-1.1-no-RFN OFL-1.1-RFN OGC-1.0 OGDL-Taiwan-1.0
OGL-Canada-2.0 OGL-UK-1.0 OGL-UK-2.0 OGL-UK-3.0 OGTSL OLDAP-1.1 OLDAP-1.2 OLDAP-1.3 OLDAP-1.4 OLDAP-2.0
OLDAP-2.0.1 OLDAP-2.1 OLDAP-2.2 OLDAP-2.2.1 OLDAP-2.2.2 OLDAP-2.3 OLDAP-2.4 OLDAP-2.5 OLDAP-2.6
OLDAP-2.7 OLDAP-2.8 OML OpenSSL OPL-1.0 OSET-PL-2.1 OSL-1.0 OSL-1.1 OSL-2.0 OSL-2.1 OSL-3.0 Parity-6.0.0
Parity-7.0.0 PDDL-1.0 PHP-3.0 PHP-3.01 Plexus PolyForm-Noncommercial-1.0.0 PolyForm-Small-Business-1.0.0
PostgreSQL PSF-2.0 psfrag psutils Python-2.0 Qhull QPL-1.0 Rdisc RHeCos-1.1 RPL-1.1 RPL-1.5 RPSL-1.0
RSA-MD RSCPL Ruby SAX-PD Saxpath SCEA Sendmail Sendmail-8.23 SGI-B-1.0 SGI-B-1.1 SGI-B-2.0 SHL-0.5
SHL-0.51 SimPL-2.0 SISSL SISSL-1.2 Sleepycat SMLNJ SMPPL SNIA Spencer-86 Spencer-94 Spencer-99 SPL-1.0
SSH-OpenSSH SSH-short SSPL-1.0 StandardML-NJ SugarCRM-1.1.3 SWL TAPR-OHL-1.0 TCL TCP-wrappers TMate
TORQUE-1.1 TOSL TU-Berlin-1.0 TU-Berlin-2.0 UCL-1.0 Unicode-DFS-2015 Unicode-DFS-2016 Unicode-TOU
Unlicense UPL-1.0 Vim VOSTROM VSL-1.0 W3C W3C-19980720 W3C-20150513 Watcom-1.0 Wsuipa WTFPL wxWindows
X11 Xerox XFree86-1.1 xinetd Xnet xpp XSkat YPL-1.0 YPL-1.1 Zed Zend-2.0 Zimbra-1.3 Zimbra-1.4 Zlib
zlib-acknowledgement ZPL-1.1 ZPL-2.0 ZPL-2.1
`
    .trim()
    .split(/\s+/),
);

const DOI_PREFIX = /^https:\/\/doi\.org\//;

const dayOf = ({ committedAt }: CitedVersion): string => committedAt.slice(0, 10);
const yearOf = ({ committedAt }: CitedVersion): string => committedAt.slice(0, 4);
const titleOf = ({ metadata, name }: CitedVersion): string => metadata?.title ?? name;
const bare = (id: string): string => id.slice(id.lastIndexOf("/") + 1);
const rorAddress = (ror: string): string => `https://ror.org/${bare(ror)}`;
const orcidAddress = (orcid: string): string => `https://orcid.org/${bare(orcid)}`;

/** What was used of the version; null for all of it. */
const selectionOf = ({ filters }: CitedVersion): string | null =>
  filters.length === 0 ? null : `Selection: ${filters.join(", ")}`;

/** The bare DOI; null without one. */
function doiOf({ metadata }: Pick<CitedVersion, "metadata">): string | null {
  return metadata?.doi?.replace(DOI_PREFIX, "") ?? null;
}

/** Where to find what is cited: its DOI as address, else the version. */
export function citeAs(cited: Pick<CitedVersion, "metadata" | "address">): string {
  const doi = doiOf(cited);
  if (doi === null) return cited.address;
  return `https://doi.org/${uriOf(doi.replaceAll("%", "%25")).replaceAll(/[#?]/g, encodeURIComponent)}`;
}

/** What RFC 3986 does not allow in an address is escaped. */
function uriOf(address: string): string {
  return address.replaceAll(/[^!#-;=?-Z[\]_a-z~]/g, encodeURIComponent);
}
