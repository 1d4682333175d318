/** Who waits for work to be done: works of one take turns with those of others. */
export type Asker = {
  /** The user, or a guest's network. */
  readonly caller: string;
  /** Where the caller is: however many accounts are there, they have no more than one has. */
  readonly network: string;
  readonly isGuest: boolean;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
};

/** Who asks for the process's own work, which nobody leaves. */
export const NOBODY: Asker = {
  caller: "",
  network: "",
  isGuest: false,
  signal: new AbortController().signal,
};

/** The promise's outcome, or the signal's reason where that comes first. */
export async function unlessLeft<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const left = Promise.withResolvers<never>();
  const leave = (): void => left.reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  try {
    return await Promise.race([promise, left.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
