/** Pieces of many messages that are made and written between two looks at the sockets, about half a millisecond. */
const AT_ONCE = 4;

/**
 * Gives streams with much to catch up their turns, first come first served, so that small answers and news
 * do not wait for all of them.
 */
export function createFeedTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let isGoing = false;

  function go(): void {
    for (const next of waiting.splice(0, AT_ONCE)) next();
    isGoing = waiting.length > 0;
    if (isGoing) setImmediate(go);
  }

  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (isGoing) return;
      isGoing = true;
      setImmediate(go);
    });
}
