import { createWorkerThreads } from "./pool.ts";
import type { ThreadKind, WorkerThreads } from "./worker-threads.ts";

export type Threads<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends ThreadKind<infer M>
    ? WorkerThreads<M>
    : never;
};

/** Opens the threads of a table; none runs before there is a task. Closing ends what still runs. */
export function openThreads<Table extends Readonly<Record<string, ThreadKind>>>(table: Table) {
  const opened = Object.entries(table).map(
    ([name, kind]) => [name, createWorkerThreads(kind)] as const,
  );
  return {
    threads: Object.fromEntries(opened) as unknown as Threads<Table>,
    close: async (): Promise<void> => {
      await Promise.all(opened.map(([, { close }]) => close()));
    },
  };
}
