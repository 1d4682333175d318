import type { Problem } from "./read-upload.ts";

export type ReportLine = Problem & {
  readonly kind: "unreadable" | "note";
  /** The line as it stands in the file; null where it is not known. */
  readonly row: string | null;
};

type Problems = {
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
};

/** What is wrong or doubtful, in the order of the file. */
export function reportLines(
  { errors, warnings }: Problems,
  rows: ReadonlyMap<number, string>,
): readonly ReportLine[] {
  const lines = (kind: ReportLine["kind"], problems: readonly Problem[]) =>
    problems.map(
      (problem): ReportLine => ({ ...problem, kind, row: rows.get(problem.line) ?? null }),
    );
  return [...lines("unreadable", errors), ...lines("note", warnings)].toSorted(
    (a, b) => a.line - b.line,
  );
}

/** The report as CSV (RFC 4180). */
export function reportCsv(lines: readonly ReportLine[]): string {
  const rows = lines.map(({ line, kind, message, row }) => [
    String(line),
    kind,
    message,
    row ?? "",
  ]);
  return [["line", "kind", "message", "row"], ...rows]
    .map((cells) => `${cells.map(cell).join(",")}\r\n`)
    .join("");
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
