import type { ServedCatalogue } from "../support/agency/served-catalogue.ts";
import type { Ledger, LedgerCatalogue } from "./ledger.ts";
import type { Call, PersistentClient, Settled } from "./persistent-client.ts";

export type ActionDeps = {
  readonly send: PersistentClient;
  readonly ledger: Ledger;
  readonly random: () => number;
  /** Of the administrator. */
  readonly token: string;
  /** What there is to import. */
  readonly agency: Pick<ServedCatalogue, "events">;
  /** Catalogues that this client alone changes. */
  readonly own: LedgerCatalogue[];
};

/** One write, noted in the ledger once it is acknowledged. */
export type Action = (deps: ActionDeps) => Promise<void>;

/** The answer was none that the write can have. */
export class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer";

  constructor({ method, path }: Call, { status, body }: Settled<unknown>) {
    super(`${method} ${path}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
  }
}

/** Sends a write, and counts it once it is answered as it can be. @throws UnexpectedAnswer */
export async function acknowledged<T>(
  { send, ledger }: Pick<ActionDeps, "send" | "ledger">,
  call: Call,
  isRight: (answer: Settled<T>) => boolean,
): Promise<Settled<T>> {
  const answer = await send<T>(call);
  if (!isRight(answer)) throw new UnexpectedAnswer(call, answer);
  ledger.writes += 1;
  return answer;
}
