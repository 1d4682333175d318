import { useMemo } from "preact/hooks";
import type { Line } from "../../map/shape-layer.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { useSettled } from "../../ui/call/use-settled.ts";

const NOTHING: readonly Line[] = [];

/**
 * The outline of where an event may lie, as its preferred origin tells it; nothing where it does not.
 * @param event its index, once the pointer has rested on it; null for none
 */
export function useErrorEllipse(
  catalogueId: string,
  columns: EventColumns,
  event: number | null,
): readonly Line[] {
  const settled = useSettled(event);
  const eventId = settled === null ? null : columns.idOf(settled);
  const asOf = String(columns.version);
  const { answer } = useCall(`${catalogueId} ${eventId} ${asOf}`, async (signal) => {
    if (eventId === null) return null;
    // Its scripts are none of the first page's: they come with the first event that is pointed at.
    const { outlineOfEvent } = await import("./ellipse-outline.ts");
    return outlineOfEvent({ id: catalogueId, eventId }, asOf, signal);
  });
  return useMemo(
    () => (settled === null || event !== settled || !answer ? NOTHING : [answer]),
    [answer, settled, event],
  );
}
