import { type CitedVersion, citeAs, selectionOf, titleOf, yearOf } from "./cited-version.ts";

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
