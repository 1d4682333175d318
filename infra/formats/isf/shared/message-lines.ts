const DATA_TYPE = /^\s*(?:<[^<>]{0,200}>\s*){0,9}data_type\s+(\S+)(?:\s+(\S+))?/i;
const TITLE = /^event\s+(\S+)/i;
const STOP = /^\s*stop\s*$/i;

/** Kinds of data that are events with their titles. */
const OF_EVENTS: readonly string[] = ["bulletin", "event"];

/** A kind of data that a line of a message announces. */
export type AnnouncedData = { readonly isBulletin: boolean; readonly format: string };

/** What a line announces, null for another line. */
export function dataAnnouncedBy(text: string): AnnouncedData | null {
  const match = DATA_TYPE.exec(text);
  if (match === null) return null;
  const isBulletin = OF_EVENTS.includes(match[1]?.toLowerCase() ?? "");
  return { isBulletin, format: match[2] ?? "IMS1.0" };
}

/** True for the line that ends a message. */
export function isStop(text: string): boolean {
  return STOP.test(text);
}

/** True for a line that is the message's, not an event's. */
export function isMessageLine(text: string): boolean {
  return isStop(text) || dataAnnouncedBy(text) !== null;
}

export type Title = { readonly id: string; readonly region: string };

/** The id and the region in an event's title, null for another line. */
export function titleIn(text: string): Title | null {
  const trimmed = text.trim();
  const match = TITLE.exec(trimmed);
  if (match === null) return null;
  return { id: match[1] ?? "", region: trimmed.slice(match[0].length).trim() };
}
