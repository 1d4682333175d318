import type { Pool } from "pg";
import type { FdsnQuery } from "#contracts/fdsn/parse-query.ts";
import type { FacadeFormat } from "#infra/formats/facade/facade-formats.ts";
import type { FacadeAnswer } from "#infra/formats/facade-row.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { copyBytes } from "#infra/postgres/copy/copy-out.ts";
import type { AskedPool } from "#infra/postgres/statements.ts";
import {
  countSelected,
  type FacadeFilters,
  type FacadeSelection,
  facadeRows,
  firstRows,
  priceOfSelected,
  sizeOfFirst,
} from "#projections/read/clients.ts";
import { exportConnection } from "#projections/read/exports.ts";
import { type ResolvedVersion, requirePresent } from "#projections/read/versions.ts";
import type { EventReads } from "#projections/read/walk.ts";
import type { AnswerPlace } from "../../capacity/answer-place.ts";
import { readsFor } from "../../capacity/searches.ts";
import type { Exporter } from "../../files/exporter.ts";
import { createTextFileWriter } from "../../files/text-file-writer.ts";
import type { AnswerPieces } from "../../http/answer-body.ts";

export type FindDeps = {
  readonly reads: EventReads;
  readonly exportPool: Pool;
  readonly exporter: Pick<Exporter, "write">;
};

export type FoundEvents = {
  /** Their number; null where it is large and not asked for. */
  readonly count: number | null;
  readonly write: (facade: FacadeFormat, answer: Omit<FacadeAnswer, "count">) => Content;
};

/** Few events are a text, many are written while they are sent. */
export type Content = { readonly text: string } | { readonly open: () => AnswerPieces };

type FindCall = { readonly asker: Asker; readonly turn: AnswerPlace["turn"] };

/** Which numbers an answer tells: none, that of its events, or that of all that match as well. */
export type Counting = "none" | "answer" | "all";

/** More events are streamed, in the turn of exports. */
const SMALL = 1_000;
/** Of bulletins: their answer is written within 20 ms. */
const SMALL_BYTES = 1024 * 1024;

/**
 * Finds the events of a selection: few are read at once, many when the answer is written.
 * @throws Refusal NOT_FOUND when the catalogue was deleted meanwhile; RateLimited
 */
export async function findEvents(
  { exportPool, exporter, ...deps }: FindDeps,
  selection: FacadeSelection,
  { asker, turn }: FindCall,
  counting: Counting,
): Promise<FoundEvents> {
  const reads = readsFor(deps.reads, { asker, turn });
  const { version, query } = selection;
  const first = Math.min(query.limit ?? Number.POSITIVE_INFINITY, SMALL + 1);
  const cost = { price: priceOfSelected(version, query, first), events: 0 };
  const few = await reads.search(cost, async (pool) =>
    (await areFew(pool)) ? readFew(pool) : null,
  );
  if (few !== null) {
    const isPart = counting === "all" && (query.offset > 0 || few.count === query.limit);
    return fewEvents(
      few.rows,
      few.count,
      isPart ? await countAll(reads, version, query) : few.count,
    );
  }
  const total = counting === "none" ? null : await countAll(reads, version, query);
  const count = total === null ? null : within(total, query);
  await turn("exports");
  return {
    count,
    write: (facade, answer) => ({
      open: () =>
        exporter.write(
          { facade, answer: { ...answer, count: count ?? 0, total: total ?? 0 }, count },
          streamed,
          asker,
        ),
    }),
  };

  /** Whether they may be: a bulletin may be larger than a thousand events. */
  async function areFew(pool: AskedPool): Promise<boolean> {
    if (selection.bulletins === undefined) return true;
    const { count: number, bytes } = await sizeOfFirst(pool, selection, SMALL);
    return number < SMALL && bytes <= SMALL_BYTES;
  }

  /** Null where there are more; what was read of them is not kept, because turns may be long in coming. */
  async function readFew(pool: AskedPool) {
    const { more, ...rows } = await firstRows(pool, selection, SMALL);
    if (rows.count === 0) await requirePresent(reads.prepared, version);
    return more ? null : rows;
  }

  async function* streamed(): AsyncGenerator<Buffer> {
    const client = await exportConnection(exportPool);
    yield* copyBytes(client, facadeRows(selection), asker.signal);
  }
}

/** The number of all events of a selection, whatever its offset and limit. */
export function countAll(
  { search }: Pick<EventReads, "search">,
  version: ResolvedVersion,
  query: FacadeFilters & Pick<FdsnQuery, "offset">,
): Promise<number> {
  const cost = { price: priceOfSelected(version, query, 0), events: 0 };
  return search(cost, (pool) => countSelected(pool, version, query));
}

/** What a selection that nothing can fulfil finds. */
export const NO_EVENTS: FoundEvents = fewEvents(Buffer.alloc(0), 0);

function fewEvents(rows: Buffer, count: number, total = count): FoundEvents {
  return {
    count,
    write(facade, answer) {
      const writer = createTextFileWriter({ facade, answer: { ...answer, count, total }, count });
      return { text: [...writer.take(rows), ...writer.end()].join("") };
    },
  };
}

/** The number of events that offset and limit leave of all. */
export function within(
  count: number,
  { offset, limit }: Pick<FdsnQuery, "offset" | "limit">,
): number {
  return Math.min(Math.max(count - offset, 0), limit ?? Number.POSITIVE_INFINITY);
}
