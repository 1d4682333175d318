import type { CHUNK_EVENT, FRAME_EVENT } from "#contracts/events/catalogues.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createChunkWriter, type EncodedChunk, type WrittenBulletin } from "#infra/log/chunks.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import { presentRevision, readKnownEvents } from "#projections/read/edits.ts";
import { createCatalogueCommand } from "#services/catalogues/commands.ts";
import type { Command, CommandContext } from "#services/context.ts";
import { validateEvent } from "#services/domain/events/validation/validate-event.ts";
import { generateEvents } from "../generate-catalogue.ts";
import { newCommand } from "./use-catalogues.ts";

/** Valid records of a generated catalogue. */
export function generatedRecords(seed: number, count: number): SeismicEventRecord[] {
  return [...generateEvents(seed, count)].map((event) => {
    const result = validateEvent(event, { nowMs: Date.now() });
    if (!result.ok) throw new Error(JSON.stringify(result.errors));
    return result.record;
  });
}

/** The context with a log that takes no event of a type: chunks, or the commit behind them. */
export function withFullDisk(
  context: CommandContext,
  type: typeof CHUNK_EVENT | typeof FRAME_EVENT | "RevisionCommitted",
): CommandContext {
  const log: EventLog = {
    ...context.log,
    append: (stream, revision, events, ...rest) =>
      events.some((event) => event.type === type)
        ? Promise.reject(new Error("the disk is full"))
        : context.log.append(stream, revision, events, ...rest),
  };
  return { ...context, log };
}

/** A catalogue of these events, and the bulletins of some, visible at version 1. */
export function createdFrom(
  context: CommandContext,
  records: readonly SeismicEventRecord[],
  command: Command = newCommand(),
  bulletinOf: (index: number) => WrittenBulletin | null = () => null,
): Promise<string> {
  const writer = createChunkWriter();
  const chunks: EncodedChunk[] = [];
  for (const [i, record] of records.entries()) {
    const chunk = writer.add(record, bulletinOf(i));
    if (chunk !== null) chunks.push(chunk);
  }
  const last = writer.finish();
  if (last !== null) chunks.push(last);
  const totals = () => ({ ...writer.counts(), bounds: writer.bounds() });
  const wanted = { name: "test", access: "internal", merge: null } as const;
  return createCatalogueCommand(context, command, wanted, { chunks, totals });
}

/** The id of the first generated event of a catalogue. */
export async function firstEventOf({ pool }: CommandContext, catalogueId: string): Promise<string> {
  const base = await presentRevision(pool, catalogueId);
  const ids = { sourceId: "eq0000000", publicId: null };
  const events = base && (await readKnownEvents(pool, base, [ids]));
  return events?.[0]?.id ?? "";
}
