import { type BulletinPiece, unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { readCopiedBulletin, withBulletin } from "#projections/queries/events/copied-event.ts";

/** One event as JSON with its bulletin. */
export type EventTask = {
  /** Its JSON without the bulletin. */
  readonly event: string;
  /** The bulletin as it is stored, or as COPY writes it. */
  readonly source: readonly Pick<BulletinPiece, "part" | "bytes">[] | Uint8Array;
  /** Of the bulletin's JSON. */
  readonly bytes: number;
};

/** @throws CorruptBulletin */
export function writeEvent({ event, source }: EventTask): string {
  const bulletin =
    source instanceof Uint8Array
      ? readCopiedBulletin(Buffer.from(source).toString("latin1"))
      : unpackBulletin(source);
  return bulletin === null ? event : withBulletin(event, bulletin);
}
