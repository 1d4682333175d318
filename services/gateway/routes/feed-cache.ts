import type { AnswerPieces } from "../http/answer-body.ts";

/** Feeds of more events are made anew each time. */
const MAX_EVENTS = 1_000;
/** Each some 700 KB at most. */
const MAX_FEEDS = 32;

/** Keeps the texts of small feeds; the oldest are dropped. */
export function createFeedCache() {
  const kept = new Map<string, string>();

  return {
    get(key: string): (() => AnswerPieces) | null {
      const text = kept.get(key);
      return text === undefined ? null : () => only(text);
    },
    /** The feed itself, kept once it is written whole. */
    keep(key: string, count: number, write: () => AnswerPieces): () => AnswerPieces {
      return count > MAX_EVENTS ? write : () => keeping(key, write());
    },
  };

  async function* keeping(key: string, pieces: AnswerPieces): AnswerPieces {
    let text = "";
    for await (const piece of pieces) {
      text += String(piece);
      yield piece;
    }
    kept.set(key, text);
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_FEEDS) break;
      kept.delete(oldest);
    }
  }
}

async function* only(text: string): AnswerPieces {
  yield text;
}
