import type { AnswerOf } from "../api/call.ts";
import type { ColumnOf } from "./table.tsx";
import { count, elapsed } from "./text/format.ts";

type Run = AnswerOf<"GET /api/import/history">[number];

/** What each run took and brought. @param changed how events that were there already are called */
export function countColumns<T>(changed: string, runOf: (row: T) => Run): readonly ColumnOf<T>[] {
  const column = (head: string, tell: (run: Run) => string): ColumnOf<T> => ({
    head,
    class: "number",
    cell: (row) => tell(runOf(row)),
  });
  return [
    column("Took", (run) => elapsed(Date.parse(run.end_time) - Date.parse(run.start_time))),
    column("Fetched", (run) => count(run.total_fetched)),
    column("New", (run) => count(run.new_events)),
    column(changed, (run) => count(run.updated_events)),
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
