import { hash } from "node:crypto";
import type { Kind } from "#contracts/bulletin/field.ts";
import { OWN_AUTHORITY } from "#contracts/seismic-event/own-public-id.ts";

const SERVICE_ID_PATH = `${OWN_AUTHORITY}of/`;
const DIGEST_LENGTH = 16;
/** What may stand in an id as it is (QuakeML 1.2 BED, ResourceIdentifier). */
const PLAIN_PLACE = /^[\w.-]+(?:\/[\w.-]+)*$/;

/**
 * An id of the service, which the schema takes, for an object without an id or with one that the
 * schema refuses. It depends on its arguments alone, so that a file read again gives the same ids.
 * @param eventId of the event as given
 * @param place of the object among those of its kind: its index, or what identifies it in the file
 */
export function serviceId(eventId: string, kind: Kind | "event", place: number | string): string {
  const text = String(place);
  const last = PLAIN_PLACE.test(text) && text.length <= 100 ? text : digestOf(text);
  return `${SERVICE_ID_PATH}${digestOf(eventId)}/${kind}/${last}`;
}

/** True for what `serviceId` gives. */
export function isServiceId(id: string): boolean {
  return id.startsWith(SERVICE_ID_PATH);
}

function digestOf(text: string): string {
  return hash("sha256", text).slice(0, DIGEST_LENGTH);
}
