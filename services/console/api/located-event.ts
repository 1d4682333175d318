import { type ErrorEllipse, ellipseOf, ellipseOfRow } from "../model/error-ellipse.ts";
import type { AnswerOf } from "../model/operation-types.ts";
import { preferredOrigin } from "../model/preferred-solutions.ts";
import { call } from "./call.ts";

export type LocatedEvent = {
  readonly event: AnswerOf<"GET /api/catalogues/:id/events/:eventId">["event"];
  /** How well its epicentre is known; null where that is not told. */
  readonly ellipse: ErrorEllipse | null;
};

type Named = { readonly id: string; readonly eventId: string };

/**
 * An event with the error ellipse of its preferred origin, else of its row.
 * @param asOf the version; the latest without it
 * @throws CallError
 */
export async function readLocatedEvent(
  params: Named,
  asOf: string | undefined,
  signal?: AbortSignal,
): Promise<LocatedEvent> {
  const options = signal ? { signal } : {};
  const { event } = await call(
    "GET /api/catalogues/:id/events/:eventId",
    { params, query: { asOf } },
    options,
  );
  if (event.bulletin_counts === undefined) return { event, ellipse: ellipseOfRow(event) };
  const { bulletin } = await call(
    "GET /api/catalogues/:id/events/:eventId/bulletin",
    { params, query: { parts: "origin,focalMechanism", asOf } },
    options,
  );
  const origin = preferredOrigin(bulletin);
  return { event, ellipse: (origin && ellipseOf(origin)) ?? ellipseOfRow(event) };
}
