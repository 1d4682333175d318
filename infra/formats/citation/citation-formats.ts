import type { CitationFormat } from "#contracts/http/versions.ts";
import { citationCff } from "./cff.ts";
import {
  type CitedVersion,
  citeAs,
  dayOf,
  doiOf,
  selectionOf,
  titleOf,
  yearOf,
} from "./cited-version.ts";
import { citationDatacite } from "./datacite.ts";
import { citationText } from "./text.ts";

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
