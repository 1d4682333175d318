import { isDeepStrictEqual } from "node:util";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { bulletinFault } from "#contracts/bulletin/check-bulletin.ts";
import { ROWS_OWN } from "#contracts/bulletin/own-members.ts";
import { COLUMN_NAMES } from "#contracts/seismic-event/event-columns.ts";
import { postgresMicros } from "#contracts/seismic-event/origin-time.ts";
import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  BulletinTooLarge,
  type PackedBulletin,
  packBulletin,
} from "#infra/bulletins/packed-bulletin.ts";
import { rowOfBulletin } from "#infra/formats/bulletin/row.ts";
import {
  isPlainObject,
  type ValidatedEvent,
} from "#services/domain/events/validation/event-draft.ts";
import {
  createEventValidator,
  createPartReader,
  type GivenAttributes,
  type ValidationOptions,
} from "#services/domain/events/validation/validate-event.ts";

const OF_BULLETIN = ["bulletin", "bulletin_sha256", "bulletin_counts"];

/** A row that a reader of files made of a bulletin. */
export class RowOfBulletin {
  readonly row: JsonObject;
  readonly bulletin: Bulletin;

  constructor(row: JsonObject, bulletin: Bulletin) {
    this.row = row;
    this.bulletin = bulletin;
  }
}

/** A submitted event, valid or not, with its bulletin where it has a readable one. */
export type SubmittedEvent = {
  readonly result: ValidatedEvent;
  readonly bulletin: Bulletin | null;
  /** The bulletin of a valid event. */
  readonly packed: PackedBulletin | null;
};

/**
 * Reads submitted events: JSON values, of which one may have its bulletin as a member, and rows of
 * files. The hash and the counts that answers tell of a bulletin are ignored. Make one per body.
 */
export function createSubmittedReader(options: ValidationOptions) {
  const validate = createEventValidator(options);
  const readPart = createPartReader(options);

  function withBulletin(bulletin: unknown, beside: JsonObject): SubmittedEvent {
    const fault = bulletinFault(bulletin);
    if (fault !== null) {
      const field = fault.path === "" ? "bulletin" : `bulletin.${fault.path}`;
      return refused(field, fault.message);
    }
    const read = bulletin as Bulletin;
    const row = rowOfBulletin(read, () => undefined);
    if (typeof row === "string") {
      return { ...refused("bulletin", `makes no row: ${row}`), bulletin: read };
    }
    const view = validate(row);
    if (!view.ok) return { result: view, bulletin: read, packed: null };
    return packedWith(read, besideBulletin(view.record, readPart(beside)));
  }

  return (event: unknown): SubmittedEvent => {
    if (event instanceof RowOfBulletin) return packedWith(event.bulletin, validate(event.row));
    if (!isPlainObject(event) || !OF_BULLETIN.some((name) => name in event)) {
      return { result: validate(event), bulletin: null, packed: null };
    }
    const { bulletin_sha256: _, bulletin_counts: __, bulletin, ...beside } = event;
    if (bulletin === undefined || bulletin === null) {
      return { result: validate(beside), bulletin: null, packed: null };
    }
    return withBulletin(bulletin, beside);
  };
}

function packedWith(bulletin: Bulletin, result: ValidatedEvent): SubmittedEvent {
  if (!result.ok) return { result, bulletin, packed: null };
  try {
    return { result, bulletin, packed: packBulletin(bulletin) };
  } catch (error) {
    if (!(error instanceof BulletinTooLarge)) throw error;
    return { ...refused("bulletin", error.message), bulletin };
  }
}

function refused(field: string, message: string): SubmittedEvent {
  return { result: { ok: false, errors: [{ field, message }] }, bulletin: null, packed: null };
}

/**
 * The record of an event with a bulletin: the bulletin's view, with the id and the members of `extra`
 * that are given beside it. Other attributes beside it must agree with the view.
 */
function besideBulletin(
  view: SeismicEventRecord,
  { record, named, errors }: GivenAttributes,
): ValidatedEvent {
  const differing = COLUMN_NAMES.filter(
    (name) =>
      !ROWS_OWN.includes(name) &&
      (named.has(name) || (record[name] !== null && record[name] !== "")) &&
      !agree(name, record[name], view[name]),
  ).map((field) => ({ field, message: "is not what the bulletin says" }));
  const faults = [...errors, ...differing];
  const sourceId = record.source_id ?? view.source_id;
  if (faults.length > 0) {
    return { ok: false, errors: faults, ...(sourceId !== null && { id: sourceId }) };
  }
  const { extra } = record;
  return {
    ok: true,
    record: {
      ...view,
      source_id: sourceId,
      extra: extra === null ? view.extra : { ...view.extra, ...extra },
    },
  };
}

function agree(name: string, given: unknown, shown: unknown): boolean {
  if (name === "time" && typeof given === "string" && typeof shown === "string") {
    return postgresMicros(given) === postgresMicros(shown);
  }
  return isDeepStrictEqual(given, shown);
}
