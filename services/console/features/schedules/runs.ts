import type { AnswerOf } from "../../model/operation-types.ts";

export type Run = AnswerOf<"GET /api/import/history">[number];

/** Runs that follow each other: one that changed something or failed, or all between two of these. */
export type RunGroup =
  | { readonly kind: "told"; readonly run: Run }
  | { readonly kind: "quiet"; readonly newest: Run; readonly oldest: Run; readonly count: number };

/** Folds runs in which nothing happened. @param runs newest first */
export function groupsOf(runs: readonly Run[]): readonly RunGroup[] {
  const groups: RunGroup[] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (!isQuiet(run)) groups.push({ kind: "told", run });
    else if (last?.kind !== "quiet") {
      groups.push({ kind: "quiet", newest: run, oldest: run, count: 1 });
    } else groups[groups.length - 1] = { ...last, oldest: run, count: last.count + 1 };
  }
  return groups;
}

function isQuiet(run: Run): boolean {
  const { new_events, updated_events, withdrawn_events = 0, withheld = 0, errors } = run;
  return new_events + updated_events + withdrawn_events + withheld === 0 && !errors?.length;
}
