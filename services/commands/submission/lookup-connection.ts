import type { Client } from "pg";
import type { Session } from "#infra/postgres/session.ts";
import { openWatchedSession } from "#infra/postgres/watched-session.ts";

/** This thread's, which one submission after the other uses; it ends with the thread. */
let session: Promise<Session> | null = null;

/** The connection by which this thread looks events up; opened when it is first asked for, or was lost. */
export async function lookupConnection(databaseUrl: string): Promise<Client> {
  const open = await session?.catch(() => null);
  if (open && !open.lost.aborted) return open.client;
  session = openWatchedSession(databaseUrl, "lookups of submissions");
  return (await session).client;
}
