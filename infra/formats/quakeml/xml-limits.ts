/** Deeper is no QuakeML, whose deepest path has ten levels. */
export const MAX_DEPTH = 64;
/** Characters of one tag, text or comment, which saxes holds until it is complete. */
export const MAX_TOKEN = 4 * 1024 * 1024;
/** Characters kept of one streamed element, each kept element counted as ELEMENT_COST. */
export const MAX_KEPT = 4 * 1024 * 1024;
export const ELEMENT_COST = 64;
