import type { AppendOutcome } from "./event-store.ts";
import { grpc } from "./from-client.ts";

/** What befalls one call. Statuses are gRPC's: CANCELLED, UNAVAILABLE, UNKNOWN… */
export type Fault =
  /** Fails, nothing having been done. */
  | { readonly kind: "fail-before"; readonly status: keyof typeof grpc.status }
  /** Fails although it was done: the answer is lost. */
  | { readonly kind: "fail-after"; readonly status: keyof typeof grpc.status }
  /** Is never answered. */
  | { readonly kind: "hang-before" | "hang-after" }
  /** Is done, and ends without saying so. */
  | { readonly kind: "end-after" }
  /** Is done late. */
  | { readonly kind: "wait"; readonly until: Promise<unknown> }
  /** Is refused, since another server leads. */
  | {
      readonly kind: "not-leader";
      readonly leader: { readonly host: string; readonly port: number };
    };

/** Faults to come: each call of a kind takes the first of its list. */
export type Faults = {
  readonly appends: Fault[];
  readonly reads: Fault[];
  readonly subscriptions: Fault[];
  /** Subscriptions are told of checkpoints before the events that lie before them. */
  checkpointsAhead: boolean;
};

export function createFaults(): Faults {
  return { appends: [], reads: [], subscriptions: [], checkpointsAhead: false };
}

/** The error of a call that is not to be done, null for one that is. */
export function errorBefore(fault: Fault | undefined): RpcError | null {
  if (fault?.kind === "fail-before") return failure(fault.status);
  if (fault?.kind === "not-leader") return notLeader(fault.leader);
  return null;
}

/** The error of a call that was done and whose answer is lost. */
export function errorAfter(fault: Fault | undefined): RpcError | null {
  return fault?.kind === "fail-after" ? failure(fault.status) : null;
}

export function failure(status: keyof typeof grpc.status): RpcError {
  return rpcError(grpc.status[status], `a fault of the test: ${status}`);
}

type Fields = Readonly<Record<string, string>>;

/** A status with the trailers by which clients tell the server's errors apart. */
function rpcError(code: number, details: string, fields: Fields = {}) {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(fields)) metadata.add(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

type RpcError = ReturnType<typeof rpcError>;

function notLeader(leader: { readonly host: string; readonly port: number }): RpcError {
  return rpcError(grpc.status.NOT_FOUND, "Leader info available", {
    exception: "not-leader",
    "leader-endpoint-host": leader.host,
    "leader-endpoint-port": `${leader.port}`,
  });
}

/** What Append answers by its status; null for what it answers by a message. */
export function appendError(outcome: AppendOutcome): RpcError | null {
  switch (outcome.kind) {
    case "appended":
    case "wrong-revision":
      return null;
    case "too-large":
      return rpcError(
        grpc.status.INVALID_ARGUMENT,
        `Maximum Append Size of ${outcome.maxBytes} Exceeded.`,
        {
          exception: "maximum-append-size-exceeded",
          "maximum-append-size": `${outcome.maxBytes}`,
        },
      );
    default: {
      const unknown: never = outcome;
      throw new Error(`unknown outcome: ${JSON.stringify(unknown)}`);
    }
  }
}
