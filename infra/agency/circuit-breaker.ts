import Opossum from "opossum";

const SECOND = 1_000;

export type CircuitState = "CLOSED" | "OPEN" | "HALF_OPEN";

export type CircuitBreakerOptions = {
  /** Whom the requests go to; named in the refusal. */
  readonly name: string;
  /**
   * Whether a request that threw tells that the other side is ill. What is no failure counts as an
   * answer, as a success does. Default: whatever is thrown.
   */
  readonly isFailure?: (error: unknown) => boolean;
  /** So many failures within `windowMs` open the circuit. Default 5. */
  readonly failures?: number;
  /** Default 60 s. */
  readonly windowMs?: number;
  /** How long requests are refused before one is tried. Default 60 s. */
  readonly resetMs?: number;
  /** So many successes in a row close the circuit again. Default 2. */
  readonly successesToClose?: number;
};

export type CircuitBreaker = {
  /**
   * Sends a request, and gives its outcome unchanged. It has to end by itself: the circuit stays
   * HALF_OPEN as long as the request that tries it runs.
   * @throws CircuitOpen, without sending it, when OPEN, when HALF_OPEN while another one tries, and
   * after `close`
   */
  readonly run: <T>(request: () => Promise<T>) => Promise<T>;
  readonly state: () => CircuitState;
  /** Stops the timers. */
  readonly close: () => void;
};

/** The request was not sent, because those before it have failed. */
export class CircuitOpen extends Error {
  override readonly name = "CircuitOpen";
  readonly circuit: string;

  constructor(circuit: string, options?: ErrorOptions) {
    super(`requests to ${circuit} are suspended`, options);
    this.circuit = circuit;
  }
}

/**
 * A circuit breaker (contract §5): opens after `failures` within `windowMs`, whatever the successes
 * between; half-opens after `resetMs` and then lets one request through at a time; closes after
 * `successesToClose` of them, and opens again at the first failure.
 *
 * opossum refuses, times the way to HALF_OPEN and opens again. It decides by the share of failures,
 * and closes at the first success: the count of failures and the further successes are kept here.
 */
export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { name, isFailure = () => true, failures = 5, successesToClose = 2 } = options;
  const { windowMs = 60 * SECOND, resetMs = 60 * SECOND } = options;
  const circuit = new Opossum((request: () => Promise<unknown>) => request(), {
    name,
    timeout: false,
    resetTimeout: resetMs,
    // Never by share, also not when a failure is all that is left in opossum's window (1/0).
    errorThresholdPercentage: Number.POSITIVE_INFINITY,
    errorFilter: (error: unknown) => !isFailure(error),
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
  });
  let failureTimes: number[] = [];
  /** Above 0 from opening until closed: after the first success opossum takes itself for closed. */
  let successesMissing = 0;
  let trying = false;

  function state(): CircuitState {
    if (circuit.opened) return "OPEN";
    return successesMissing > 0 ? "HALF_OPEN" : "CLOSED";
  }

  circuit.on("open", () => {
    successesMissing = successesToClose;
    failureTimes = [];
  });
  circuit.on("success", () => {
    if (state() === "HALF_OPEN") successesMissing -= 1;
  });
  circuit.on("failure", () => {
    // A request sent before the circuit opened tells nothing new when it fails after.
    if (state() === "OPEN") return;
    const now = performance.now();
    failureTimes = [...failureTimes.filter((time) => now - time < windowMs), now];
    if (state() === "HALF_OPEN" || failureTimes.length >= failures) circuit.open();
  });

  async function send<T>(request: () => Promise<T>): Promise<T> {
    try {
      // opossum's types know one result for all requests; it gives back what the request gave.
      return (await circuit.fire(request)) as T;
    } catch (error) {
      if (error instanceof Error && Opossum.isOurError(error)) {
        throw new CircuitOpen(name, { cause: error });
      }
      throw error;
    }
  }

  async function tryOut<T>(request: () => Promise<T>): Promise<T> {
    if (trying) throw new CircuitOpen(name);
    trying = true;
    try {
      return await send(request);
    } finally {
      trying = false;
    }
  }

  return {
    run: (request) => (state() === "HALF_OPEN" ? tryOut(request) : send(request)),
    state,
    close: () => circuit.shutdown(),
  };
}
