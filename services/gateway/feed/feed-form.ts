/** A message without its id: the JSON object, open at its end. */
export type OpenMessage = string;

/** How messages are written for a kind of connection. */
export type FeedForm = {
  readonly write: (id: string, message: OpenMessage) => string;
  /** Whether several messages may be sent as one piece. */
  readonly isJoined: boolean;
};

/** Server-sent events without a type, so that a page's `onmessage` takes them. */
export const AS_EVENTS: FeedForm = {
  write: (id, message) => `id: ${id}\ndata: ${message}}\n\n`,
  isJoined: true,
};

/** One message of a WebSocket each, with the id as a member. */
export const AS_MESSAGES: FeedForm = {
  write: (id, message) => `${message},"id":"${id}"}`,
  isJoined: false,
};

/** The pieces in which messages are sent. */
export function pieces({ isJoined }: FeedForm, texts: readonly string[]): readonly Buffer[] {
  if (texts.length === 0) return [];
  return isJoined ? [Buffer.from(texts.join(""))] : texts.map((text) => Buffer.from(text));
}
