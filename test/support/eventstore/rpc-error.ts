import type { AppendOutcome } from "./event-store.ts";
import { grpc } from "./from-client.ts";

type Fields = Readonly<Record<string, string>>;

/** A status with the trailers by which clients tell the server's errors apart. */
export function rpcError(code: number, details: string, fields: Fields = {}) {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(fields)) metadata.add(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

export type RpcError = ReturnType<typeof rpcError>;

export function notLeader(leader: { readonly host: string; readonly port: number }): RpcError {
  return rpcError(grpc.status.NOT_FOUND, "Leader info available", {
    exception: "not-leader",
    "leader-endpoint-host": leader.host,
    "leader-endpoint-port": `${leader.port}`,
  });
}

export function streamDeleted(stream: string): RpcError {
  return rpcError(grpc.status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: "stream-deleted",
    "stream-name": stream,
  });
}

export function wrongRevision(stream: string, expected: string, current: number): RpcError {
  return rpcError(grpc.status.FAILED_PRECONDITION, "WrongExpectedVersion", {
    exception: "wrong-expected-version",
    "stream-name": stream,
    "expected-version": expected,
    ...(current >= 0 && { "actual-version": `${current}` }),
  });
}

/** What Append answers by its status; null for what it answers by a message. */
export function appendError(stream: string, outcome: AppendOutcome): RpcError | null {
  switch (outcome.kind) {
    case "appended":
    case "wrong-revision":
      return null;
    case "deleted":
      return streamDeleted(stream);
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
