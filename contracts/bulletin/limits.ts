/** Bytes of one bulletin's canonical JSON, at most. */
export const MAX_BULLETIN_BYTES = 64 * 1024 * 1024;

/** Elements of the counted kinds in one bulletin, at most. */
export const MAX_BULLETIN_ELEMENTS = 1_000_000;
