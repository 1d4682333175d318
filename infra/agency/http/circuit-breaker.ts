import Opossum from "opossum";

const SECOND = 1_000;
/** How long requests are refused before the next trial request. */
const RESET_MS = 60 * SECOND;
/** Successes in a row that close the circuit again. */
const SUCCESSES_TO_CLOSE = 2;

export type CircuitState = "CLOSED" | "OPEN" | "HALF_OPEN";

export type CircuitBreakerOptions = {
  /** Name of the server, for the refusal's message. */
  readonly name: string;
  /** Whether an error shows that the other side is ill; others count as answers. Default: all. */
  readonly isFailure?: (error: unknown) => boolean;
  /** Failures within `windowMs` that open the circuit. Default 5. */
  readonly failures?: number;
  /** Default 60 s. */
  readonly windowMs?: number;
};

export type CircuitBreaker = {
  /**
   * Sends a request and passes its outcome on. The request must end by itself: the circuit stays
   * HALF_OPEN while a trial request runs.
   * @throws CircuitOpen without sending the request: when OPEN, when HALF_OPEN during another trial
   * request, and after `close`
   */
  readonly run: <T>(request: () => Promise<T>) => Promise<T>;
  readonly state: () => CircuitState;
  /** Stops the timers. */
  readonly close: () => void;
};

/** The request was not sent, because earlier ones failed. */
export class CircuitOpen extends Error {
  override readonly name = "CircuitOpen";
  readonly circuit: string;

  constructor(circuit: string, options?: ErrorOptions) {
    super(`requests to ${circuit} are suspended`, options);
    this.circuit = circuit;
  }
}

/**
 * A circuit breaker. It opens after `failures` within `windowMs`, regardless of successes in
 * between; half-opens after a minute and then lets one request through at a time; closes after two
 * of them succeeded, and opens again at the first failure.
 *
 * opossum refuses requests, times the way to HALF_OPEN and opens again. It decides by the share of
 * failures and closes at the first success, and its own counts go by whole tenths of a window and
 * over an opening: so the failures and the further successes are counted here.
 */
export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { name, failures = 5, windowMs = 60 * SECOND } = options;
  const circuit = opossumOf(options);
  let failureTimes: number[] = [];
  /** Above 0 from opening until closed: opossum considers itself closed after the first success. */
  let successesMissing = 0;
  let trying = false;

  function state(): CircuitState {
    if (circuit.opened) return "OPEN";
    return successesMissing > 0 ? "HALF_OPEN" : "CLOSED";
  }

  circuit.on("open", () => {
    successesMissing = SUCCESSES_TO_CLOSE;
    failureTimes = [];
  });
  circuit.on("success", () => {
    if (state() === "HALF_OPEN") successesMissing -= 1;
  });
  circuit.on("failure", () => {
    // A request that was sent before the circuit opened adds no information by failing later.
    if (state() === "OPEN") return;
    const now = performance.now();
    failureTimes = [...failureTimes.filter((time) => now - time < windowMs), now];
    if (state() === "HALF_OPEN" || failureTimes.length >= failures) circuit.open();
  });

  async function tryOut<T>(request: () => Promise<T>): Promise<T> {
    if (trying) throw new CircuitOpen(name);
    trying = true;
    try {
      return await sendThrough(circuit, request);
    } finally {
      trying = false;
    }
  }

  return {
    run: (request) => (state() === "HALF_OPEN" ? tryOut(request) : sendThrough(circuit, request)),
    state,
    close: () => circuit.shutdown(),
  };
}

type Circuit = Opossum<[() => Promise<unknown>], unknown>;

function opossumOf({ name, isFailure = () => true }: CircuitBreakerOptions): Circuit {
  return new Opossum((request) => request(), {
    name,
    timeout: false,
    resetTimeout: RESET_MS,
    // Never by share, not even when opossum's window holds a single failure (1/0).
    errorThresholdPercentage: Number.POSITIVE_INFINITY,
    errorFilter: (error: unknown) => !isFailure(error),
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
  });
}

async function sendThrough<T>(circuit: Circuit, request: () => Promise<T>): Promise<T> {
  try {
    // opossum's types have one result type; at run time it passes on the request's own.
    return (await circuit.fire(request)) as T;
  } catch (error) {
    if (error instanceof Error && Opossum.isOurError(error)) {
      throw new CircuitOpen(circuit.name, { cause: error });
    }
    throw error;
  }
}
