import { type BulletinPiece, unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { withBulletin, withCopiedBulletin } from "#projections/read/copied-rows.ts";

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
  return source instanceof Uint8Array
    ? withCopiedBulletin(event, Buffer.from(source))
    : withBulletin(event, unpackBulletin(source));
}
