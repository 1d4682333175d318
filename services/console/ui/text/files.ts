import { guardFormula } from "#contracts/text.ts";

/**
 * Rows as CSV after RFC 4180, the names first; unknown values are empty, lists and parts JSON. A text
 * that a spreadsheet would run as a formula gets the guard of the service's exports.
 */
export function csvOf(names: readonly string[], rows: Iterable<readonly unknown[]>): string {
  const lines = [lineOf(names)];
  for (const row of rows) lines.push(lineOf(row));
  return `${lines.join("\r\n")}\r\n`;
}

/** The same of rows by their members. @param names where they are called otherwise */
export function csvOfMembers<M extends string>(
  rows: readonly { readonly [N in M]?: unknown }[],
  members: readonly M[],
  names: readonly string[] = members,
): string {
  return csvOf(
    names,
    rows.map((row) => members.map((member) => row[member])),
  );
}

function lineOf(cells: readonly unknown[]): string {
  return cells.map(cellOf).join(",");
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  const text = textOf(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return guardFormula(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Has the browser save a text as a file. */
export function saveText(name: string, type: string, text: string): void {
  saveBlob(name, new Blob([text], { type }));
}

/** Has the browser save what is in a blob as a file. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
