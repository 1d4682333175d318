type Cell = unknown;

/** Rows as CSV after RFC 4180, the names first; unknown values are empty, lists and parts JSON. */
export function csvOf(names: readonly string[], rows: Iterable<readonly Cell[]>): string {
  const lines = [lineOf(names)];
  for (const row of rows) lines.push(lineOf(row));
  return `${lines.join("\r\n")}\r\n`;
}

function lineOf(cells: readonly Cell[]): string {
  return cells.map(cellOf).join(",");
}

function cellOf(value: Cell): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
