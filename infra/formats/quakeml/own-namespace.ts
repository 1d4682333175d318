/**
 * What QuakeML has no place for stands in one element of our own at the end of an event: JSON text of
 * an object with canonical attribute names. QuakeML allows foreign elements there, other readers skip
 * it, and ours gives back exactly what was written.
 */
export const OWN_NAMESPACE = "urn:earthquake-catalogue:1.0";
export const OWN_PREFIX = "ec";
/** The element's local name; no element of QuakeML has it. */
export const OWN_ELEMENT = "attributes";

/** Identifiers that the writer makes; the reader does not take them for somebody's own. */
export const OWN_AUTHORITY = "smi:local.catalogue/";
/** Below it the last path part is the submitter's identifier. */
export const SOURCE_ID_PATH = `${OWN_AUTHORITY}event/`;
/** Below it stands our id of an event without one, or with one that no identifier can hold. */
export const EVENT_ID_PATH = `${OWN_AUTHORITY}id/`;
