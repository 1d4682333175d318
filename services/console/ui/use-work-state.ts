import { useCallback } from "preact/hooks";
import { useLocation, useRouter, useSearch } from "wouter-preact";
import { searchOf, type WorkState, workStateOf } from "../model/work-state.ts";

type Changes = Partial<WorkState>;

/** Changes what the page shows; a function gets what it shows now, whenever it was made. */
export type Change = (
  changes: Changes | ((now: WorkState) => Changes),
  how?: "push" | "replace",
) => void;

/** What the page shows, kept in its address: choosing makes an entry of the history, dragging none. */
export function useWorkState(): readonly [WorkState, Change] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const { base } = useRouter();
  const change = useCallback<Change>(
    (changes, how = "push") => {
      // What comes late, when another page is there already, is of no use.
      if (location.pathname !== base + path) return;
      // From the address itself: two changes may come before the page is drawn again.
      const now = workStateOf(location.search);
      const next = searchOf({
        ...now,
        ...(typeof changes === "function" ? changes(now) : changes),
      });
      if (next !== searchOf(now)) {
        navigate(path + next, { replace: how === "replace" });
      }
    },
    [base, path],
  );
  return [workStateOf(search), change];
}
