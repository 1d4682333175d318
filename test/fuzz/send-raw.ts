import { connect } from "node:net";

export type RawOutcome = {
  /** Of all answers that came over the connection, in order. */
  readonly statuses: readonly number[];
  /** True when the connection was not closed in time after its client had ended it. */
  readonly hung: boolean;
};

const MAX_KEPT = 1024 * 1024;
const STATUS_LINE = /HTTP\/1\.1 (\d{3}) [A-Z]/g;

/** Sends bytes over a connection of its own, ends it, and waits until the other side does. */
export async function sendRaw(url: string, bytes: Buffer, deadlineMs: number): Promise<RawOutcome> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const deadline = setTimeout(() => resolve(true), deadlineMs);
  let text = "";
  socket.on("data", (piece) => {
    if (text.length < MAX_KEPT) text += piece.toString("latin1");
  });
  // A connection that is reset is closed, too.
  socket.on("error", () => {});
  socket.on("close", () => resolve(false));
  socket.end(bytes);
  const hung = await promise;
  clearTimeout(deadline);
  socket.destroy();
  return { statuses: [...text.matchAll(STATUS_LINE)].map(([, status]) => Number(status)), hung };
}
