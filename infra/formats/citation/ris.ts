import {
  type CitedVersion,
  citeAs,
  dayOf,
  doiOf,
  selectionOf,
  titleOf,
  yearOf,
} from "./cited-version.ts";

const LINE_END = "\r\n";

/** A record of RIS (Research Information Systems), type DATA, for Zotero, EndNote and their like. */
export function citationRis(cited: CitedVersion): string {
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
