import { readLocatedEvent } from "../../api/located-event.ts";
import type { Line } from "../../map/layers.ts";
import { outlineOf } from "../../model/error-ellipse.ts";

/** The outline of where an event may lie, in a version; null where it does not tell. @throws CallError */
export async function outlineOfEvent(
  params: { readonly id: string; readonly eventId: string },
  asOf: string,
  signal: AbortSignal,
): Promise<Line | null> {
  const { event, ellipse } = await readLocatedEvent(params, asOf, signal);
  return ellipse && outlineOf(event, ellipse);
}
