import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import { sql } from "slonik";
import { z } from "zod";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { eventIdAt, eventIdPrefix } from "#contracts/seismic-event/event-id.ts";
import { type BulletinPiece, PARTS, unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { decodeFrame } from "#infra/event-log/bulletin-frame.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import { binaryCopyStream } from "#infra/postgres/copy/binary-copy.ts";
import {
  booleanField,
  byteaField,
  type CopyField,
  float8Field,
  int2Field,
  int4Field,
  sameInEveryRow,
  textField,
} from "#infra/postgres/copy/copy-fields.ts";
import { uuidField } from "#infra/postgres/copy/uuid-fields.ts";
import type { Transaction } from "../engine/projection.ts";
import { countApplied, type OpenRevision, openRevisionOf } from "./open-revision.ts";

type OfEvent = { readonly id: string };

/**
 * Applies frames of one revision, in order: their pieces as they are, and the magnitudes of the heads
 * that they complete. Frames of a revision that is not open change nothing.
 */
export async function applyFrames(
  transaction: Transaction,
  catalogueId: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  const open = await openRevisionOf(transaction, catalogueId, events);
  if (open === null) return;
  const prefix = eventIdPrefix(catalogueId, open.revision);
  const pieces = events
    .flatMap(({ data }) => decodeFrame(data as Uint8Array))
    .map(({ at, ...piece }) => ({
      ...piece,
      id: typeof at === "number" ? eventIdAt(prefix, at) : at,
    }));
  await copyPieces(transaction, open, pieces);
  const magnitudes: Magnitude[] = [];
  for (const { id, part, piece, of, bytes } of pieces) {
    if (part !== PARTS.head || piece < of - 1) continue;
    const head = of === 1 ? [{ part, bytes }] : await headOf(transaction, open, id);
    magnitudes.push(...magnitudesOf(id, unpackBulletin(head)));
  }
  await copyMagnitudes(transaction, open, magnitudes);
  await countApplied(transaction, open, events);
}

const Piece = z.object({ bytes: z.instanceof(Uint8Array) });

/** A head of several pieces, of which earlier transactions may have written the first. */
async function headOf(
  transaction: Transaction,
  { key, revision }: OpenRevision,
  id: string,
): Promise<Pick<BulletinPiece, "part" | "bytes">[]> {
  const rows = await transaction.any(sql.type(Piece)`
    select bytes from bulletins
    where catalogue_key = ${key} and event_id = ${id}::uuid and revision = ${revision}
      and part = ${PARTS.head} order by piece`);
  return rows.map(({ bytes }) => ({ part: PARTS.head, bytes }));
}

type Magnitude = OfEvent & {
  readonly place: number;
  readonly value: number;
  readonly preferred: boolean;
  readonly type: string | undefined;
  readonly agency: string | undefined;
};

function magnitudesOf(id: string, { magnitude = [], preferredMagnitudeID }: Bulletin): Magnitude[] {
  // Of two with the same id a reference means the first.
  const preferred = magnitude.findIndex(({ publicID }) => publicID === preferredMagnitudeID);
  return magnitude.map(({ mag, type, creationInfo }, place) => ({
    id,
    place,
    value: mag.value,
    preferred: place === preferred,
    type,
    agency: creationInfo?.agencyID,
  }));
}

function copyPieces(
  transaction: Transaction,
  open: OpenRevision,
  rows: readonly (OfEvent & BulletinPiece)[],
): Promise<void> {
  return copyRows(transaction, open, "bulletins", rows, {
    part: int2Field(rows.map(({ part }) => part)),
    piece: int2Field(rows.map(({ piece }) => piece)),
    bytes: byteaField(rows.map(({ bytes }) => bytes)),
  });
}

function copyMagnitudes(
  transaction: Transaction,
  open: OpenRevision,
  rows: readonly Magnitude[],
): Promise<void> {
  return copyRows(transaction, open, "bulletin_magnitudes", rows, {
    place: int4Field(rows.map(({ place }) => place)),
    value: float8Field(rows.map(({ value }) => value)),
    preferred: booleanField(rows.map(({ preferred }) => preferred)),
    type: textField(rows.map(({ type }) => withoutNul(type))),
    agency: textField(rows.map(({ agency }) => withoutNul(agency))),
  });
}

/** PostgreSQL's text has no NUL. */
function withoutNul(text: string | undefined): string | undefined {
  return text?.replaceAll("\0", "");
}

async function copyRows(
  { client }: Transaction,
  { key, revision }: OpenRevision,
  table: string,
  rows: readonly OfEvent[],
  columns: Readonly<Record<string, CopyField>>,
): Promise<void> {
  if (rows.length === 0) return;
  const names = ["catalogue_key", "revision", "event_id", ...Object.keys(columns)];
  const fields = [
    sameInEveryRow(int4Field([key])),
    sameInEveryRow(int4Field([revision])),
    uuidField(rows.map(({ id }) => id)),
    ...Object.values(columns),
  ];
  const copy = client.query(
    copyFrom(`copy ${table} (${names.join(", ")}) from stdin (format binary)`),
  );
  await pipeline(binaryCopyStream([{ length: rows.length, fields }]), copy);
}
