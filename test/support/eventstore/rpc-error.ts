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
