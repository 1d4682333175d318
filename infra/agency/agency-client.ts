import type { Logger } from "pino";
import type { ServiceDialect } from "#contracts/agency.ts";
import { sleep as sleepFor } from "../kernel/backoff.ts";
import { createRequestSlots, type RequestSlots } from "../kernel/slots.ts";
import type { PlacedEvent } from "./agency-event.ts";
import type { AgencyQuery } from "./agency-query.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import {
  type AnswerForm,
  type AnswerFormat,
  answerForm,
  dialectOf,
  listingForm,
  listsUpdates,
  takesUpdatedAfter,
  usualCap,
} from "./dialects.ts";
import { type AddressRules, createAddressGuard } from "./guard/address-guard.ts";
import { createExchange, type Exchange, type HttpAnswer } from "./http-exchange.ts";
import { readAnswer } from "./read-answer.ts";
import { descriptionUrl, readDescription } from "./read-description.ts";
import { type Ask, createWindowReader, type WindowReader } from "./read-window.ts";
import type { AgencyProblem } from "./stage-events.ts";
import { createAnswerCap, createSuspiciousReader } from "./suspect-caps.ts";
import { type WindowProgress, walkWindows } from "./walk-windows.ts";
import { type RetryOptions, withRetries } from "./with-retries.ts";

export type AgencyClientOptions = {
  /** Base URL of the FDSN event service: `…/fdsnws/event/1`. */
  readonly url: string;
  /** The agency's name, as people read it. */
  readonly name: string;
  /** How the service differs from others; by default what its host speaks. */
  readonly dialect?: ServiceDialect | undefined;
  /** Where its address, and redirects within its host, may lead; absent: to its address alone, wherever that is. */
  readonly addresses?: AddressRules;
  /** Every request goes through the breaker; `isAgencyFailure` decides which errors it counts. */
  readonly breaker: Pick<CircuitBreaker, "run">;
  /** Longest silence, in milliseconds; a whole answer may take 30 times as long. Default 30 s. */
  readonly timeoutMs?: number;
  /** Retries of a failed request. Default 3. */
  readonly retries?: number;
  /** Name and version of the service. */
  readonly userAgent: string;
  readonly logger?: Logger;
  /** An answer with this many events is taken to be cut off by the agency's limit. By default the dialect's. */
  readonly cap?: number | undefined;
  /** Wait before the first retry. Default 1 s. */
  readonly backoffMs?: number;
  /** Limits concurrent requests over all imports. Default two at a time. */
  readonly slots?: RequestSlots;
  /** What stands between the client and the agency: a recorder. */
  readonly through?: (exchange: Exchange) => Exchange;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly sleep?: RetryOptions["sleep"];
};

/** The agency's events in one window of the query: complete, each public id once. */
export type AgencyBatch = {
  readonly events: readonly PlacedEvent[];
  /** What the agency answered beside the query's bounds. */
  readonly beside: readonly PlacedEvent[];
  readonly errors: readonly AgencyProblem[];
  /** Events left out because their id occurred earlier in the same window. */
  readonly repeated: number;
  /** Windows that are done, including this one, and windows known so far. */
  readonly progress: WindowProgress;
};

/** First and last instant, as in a query. */
export type QuerySpan = Pick<AgencyQuery, "startTime" | "endTime">;

export type AgencyClient = {
  /**
   * The agency's events that match a query, window by window in order of time, and within a window
   * in the agency's own order. An event comes twice only if the agency moves it to another window
   * meanwhile; the later batch then has its later form.
   *
   * Leaving the loop ends the running requests.
   * @throws CircuitOpen at once; AgencyUnavailable, AgencyTimeout when the retries are used up;
   * AgencyError for a refusal, for an answer that cannot be read to its end, and when one second
   * holds more events than the agency returns; RangeError for a query with invalid times; the
   * signal's reason
   */
  readonly fetchEvents: (
    query: AgencyQuery,
    options: { readonly signal: AbortSignal },
  ) => AsyncIterable<AgencyBatch>;
  /**
   * The same for spans of the query's window, one after the other. What the agency has refused to give in
   * one is not asked for in the next.
   */
  readonly spansOf: (
    query: AgencyQuery,
    options: { readonly signal: AbortSignal },
  ) => (span: QuerySpan) => AsyncIterable<AgencyBatch>;
  /**
   * The same in the lightest form in which a change of an event shows.
   * @param expected events in the query's window, where an earlier listing told
   */
  readonly listEvents: (
    query: AgencyQuery,
    options: { readonly signal: AbortSignal; readonly expected?: number | undefined },
  ) => AsyncIterable<AgencyBatch>;
  /** Whether `updatedAfter` can be asked for. */
  readonly takesUpdatedAfter: (signal: AbortSignal) => Promise<boolean>;
  readonly listing: ListingTraits;
  /** Closes the idle connections. */
  readonly close: () => void;
};

/** What a listing of an agency is good for. */
export type ListingTraits = {
  /** It has the time of each event's last change: no change escapes it. */
  readonly showsUpdates: boolean;
  /** It has all that is asked for with this detail. */
  readonly isAll: (detail: AgencyQuery["detail"]) => boolean;
};

const SECOND = 1_000;

/** A client of an FDSN event service (`contracts/seismic-event/README.md`). */
export function createAgencyClient(options: AgencyClientOptions): AgencyClient {
  const { url, name, breaker, userAgent, logger = null, now = Date.now } = options;
  const dialect = options.dialect ?? dialectOf(url);
  const cap = createAnswerCap(options.cap ?? usualCap(dialect));
  const { timeoutMs = 30 * SECOND, slots = createRequestSlots(2) } = options;
  const guard = options.addresses ? createAddressGuard(options.addresses) : null;
  const { through = (direct) => direct } = options;
  const exchange = through(createExchange({ name, userAgent, timeoutMs, guard }));
  const retrying: RetryOptions = {
    retries: options.retries ?? 3,
    backoffMs: options.backoffMs ?? SECOND,
    sleep: options.sleep ?? sleepFor,
    logger,
  };

  const send = <T>(
    target: URL,
    signal: AbortSignal,
    take: (answer: HttpAnswer) => Promise<T>,
  ): Promise<T> => slots.run(() => breaker.run(() => exchange.get(target, signal, take)), signal);

  const askFor =
    (format: AnswerFormat): Ask =>
    (target, signal) => {
      const read = (answer: HttpAnswer) =>
        readAnswer(answer, { name, format, cap: cap.now(), now });
      return withRetries(() => send(target, signal, read), signal, retrying);
    };

  let description: ReturnType<typeof readDescription> | null = null;
  /** Without a description only what every service knows is asked for; requests for events meet its faults. */
  const describedTo = (signal: AbortSignal) => () => {
    description ??= send(descriptionUrl(url), signal, readDescription).catch(() => {
      signal.throwIfAborted();
      return new Set<string>();
    });
    return description;
  };

  function readerOf(query: AgencyQuery, form: AnswerForm): WindowReader {
    return createSuspiciousReader(createWindowReader(url, query, form, askFor(form.format)), cap);
  }

  /** One reader for all spans: it knows what the agency has refused. */
  function spansOf(query: AgencyQuery, signal: AbortSignal) {
    let reader: WindowReader | null = null;
    return async function* eventsOf(span: QuerySpan): AsyncGenerator<AgencyBatch> {
      reader ??= readerOf(query, await answerForm(dialect, query.detail, describedTo(signal)));
      yield* walkWindows(span, reader, { name, cap: cap.now, signal });
    };
  }

  return {
    fetchEvents: (query, { signal }) => spansOf(query, signal)(query),
    spansOf: (query, { signal }) => spansOf(query, signal),
    listEvents: (query, options) =>
      walkWindows(query, readerOf(query, listingForm(dialect)), { name, cap: cap.now, ...options }),
    takesUpdatedAfter: (signal) => takesUpdatedAfter(dialect, describedTo(signal)),
    listing: {
      showsUpdates: listsUpdates(dialect),
      isAll: (detail) => detail === "summary" && listingForm(dialect).format !== "geojson",
    },
    close: exchange.close,
  };
}
