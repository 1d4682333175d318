/** Deeper documents are refused; QuakeML's deepest path has ten levels. */
export const MAX_DEPTH = 64;
/** Characters of one tag, text or comment, which saxes holds until it is complete. */
export const MAX_TOKEN = 4 * 1024 * 1024;
