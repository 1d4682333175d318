import type { Logger } from "pino";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { StoredMetadata } from "#contracts/catalogue-metadata.ts";
import { Editing, MemberKind, MemberRight } from "#contracts/catalogue-rights.ts";
import { Bounds, RevisionCause } from "#contracts/domain-events/catalogue-events.ts";
import { ScheduleSettings } from "#contracts/schedule.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import type { CatalogueState } from "#services/domain/catalogues/catalogue.ts";
import type { KeptStates, StreamState } from "../load-state.ts";

/** Of what `evolve` makes of events, and of the form of a state: a test tells the new one where either changes. */
export const SHAPE = 1_522_544_117;

/** Catalogues whose states are in memory; some kilobytes each. */
const MAX_IN_MEMORY = 1_000;

/** A state in the table is this many events old at most, so reading them is one or two reads. */
const STORE_EVERY = 500;

const Open = z.object({
  revision: z.int(),
  cause: RevisionCause,
  worker: z.string(),
  importId: z.string().nullable(),
});

const Existing = z.object({
  status: z.literal("existing"),
  catalogueId: z.string(),
  name: z.string(),
  publicFrom: z.int().nullable(),
  isRestricted: z.boolean(),
  editing: Editing,
  members: z
    .array(z.tuple([z.string(), z.object({ kind: MemberKind, right: MemberRight })]))
    .transform((all) => new Map(all)),
  version: z.int(),
  lastRevision: z.int(),
  open: Open.nullable(),
  eventCount: z.int(),
  bounds: Bounds,
  contentHash: z.string(),
  metadata: StoredMetadata.nullable(),
  shares: z.array(z.tuple([z.string(), z.string().nullable()])).transform((all) => new Map(all)),
  sources: z.array(z.string()).nullable(),
  decided: z.int(),
  schedules: z.array(z.tuple([z.string(), ScheduleSettings])).transform((all) => new Map(all)),
});

const StoredState = z.discriminatedUnion("status", [
  z.object({ status: z.literal("absent") }),
  z.object({ status: z.literal("deleted") }),
  Existing,
]);

const Row = z.object({ state: StoredState, revision: z.int(), eventId: z.string() });

/**
 * The states of catalogues: those asked for last in memory, and of long streams one in a table, which
 * other processes and later ones begin with. They need not agree: a state tells what it covers. Where the
 * table cannot be read or written, the stream is read.
 */
export function createCatalogueStates(
  pool: Pick<CommonQueryMethods, "maybeOne" | "query">,
  logger: Pick<Logger, "warn">,
  storeEvery: number = STORE_EVERY,
): KeptStates<CatalogueState> {
  const recent = createRecent<{
    readonly state: StreamState<CatalogueState>;
    /** The revision in the table. */
    readonly stored: number;
  }>(MAX_IN_MEMORY);

  const tell = (err: unknown) => logger.warn({ err }, "states of catalogues cannot be kept");

  return {
    async find(stream) {
      const known = recent.get(stream);
      if (known !== undefined) return recent.keep(stream, known).state;
      const state = await readState(pool, stream).catch((error) => {
        tell(error);
        return null;
      });
      if (state !== null) recent.keep(stream, { state, stored: state.revision });
      return state;
    },
    async keep(stream, state) {
      const stored = recent.get(stream)?.stored ?? 0;
      const isStored = Math.abs(state.revision - stored) < storeEvery;
      recent.keep(stream, { state, stored: isStored ? stored : state.revision });
      if (!isStored) await storeState(pool, stream, state).catch(tell);
    },
  };
}

function readState(
  pool: Pick<CommonQueryMethods, "maybeOne">,
  stream: string,
): Promise<StreamState<CatalogueState> | null> {
  return pool.maybeOne(sql.type(Row)`
    select state, revision, event_id as "eventId" from coordination.catalogue_states
    where stream = ${stream} and shape = ${SHAPE}`);
}

async function storeState(
  pool: Pick<CommonQueryMethods, "query">,
  stream: string,
  { state, revision, eventId }: StreamState<CatalogueState>,
): Promise<void> {
  await pool.query(sql.unsafe`
    insert into coordination.catalogue_states (stream, shape, revision, event_id, state)
    values (${stream}, ${SHAPE}, ${revision}, ${eventId}, ${storedForm(state)})
    on conflict (stream) do update set shape = excluded.shape, revision = excluded.revision,
      event_id = excluded.event_id, state = excluded.state`);
}

export function storedForm(state: CatalogueState): string {
  return JSON.stringify(
    state.status === "existing"
      ? {
          ...state,
          members: [...state.members],
          shares: [...state.shares],
          schedules: [...state.schedules],
        }
      : state,
  );
}
