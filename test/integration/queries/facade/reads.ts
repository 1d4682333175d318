import type { Operations } from "#contracts/http/table/operations.ts";
import { NOBODY } from "#infra/kernel/fair-queue.ts";
import { createKnownValues } from "#projections/read/clients.ts";
import { GUEST } from "#projections/read/rights.ts";
import { handlersOfEventService } from "#services/clients/facade.ts";
import type { Actor, Answer, AnswerPieces, Call, Handler } from "#services/handler.ts";
import type { HandlerDeps } from "#services/handler-deps.ts";
import { openGatewayThreads } from "#services/threads.ts";
import type { ReadModel } from "../use-read-model.ts";

type FacadeOperation = Operations["fdsnQuery"] | Operations["fdsnCount"];

export type FacadeReads = {
  /** The whole answer of `query`; an empty text for no events. */
  readonly query: (id: string, query: string) => Promise<string>;
  readonly count: (id: string, query: string) => Promise<number>;
  readonly close: () => Promise<void>;
};

/** The event service of catalogues of the read model, without HTTP around it; for a guest. */
export function createFacadeReads({ pool, reads, writer }: ReadModel): FacadeReads {
  const { threads, close } = openGatewayThreads("");
  const deps = {
    pool,
    reads,
    threads,
    lookups: reads.prepared,
    exportPool: writer,
    publicBaseUrl: "https://host.example",
    fdsnCatalogue: null,
    knownValues: createKnownValues(),
    now: () => new Date(),
  };

  async function read<O extends FacadeOperation>(handler: Handler<O>, id: string, query: string) {
    const actor: Actor | null = null;
    const call = {
      params: { id },
      query,
      actor,
      reader: GUEST,
      url: `/api/catalogues/${id}/fdsnws/event/1/query?${query}`,
      asker: NOBODY,
      turn: async () => () => undefined,
    } as unknown as Call<O>;
    const answer = (await handler(call)) as Answer<Operations["fdsnQuery"]>;
    if ("file" in answer) throw new Error("the event service answers no files");
    return "open" in answer ? textOf(answer.open()) : answer.text;
  }

  const { fdsnQuery: query, fdsnCount: count } = handlersOfEventService(
    deps as unknown as HandlerDeps,
  );
  return {
    query: (id, text) => read(query, id, text),
    count: async (id, text) => Number(await read(count, id, text)),
    close,
  };
}

async function textOf(pieces: AnswerPieces): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += String(piece);
  return text;
}
