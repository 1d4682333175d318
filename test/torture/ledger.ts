/** What the service has acknowledged: the truth that it is held to at the end. */
export type LedgerCatalogue = {
  readonly id: string;
  name: string;
  isPublic: boolean;
  /** Time and magnitude of every event, by its source id. */
  readonly events: Map<string, string>;
  /** The events of the latest versions that are known by their numbers. */
  readonly versions: Map<number, ReadonlyMap<string, string>>;
};

export type Ledger = {
  readonly catalogues: Map<string, LedgerCatalogue>;
  readonly deleted: Set<string>;
  /** Accounts by their email; a mail tells of a reset, but one in a quarter of an hour. */
  readonly accounts: Map<string, { readonly password: string; isReset: boolean }>;
  roleRequests: number;
  /** Writes that were acknowledged. */
  writes: number;
  /** Requests that had to be sent again. */
  repeated: number;
};

export function createLedger(): Ledger {
  return {
    catalogues: new Map(),
    deleted: new Set(),
    accounts: new Map(),
    roleRequests: 0,
    writes: 0,
    repeated: 0,
  };
}

/** Time and magnitude as they come back: what an event is recognised by, also in a merged catalogue. */
export function eventLine({ time, magnitude }: { time: unknown; magnitude: unknown }): string {
  return `${String(time)} ${String(magnitude)}`;
}
