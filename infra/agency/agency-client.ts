import type { Logger } from "pino";
import { sleep as sleepFor } from "../postgres/backoff.ts";
import type { PlacedEvent } from "./agency-event.ts";
import type { AgencyQuery } from "./agency-query.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import { createExchange } from "./http-exchange.ts";
import { readAnswer } from "./read-answer.ts";
import { type AgencyProblem, type Ask, createWindowReader } from "./read-window.ts";
import { createRequestSlots, type RequestSlots } from "./request-slots.ts";
import { type WindowProgress, walkWindows } from "./walk-windows.ts";
import { type RetryOptions, withRetries } from "./with-retries.ts";

export type AgencyClientOptions = {
  /** Of the FDSN event service: `…/fdsnws/event/1`. */
  readonly url: string;
  /** The agency's name, for people. */
  readonly name: string;
  /** Every request goes through it; `isAgencyFailure` tells it what is a failure. */
  readonly breaker: Pick<CircuitBreaker, "run">;
  /** Without a byte; an answer may take 30 times as long in all. Default 30 s. */
  readonly timeoutMs?: number;
  /** Further tries of a request that failed. Default 3. */
  readonly retries?: number;
  /** Names the service and its version. */
  readonly userAgent: string;
  readonly logger?: Logger;
  /** So many events in an answer are taken for a limit at which the agency stops. Default 10,000. */
  readonly cap?: number;
  /** The first wait before a retry. Default 1 s. */
  readonly backoffMs?: number;
  /** At most so many requests at a time, of all imports together. Default two. */
  readonly slots?: RequestSlots;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly sleep?: RetryOptions["sleep"];
};

/** What the agency has in one window of the query: complete, and no public id twice. */
export type AgencyBatch = {
  readonly events: readonly PlacedEvent[];
  readonly errors: readonly AgencyProblem[];
  /** Events left out because their id was there in the same window already. */
  readonly repeated: number;
  /** Windows done, this one included, and known of so far. */
  readonly progress: WindowProgress;
};

export type AgencyClient = {
  /**
   * The events of the agency that a query describes, in windows that follow each other in time; within
   * a window in the agency's own order. An event comes twice only where the agency moves it into
   * another window meanwhile: the later form is that of the later batch.
   *
   * Leaving the loop ends the requests that run.
   * @throws CircuitOpen at once; AgencyUnavailable, AgencyTimeout when the retries are used up;
   * AgencyError for a refusal, for an answer that cannot be read to its end, for more events in one
   * second than the agency gives; RangeError for a query whose times are none; the signal's reason
   */
  readonly fetchEvents: (
    query: AgencyQuery,
    options: { readonly signal: AbortSignal },
  ) => AsyncIterable<AgencyBatch>;
  /** Ends the connections that are kept. */
  readonly close: () => void;
};

const SECOND = 1_000;

/** A client of an FDSN event service (contract §5 and §9, "Import"; domain notes §1). */
export function createAgencyClient(options: AgencyClientOptions): AgencyClient {
  const { url, name, breaker, userAgent, logger = null, cap = 10_000, now = Date.now } = options;
  const { timeoutMs = 30 * SECOND, slots = createRequestSlots(2) } = options;
  const exchange = createExchange({ name, userAgent, timeoutMs });
  const retrying: RetryOptions = {
    retries: options.retries ?? 3,
    backoffMs: options.backoffMs ?? SECOND,
    sleep: options.sleep ?? sleepFor,
    logger,
  };

  const askFor =
    (detail: AgencyQuery["detail"]): Ask =>
    (target, signal) =>
      withRetries(
        () =>
          slots.run(
            () =>
              breaker.run(() =>
                exchange.get(target, signal, (answer) =>
                  readAnswer(answer, { name, detail, cap, now }),
                ),
              ),
            signal,
          ),
        signal,
        retrying,
      );

  return {
    fetchEvents: (query, { signal }) =>
      walkWindows(query, createWindowReader(url, query, askFor(query.detail)), {
        name,
        cap,
        signal,
      }),
    close: exchange.close,
  };
}
