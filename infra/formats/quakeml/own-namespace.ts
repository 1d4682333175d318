/**
 * Data without a place in QuakeML go into an element of our own at the end of the event: JSON text
 * of an object with canonical attribute names. QuakeML allows foreign elements there, other readers
 * skip them, and our reader restores exactly what was written.
 */
export const OWN_NAMESPACE = "urn:earthquake-catalogue:1.0";
export const OWN_PREFIX = "ec";
/** The element's local name, which QuakeML does not use. */
export const OWN_ELEMENT = "attributes";

/** Prefix of identifiers that the writer makes; the reader does not take them for an agency's. */
export const OWN_AUTHORITY = "smi:local.catalogue/";
/** Followed by the submitter's identifier. */
export const SOURCE_ID_PATH = `${OWN_AUTHORITY}event/`;
/** Followed by our own id, for an event without an identifier or with one that is not valid there. */
export const EVENT_ID_PATH = `${OWN_AUTHORITY}id/`;
