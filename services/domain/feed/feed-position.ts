/**
 * A place in the changes of a catalogue: after change `change` (from 1) of a version, in the order of the
 * log. The changes of a version are followed by the message of its end, which counts as one more.
 */
export type FeedPosition = { readonly version: number; readonly change: number };

/** After everything of a version; no version has as many changes. */
export const ALL_CHANGES = 2 ** 32 - 1;

/** Before the first version. */
export const FEED_START: FeedPosition = { version: 0, change: ALL_CHANGES };

const POSITION = /^(\d{1,9})(?:\.(\d{1,10}))?$/;

/** Reads `<version>.<change>`, or `<version>` for everything of it; null for another text. */
export function parsePosition(text: string): FeedPosition | null {
  const [, version, change] = POSITION.exec(text) ?? [];
  if (version === undefined) return null;
  const after = change === undefined ? ALL_CHANGES : Number(change);
  return after > ALL_CHANGES ? null : { version: Number(version), change: after };
}

/** The text that `parsePosition` reads. */
export function positionText({ version, change }: FeedPosition): string {
  return change === ALL_CHANGES ? String(version) : `${version}.${change}`;
}
