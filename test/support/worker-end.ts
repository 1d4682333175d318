type Closing = () => Promise<unknown>;

const closings: Closing[] = [];

/** Closes what the files of a worker share, once none of them comes any more; last opened first. */
export function atWorkersEnd(close: Closing): void {
  closings.push(close);
}

/** @throws AggregateError of those that fail: the run fails */
export async function endWorker(): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closings.pop(); close !== undefined; close = closings.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join("\n"));
}
