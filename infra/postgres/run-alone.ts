import { tryLock } from "./lease.ts";
import { openSession } from "./session.ts";

/** Another process is at the same work. */
export class AlreadyRunning extends Error {
  override readonly name = "AlreadyRunning";
}

/**
 * Runs `work` unless another process of the database runs it under the same name. Its signal aborts
 * with `signal`, and when the connection that tells the others of it is lost.
 * @throws AlreadyRunning
 */
export async function runAlone<T>(
  url: string,
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const session = await openSession(url, `alone: ${name}`);
  try {
    if (!(await tryLock(session, name))) throw new AlreadyRunning(`${name} is running already`);
    return await work(AbortSignal.any([signal, session.lost]));
  } finally {
    await session.close();
  }
}
