import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { EventColumns } from "../../model/event-columns.ts";
import type { Change } from "../../ui/use-work-state.ts";

/** The chosen event's index, kept in step with its id in the address. */
export function useChosenEvent(
  columns: EventColumns,
  wanted: string | null,
  change: Change,
): Signal<number | null> {
  const first = useMemo(() => columns.indexOf(wanted), []);
  const selected = useSignal<number | null>(first);
  const chosen = selected.value;
  // What this page itself wrote comes back later, when something else may be chosen already.
  const written = useRef(wanted);
  useEffect(() => {
    const id = chosen === null ? null : columns.idOf(chosen);
    if (id === written.current) return;
    // The first choice can be taken back; walking on from it leaves no trail.
    const how = written.current === null ? "push" : "replace";
    written.current = id;
    change({ event: id }, how);
  }, [chosen]);
  useEffect(() => {
    if (wanted === written.current) return;
    written.current = wanted;
    selected.value = columns.indexOf(wanted);
  }, [wanted]);
  // Other columns have the same event elsewhere, or not at all.
  useEffect(() => {
    selected.value = columns.indexOf(written.current);
  }, [columns]);
  return selected;
}
