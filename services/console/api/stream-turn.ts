/** So many streams have all windows together, of the six connections that a browser has to a service over HTTP/1.1. */
const STREAMS = 3;

/**
 * Begins when this window may hold a stream; at once where the browser has no locks, as on pages that
 * have not come by https.
 * @returns what gives the turn back, or stops the waiting for it
 */
export function takeStreamTurn(begin: () => void): () => void {
  if (!("locks" in navigator)) {
    begin();
    return () => undefined;
  }
  const waiting = new AbortController();
  const { promise: held, resolve: giveBack } = Promise.withResolvers<void>();
  const take = () => {
    // Another of the locks was granted at the same moment.
    if (waiting.signal.aborted) return;
    waiting.abort();
    begin();
    return held;
  };
  for (let n = 0; n < STREAMS; n++) {
    navigator.locks.request(`stream ${n}`, { signal: waiting.signal }, take).catch(() => undefined);
  }
  return () => {
    waiting.abort();
    giveBack();
  };
}
