import { SILENT } from "../kernel/log.ts";
import { watchDatabase } from "./database-watch.ts";
import { openSession, type Session } from "./session.ts";

/** A session with its own database watch, for worker threads, which share no connections. */
export async function openWatchedSession(url: string, applicationName: string): Promise<Session> {
  const watch = watchDatabase(url, SILENT);
  try {
    const session = await openSession(url, applicationName, watch.openSocket);
    return { ...session, close: () => session.close().finally(watch.close) };
  } catch (error) {
    watch.close();
    throw error;
  }
}
