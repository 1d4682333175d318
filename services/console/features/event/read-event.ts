import { CallError, call, callWithTag, share } from "../../api/call.ts";
import type { AnswerOf } from "../../model/operation-types.ts";

export type Catalogue = AnswerOf<"GET /api/catalogues/:id">;
export type SeismicEvent = AnswerOf<"GET /api/catalogues/:id/events/:eventId">["event"];
export type Changes = AnswerOf<"GET /api/catalogues/:id/events/:eventId/history">["history"];

export type EventReading = {
  /** What was asked for: an answer may still stand while another event is read. */
  readonly eventId: string;
  readonly asOf: string | undefined;
  readonly catalogue: Catalogue;
  /** Null where the event is in no version that is asked for. */
  readonly event: SeismicEvent | null;
  /** The event's entity tag. */
  readonly tag: string;
  /** Empty below a share, which does not tell it. */
  readonly history: Changes;
};

/** An event as one version has it, its catalogue and its history. */
export async function readEvent(
  id: string,
  eventId: string,
  asOf: string | undefined,
  signal: AbortSignal,
): Promise<EventReading> {
  const params = { id, eventId };
  const [catalogue, { event, tag }, { history }] = await Promise.all([
    call("GET /api/catalogues/:id", { params: { id } }, { signal }),
    callWithTag(
      "GET /api/catalogues/:id/events/:eventId",
      { params, query: { asOf } },
      { signal },
    ).then(
      ({ answer, tag }) => ({ event: answer.event, tag }),
      (error: unknown) => {
        if (error instanceof CallError && error.status === 404) return { event: null, tag: "" };
        throw error;
      },
    ),
    share === null
      ? call("GET /api/catalogues/:id/events/:eventId/history", { params }, { signal }).catch(
          (error: unknown) => {
            if (error instanceof CallError && error.status === 404) return { history: [] };
            throw error;
          },
        )
      : { history: [] },
  ]);
  return { eventId, asOf, catalogue, event, tag, history };
}
