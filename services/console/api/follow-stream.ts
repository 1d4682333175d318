/** After a first refusal, doubled with each further one. */
const FIRST_WAIT_MS = 3_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Follows a stream of events at an address. The browser itself takes up a lost connection again, but
 * not one that was refused: that is asked for anew, ever more rarely.
 * @param onMessage gets the data of each message
 * @returns what ends the following
 */
export function followStream(address: string, onMessage: (data: string) => void): () => void {
  let stream: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_WAIT_MS;
  const open = (): void => {
    const opened = new EventSource(address);
    stream = opened;
    opened.onopen = () => {
      wait = FIRST_WAIT_MS;
    };
    opened.onmessage = ({ data }) => onMessage(data);
    opened.onerror = () => {
      if (opened.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    stream?.close();
  };
}
