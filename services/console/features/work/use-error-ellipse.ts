import { useMemo } from "preact/hooks";
import { readLocatedEvent } from "../../api/located-event.ts";
import type { Line } from "../../map/shape-layer.ts";
import { outlineOf } from "../../model/error-ellipse.ts";
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
  const { answer } = useCall(`${catalogueId} ${eventId} ${asOf}`, (signal) =>
    eventId === null
      ? Promise.resolve(null)
      : readLocatedEvent({ id: catalogueId, eventId }, asOf, signal),
  );
  return useMemo(() => {
    if (settled === null || event !== settled || !answer?.ellipse) return NOTHING;
    const latitude = columns.latitude[settled] ?? 0;
    const longitude = columns.longitude[settled] ?? 0;
    return [outlineOf({ latitude, longitude }, answer.ellipse)];
  }, [answer, settled, event, columns]);
}
