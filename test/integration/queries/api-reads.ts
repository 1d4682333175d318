import type { DatabasePool } from "slonik";
import type { z } from "zod";
import { type ErrorCode, Refusal } from "#contracts/errors.ts";
import type { Operation } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { validate } from "#infra/json/validation.ts";
import { NOBODY } from "#infra/kernel/fair-queue.ts";
import type { EventReads } from "#projections/read/walk.ts";
import { readerOfActor } from "#services/access.ts";
import { handlersOfEvents } from "#services/events/handlers.ts";
import type { Actor, Call, Handler, JsonAnswer } from "#services/handler.ts";
import type { HandlerDeps } from "#services/handler-deps.ts";
import type { GatewayThreads } from "#services/threads.ts";
import { createVersionHistories } from "#services/versions/history.ts";
import { createInMemoryEventLog } from "../../support/in-memory-event-log.ts";

/** Query parameters as a client writes them. */
export type Parameters = Readonly<Record<string, string | number>>;

type Body<O extends Operation> = z.output<O["answer"]>;
export type Read<O extends Operation> = (
  params: Readonly<Record<string, string>>,
  query?: Parameters,
) => Promise<{ body: Body<O>; etag: string | undefined; isPublic: boolean | undefined }>;

const READER: Actor = {
  userId: "user_1_tester",
  email: "reader@example.org",
  name: "Reader",
  role: "viewer",
  sessionId: "00000000-0000-4000-8000-000000000000",
  expires: "2100-01-01T00:00:00.000Z",
};

const noThread = () => {
  throw new Error("there are no threads");
};
/** All that is read here is written without a thread. */
const NO_THREADS = new Proxy(
  {},
  { get: () => ({ stream: noThread, run: noThread }) },
) as GatewayThreads;

/** Calls a handler as the gateway does, and checks the answer against the operation's schema. */
function read<O extends Operation>(
  operation: O,
  handler: Handler<O>,
  actor: Actor | null,
): Read<O> {
  return async (params, query = {}) => {
    const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const call = {
      params,
      actor,
      // Nobody else asks: it is always this answer's turn.
      turn: async () => () => undefined,
      asker: NOBODY,
      isGuest: actor === null,
      reader: readerOfActor(actor),
      facts: null,
      hidden: null,
      query:
        operation.query === "fdsn"
          ? new URLSearchParams(Object.fromEntries(texts)).toString()
          : operation.query && validate(operation.query, Object.fromEntries(texts)),
    } as unknown as Call<O>;
    const answer = (await handler(call)) as JsonAnswer<O>;
    const sent: unknown = JSON.parse(JSON.stringify(answer.body));
    const body = operation.answer.parse(sent) as Body<O>;
    return { body, etag: answer.headers?.["etag"], isPublic: answer.isPublic };
  };
}

export type ApiReads = ReturnType<typeof createApiReads>;

/** The read operations of catalogues, without HTTP around them; for a guest where the actor is null. */
export function createApiReads(
  pool: DatabasePool,
  reads: EventReads,
  actor: Actor | null = READER,
) {
  const versionHistories = createVersionHistories(createInMemoryEventLog());
  const of = { pool, reads, lookups: reads.prepared, versionHistories, threads: NO_THREADS };
  const deps = { ...of, publicBaseUrl: "" } as unknown as HandlerDeps;
  const handlers = handlersOfEvents(deps);
  return {
    listEvents: read(operations.listEvents, handlers.listEvents, actor),
    filterEvents: read(operations.filterEvents, handlers.filterEvents, actor),
    getEventHistory: read(operations.getEventHistory, handlers.getEventHistory, actor),
  };
}

/** The codes with which reads that have begun are refused, each once. */
export async function codesOf(...answers: readonly Promise<unknown>[]): Promise<ErrorCode[]> {
  const codes = answers.map(async (answer) => {
    const error = await answer.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (error instanceof Refusal) return error.code;
    throw error ?? new Error("the read was not refused");
  });
  return [...new Set(await Promise.all(codes))];
}
