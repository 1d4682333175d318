import { csvOf } from "../../ui/text/csv.ts";
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

export function reportCsv(lines: readonly ReportLine[]): string {
  return csvOf(
    ["line", "kind", "message", "row"],
    lines.map(({ line, kind, message, row }) => [line, kind, message, row]),
  );
}
