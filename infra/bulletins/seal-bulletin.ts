import { hash } from "node:crypto";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { BulletinSummary } from "#contracts/bulletin/bulletin-summary.ts";
import { countElements, type ElementCounts } from "#contracts/bulletin/element-counts.ts";
import { MAX_BULLETIN_BYTES, MAX_BULLETIN_ELEMENTS } from "#contracts/bulletin/limits.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { canonicalJson } from "../formats/canonical/canonical-json.ts";

/** A bulletin as it is hashed and stored: `json` is its RFC 8785 form, `sha256` the hash of that in hex. */
export type SealedBulletin = BulletinSummary & { readonly json: string };

/** A bulletin beyond the limits; the message is a sentence for the submitter. */
export class BulletinTooLarge extends Error {
  override readonly name = "BulletinTooLarge";
}

const MEBIBYTE = 1024 * 1024;

/** @throws BulletinTooLarge above MAX_BULLETIN_ELEMENTS or MAX_BULLETIN_BYTES */
export function sealBulletin(bulletin: Bulletin): SealedBulletin {
  const elements = countElements(bulletin);
  const total = Object.values(elements).reduce((sum, count) => sum + count, 0);
  if (total > MAX_BULLETIN_ELEMENTS) {
    throw new BulletinTooLarge(
      `has ${total} elements, of ${MAX_BULLETIN_ELEMENTS} that a bulletin may have`,
    );
  }
  const json = canonicalJson(bulletin as unknown as JsonObject);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_BULLETIN_BYTES) {
    const most = MAX_BULLETIN_BYTES / MEBIBYTE;
    throw new BulletinTooLarge(`has ${bytes} bytes of JSON, more than ${most} MiB`);
  }
  return { json, sha256: hash("sha256", json), counts: { ...shown(elements), bytes } };
}

function shown(elements: ElementCounts) {
  return {
    origins: elements.origin,
    magnitudes: elements.magnitude,
    station_magnitudes: elements.stationMagnitude,
    amplitudes: elements.amplitude,
    picks: elements.pick,
    arrivals: elements.arrival,
    focal_mechanisms: elements.focalMechanism,
    comments: elements.comment,
  };
}
