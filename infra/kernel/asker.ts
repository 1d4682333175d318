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

/** Who asks for work that runs to its end, also when the caller has left. */
export function staying({ caller, network, isGuest }: Asker): Asker {
  return { caller, network, isGuest, signal: new AbortController().signal };
}

/** Who asks for the process's own work, which nobody leaves. */
export const NOBODY: Asker = {
  caller: "",
  network: "",
  isGuest: false,
  signal: new AbortController().signal,
};
