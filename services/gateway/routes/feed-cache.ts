import type { Content } from "./fdsn/find-events.ts";

/** Each some 700 KB at most. */
const MAX_FEEDS = 32;

/** Keeps small feeds; the oldest are dropped. Feeds of many events are made anew each time. */
export function createFeedCache() {
  const kept = new Map<string, Content>();

  return {
    get: (key: string): Content | null => kept.get(key) ?? null,
    keep(key: string, feed: Content): Content {
      if (!("text" in feed)) return feed;
      kept.set(key, feed);
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_FEEDS) break;
        kept.delete(oldest);
      }
      return feed;
    },
  };
}
