/** Prefix of the public identifiers that our QuakeML has; its reader does not take them for an agency's. */
export const OWN_AUTHORITY = "smi:local.catalogue/";
/** Followed by the submitter's identifier of an event. */
export const SOURCE_ID_PATH = `${OWN_AUTHORITY}event/`;
