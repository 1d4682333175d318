import {
  type AnswerOf,
  type Catalogue,
  call,
  callWithTag,
  type SeismicEvent,
  share,
  statusOf,
} from "../../api/call.ts";

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
  const [catalogue, { answer, tag }, { history }] = await Promise.all([
    call("GET /api/catalogues/:id", { params: { id } }, { signal }),
    orWhereMissing(
      callWithTag(
        "GET /api/catalogues/:id/events/:eventId",
        { params, query: { asOf } },
        { signal },
      ),
      { answer: null, tag: "" },
    ),
    share === null
      ? orWhereMissing(
          call("GET /api/catalogues/:id/events/:eventId/history", { params }, { signal }),
          { history: [] },
        )
      : { history: [] },
  ]);
  return { eventId, asOf, catalogue, event: answer?.event ?? null, tag, history };
}

async function orWhereMissing<T, O>(read: Promise<T>, otherwise: O): Promise<T | O> {
  try {
    return await read;
  } catch (error) {
    if (statusOf(error) === 404) return otherwise;
    throw error;
  }
}
