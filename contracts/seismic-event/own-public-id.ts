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
const ORIGIN_OF_ROW = new RegExp(`^${OWN_AUTHORITY.replace(".", "\\.")}origin/[\\w-]+$`);

/**
 * Whether an event was a row alone when our writer gave it a public id, whatever was added to it since: it
 * names what is preferred, or has none. Another may have such an id from an event service, which gives it.
 */
export function isMadeOfRow(
  publicID: string | undefined,
  originIds: readonly (string | undefined)[],
): boolean {
  const isOwn = publicID?.startsWith(EVENT_ID_PATH) || publicID?.startsWith(SOURCE_ID_PATH);
  return isOwn === true && originIds.some((id) => id !== undefined && ORIGIN_OF_ROW.test(id));
}
