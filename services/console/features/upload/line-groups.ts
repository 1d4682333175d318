import { saidAlike } from "#contracts/said-alike.ts";
import type { ReportLine } from "./line-report.ts";

/** Lines of which the same is said, but for the numbers in it. */
export type LineGroup = {
  readonly kind: ReportLine["kind"];
  /** What is said of the first. */
  readonly message: string;
  readonly lines: readonly ReportLine[];
};

/** What is wrong or doubtful, said once: unreadable lines first, then the most frequent. */
export function lineGroups(lines: readonly ReportLine[]): readonly LineGroup[] {
  const groups = Map.groupBy(lines, ({ kind, message }) => `${kind} ${saidAlike(message)}`);
  return [...groups.values()]
    .map((alike) => ({
      kind: alike[0]?.kind ?? "note",
      message: alike[0]?.message ?? "",
      lines: alike,
    }))
    .toSorted((a, b) => rank(a) - rank(b) || b.lines.length - a.lines.length);
}

function rank({ kind }: LineGroup): number {
  return kind === "unreadable" ? 0 : 1;
}
