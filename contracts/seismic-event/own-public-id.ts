/** Prefix of the public ids that our QuakeML has; its reader does not take them for an agency's. */
export const OWN_AUTHORITY = "smi:local.catalogue/";
/** Followed by the submitter's id of an event. */
export const SOURCE_ID_PATH = `${OWN_AUTHORITY}event/`;
/**
 * Followed by our own id as 32 hexadecimal digits, formerly with hyphens, for an event without an id
 * of its submitter or with one that is not a single word.
 */
export const EVENT_ID_PATH = `${OWN_AUTHORITY}id/`;

/** The origin that our writer makes of a row; one that an edit made has a suffix. */
const ORIGIN_PATH = `${OWN_AUTHORITY}origin/`;
const WITHOUT_SUFFIX = /^[\w-]+$/;

/**
 * Whether an event was a row alone when our writer gave it a public id, whatever was added to it since: it
 * names what is preferred, or has none. Another may have such an id from an event service, which gives it.
 */
export function isMadeOfRow(
  publicID: string | undefined,
  originIds: readonly (string | undefined)[],
): boolean {
  const isOwn = publicID?.startsWith(EVENT_ID_PATH) || publicID?.startsWith(SOURCE_ID_PATH);
  const isOfRow = (id = "") =>
    id.startsWith(ORIGIN_PATH) && WITHOUT_SUFFIX.test(id.slice(ORIGIN_PATH.length));
  return isOwn === true && originIds.some(isOfRow);
}
