import { createRecent } from "#infra/kernel/recent.ts";
import type { Content } from "./fdsn/find-events.ts";

/** Each some 700 KB at most. */
const MAX_FEEDS = 32;

/** Keeps small feeds; the oldest are dropped. Feeds of many events are made anew each time. */
export function createFeedCache() {
  const feeds = createRecent<Content>(MAX_FEEDS);

  return {
    get: (key: string): Content | null => feeds.get(key) ?? null,
    keep: (key: string, feed: Content): Content => ("text" in feed ? feeds.keep(key, feed) : feed),
  };
}
