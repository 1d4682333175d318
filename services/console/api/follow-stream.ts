/** After a first refusal, doubled with each further one. */
const FIRST_WAIT_MS = 3_000;
const LONGEST_WAIT_MS = 60_000;

type StreamListeners = {
  /** The type of the messages; those without one otherwise. */
  readonly type?: string;
  readonly onMessage: (message: MessageEvent<string>) => void;
  /** Whether the stream stands, each time that this may have changed. */
  readonly onState?: (isOpen: boolean) => void;
};

/**
 * Follows a stream of events at an address while the page can be seen and few other windows follow one:
 * so that there are connections left. The browser itself takes up a lost connection again, but not one
 * that was refused: that is asked for anew, ever more rarely.
 * @returns what ends the following
 */
export function followStream(
  address: string,
  { type = "message", onMessage, onState }: StreamListeners,
): () => void {
  let stream: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_WAIT_MS;
  let giveTurnBack = (): void => undefined;
  const open = (): void => {
    const opened = new EventSource(address);
    stream = opened;
    opened.onopen = () => {
      wait = FIRST_WAIT_MS;
      onState?.(true);
    };
    opened.addEventListener(type, onMessage);
    opened.onerror = () => {
      onState?.(false);
      if (opened.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    };
  };
  const close = (): void => {
    clearTimeout(timer);
    giveTurnBack();
    if (stream === null) return;
    stream.close();
    stream = null;
    onState?.(false);
  };
  const onVisibility = (): void => {
    close();
    if (!document.hidden) giveTurnBack = takeStreamTurn(open);
  };
  document.addEventListener("visibilitychange", onVisibility);
  if (!document.hidden) giveTurnBack = takeStreamTurn(open);
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    close();
  };
}

/** So many streams have all windows together, of the six connections that a browser has to a service over HTTP/1.1. */
const STREAMS = 3;

/**
 * Begins when this window may hold a stream; at once where the browser has no locks, as on pages that
 * have not come by https.
 * @returns what gives the turn back, or stops the waiting for it
 */
function takeStreamTurn(begin: () => void): () => void {
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

type State = { readonly status: string; readonly updated_at: string };

/**
 * The later of two states of an operation, which come by different ways. One that has ended stays so.
 * @param a wins where both are equally late
 */
export function newerState<T extends State>(a: T | null, b: T | null): T | null {
  if (a === null || b === null) return a ?? b;
  const [hasEndedA, hasEndedB] = [a, b].map(({ status }) => status !== "running");
  if (hasEndedA !== hasEndedB) return hasEndedA ? a : b;
  return Date.parse(b.updated_at) > Date.parse(a.updated_at) ? b : a;
}
