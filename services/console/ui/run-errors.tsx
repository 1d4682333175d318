import type { AnswerOf } from "../model/operation-types.ts";
import type { ColumnOf } from "./table.tsx";
import { count, elapsed } from "./text/format.ts";

type Run = AnswerOf<"GET /api/import/history">[number];

/** What each run took and brought. @param changed how events that were there already are called */
export function countColumns(changed: string): readonly ColumnOf<Run>[] {
  const durationOf = (run: Run) => elapsed(Date.parse(run.end_time) - Date.parse(run.start_time));
  return [
    { head: "Took", class: "number", cell: durationOf },
    { head: "Fetched", class: "number", cell: (run) => count(run.total_fetched) },
    { head: "New", class: "number", cell: (run) => count(run.new_events) },
    { head: changed, class: "number", cell: (run) => count(run.updated_events) },
  ];
}

/** Why a run failed, or the first thing that it could not take and how many there are. */
export function RunErrors({ errors }: Pick<Run, "errors">) {
  const [first] = errors ?? [];
  const failure = errors?.find(({ code }) => code !== undefined);
  if (failure) {
    return (
      <>
        <span class="badge bad">failed</span> {failure.message}
      </>
    );
  }
  if (!errors || !first) return null;
  return `${count(errors.length)}: ${first.message}${errors.length > 1 ? " …" : ""}`;
}
