import { useMemo } from "preact/hooks";
import { call } from "../../api/call.ts";
import type { Line } from "../../map/shape-layer.ts";
import {
  type ErrorEllipse,
  ellipseOf,
  ellipseOfRow,
  outlineOf,
} from "../../model/error-ellipse.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import { preferredOrigin } from "../../model/preferred-solutions.ts";
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
    eventId === null ? Promise.resolve(null) : readEllipse(catalogueId, eventId, asOf, signal),
  );
  return useMemo(() => {
    if (settled === null || event !== settled || !answer) return NOTHING;
    const latitude = columns.latitude[settled] ?? 0;
    const longitude = columns.longitude[settled] ?? 0;
    return [outlineOf({ latitude, longitude }, answer)];
  }, [answer, settled, event, columns]);
}

async function readEllipse(
  id: string,
  eventId: string,
  asOf: string,
  signal: AbortSignal,
): Promise<ErrorEllipse | null> {
  const params = { id, eventId };
  const { event } = await call(
    "GET /api/catalogues/:id/events/:eventId",
    { params, query: { asOf } },
    { signal },
  );
  if (event.bulletin_counts !== undefined) {
    const { bulletin } = await call(
      "GET /api/catalogues/:id/events/:eventId/bulletin",
      { params, query: { parts: "origin,focalMechanism", asOf } },
      { signal },
    );
    const origin = preferredOrigin(bulletin);
    const ellipse = origin ? ellipseOf(origin) : null;
    if (ellipse) return ellipse;
  }
  return ellipseOfRow(event);
}
