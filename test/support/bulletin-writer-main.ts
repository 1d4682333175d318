/**
 * The program of test/e2e/bulletin-crash/killed-writers.test.ts, to be killed: writes catalogues of whole
 * events in several appends, moves an event of each deeper, and says each step in a line (`WriterStep`).
 */

import { randomUUID } from "node:crypto";
import { eventId } from "#contracts/seismic-event/ids.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { packBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { rowOfBulletin } from "#infra/formats/bulletin/row.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/log/chunks.ts";
import { createPostgresEventLog } from "#infra/log/postgres-event-log.ts";
import { createPresence } from "#infra/postgres/coordination.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { waitForPosition } from "#projections/engine/progress.ts";
import { createCatalogueCommand } from "#services/catalogues/commands.ts";
import { type CommandContext, createRevisionsInProgress } from "#services/context.ts";
import { validateEvent } from "#services/domain/events/validation/validate-event.ts";
import { changeEventCommand } from "#services/events/commands.ts";
import { createCatalogueStates } from "#services/streams.ts";
import { smallBulletin } from "./bulletins/small-bulletin.ts";
import { silentLogger } from "./logger.ts";

/** A step that is attempted, or has been acknowledged; `depth` is what an edit gives the first event, km. */
export type WriterStep = { readonly catalogue: string; readonly depth?: number } & {
  readonly is: "attempted" | "acknowledged";
};

const [url = "", events = "", edits = ""] = process.argv.slice(2);
/** Each is an append of its own, so that most kills find a revision with some of its events. */
const EVENTS_PER_CHUNK = 15;
const VISIBLE_MS = 20_000;
const ACTOR = "user_1_writer";

const say = (step: WriterStep) => process.stdout.write(`${JSON.stringify(step)}\n`);

const pool = await createDatabase(url, { applicationName: "bulletin writer" });
const presence = await createPresence(url);
const context: CommandContext = {
  log: await createPostgresEventLog(url),
  pool,
  untilVisible: (projection, position) => waitForPosition(pool, projection, position, VISIBLE_MS),
  worker: presence.key,
  revisionsInProgress: createRevisionsInProgress(),
  catalogueStates: createCatalogueStates(pool, silentLogger()),
  logger: silentLogger(),
  now: () => new Date(),
  newId: randomUUID,
};

const bulletins = Array.from({ length: Number(events) }, (_, i) => smallBulletin(String(i)));
const packed = bulletins.map((bulletin) => {
  const validated = validateEvent(
    rowOfBulletin(bulletin, () => undefined),
    { nowMs: Date.now() },
  );
  if (!validated.ok) throw new Error(JSON.stringify(validated.errors));
  return { record: validated.record, bulletin: packBulletin(bulletin) };
});

const command = () => ({ id: randomUUID(), actor: ACTOR });

async function create(name: string): Promise<string> {
  const writer = createChunkWriter();
  function* chunks(): Generator<EncodedChunk> {
    for (const [i, { record, bulletin }] of packed.entries()) {
      const full = writer.add(record satisfies SeismicEventRecord, bulletin);
      const isLast = (i + 1) % EVENTS_PER_CHUNK === 0;
      const chunk = full ?? (isLast ? writer.finish() : null);
      if (chunk !== null) yield chunk;
    }
    const rest = writer.finish();
    if (rest !== null) yield rest;
  }
  const totals = () => ({ ...writer.counts(), bounds: writer.bounds() });
  const wanted = { name, access: "internal", merge: null } as const;
  return createCatalogueCommand(context, command(), wanted, { chunks: chunks(), totals });
}

for (;;) {
  const catalogue = randomUUID();
  say({ catalogue, is: "attempted" });
  const id = await create(catalogue);
  say({ catalogue, is: "acknowledged" });
  for (let depth = 1; depth <= Number(edits); depth += 1) {
    say({ catalogue, depth, is: "attempted" });
    await changeEventCommand(context, command(), id, eventId(id, 1, 0), { depth }, null);
    say({ catalogue, depth, is: "acknowledged" });
  }
}
