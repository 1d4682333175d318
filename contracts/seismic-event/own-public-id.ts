/** Prefix of the public ids that our QuakeML has; its reader does not take them for an agency's. */
export const OWN_AUTHORITY = "smi:local.catalogue/";
/** Followed by the submitter's id of an event. */
export const SOURCE_ID_PATH = `${OWN_AUTHORITY}event/`;
/**
 * Followed by our own id as 32 hexadecimal digits, formerly with hyphens, for an event without an id
 * of its submitter or with one that is not a single word.
 */
export const EVENT_ID_PATH = `${OWN_AUTHORITY}id/`;

/** Whether an event's public id is one that our writer made: such an event names what is preferred, or has none. */
export function isOwnPublicId(id: string): boolean {
  return id.startsWith(EVENT_ID_PATH) || id.startsWith(SOURCE_ID_PATH);
}
