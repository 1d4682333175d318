import { promisify } from "node:util";
import { GossipService } from "@eventstore/db-client/generated/gossip_grpc_pb.js";
import { ServerFeaturesService } from "@eventstore/db-client/generated/serverfeatures_grpc_pb.js";
import { StreamsService } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import { appendRpc } from "./append-rpc.ts";
import { createEventStore, type EventStore } from "./event-store.ts";
import { createFaults, type Faults } from "./faults.ts";
import { grpc } from "./from-client.ts";
import { readRpc } from "./read-rpc.ts";
import { gossipRpc, supportedMethodsRpc } from "./service-rpcs.ts";
import { createSubscriptions, type Subscriptions } from "./subscriptions.ts";

export type EventStoreServer = {
  /** Connection string of clients. */
  readonly url: string;
  readonly port: number;
  readonly store: EventStore;
  readonly faults: Faults;
  readonly subscriptions: Subscriptions;
  /** The most events that each read so far has asked for. */
  readonly reads: readonly number[];
  /** Cuts all connections and refuses new ones. */
  stop(): Promise<void>;
  /** Takes connections again on the same port, with what it has stored. */
  start(): Promise<void>;
};

export type EventStoreServerOptions = {
  readonly store?: EventStore;
  /** 0 takes any free port. */
  readonly port?: number;
  /** Served over TLS with it; PEM. */
  readonly certificate?: { readonly private: string; readonly cert: string };
};

/**
 * A server that speaks the protocol of EventStoreDB 23.10 over gRPC: appends, reads,
 * subscriptions. Batches of appends, which the adapter keeps out of, and deletions it refuses. Its faults can be
 * switched on.
 */
export async function startEventStoreServer({
  store = createEventStore(),
  port: wantedPort = 0,
  certificate,
}: EventStoreServerOptions = {}): Promise<EventStoreServer> {
  const faults = createFaults();
  const credentials = certificate
    ? encrypting(certificate)
    : grpc.ServerCredentials.createInsecure();
  const subscriptions = createSubscriptions(store, faults);
  const reads: number[] = [];
  let port = wantedPort;
  let server = await listen();

  async function listen(): Promise<InstanceType<typeof grpc.Server>> {
    const next = new grpc.Server({ "grpc.max_receive_message_length": 32 * 1024 * 1024 });
    next.addService(StreamsService, {
      append: appendRpc(store, faults),
      read: readRpc(store, faults, subscriptions, (maxCount) => reads.push(maxCount)),
    });
    next.addService(ServerFeaturesService, { getSupportedMethods: supportedMethodsRpc });
    next.addService(GossipService, { read: gossipRpc(() => port) });
    const bind = promisify(next.bindAsync.bind(next));
    port = await bind(`127.0.0.1:${port}`, credentials);
    return next;
  }

  writeSystemEvents(store);
  return {
    get url() {
      return certificate
        ? `esdb://user:password@127.0.0.1:${port}?tls=true`
        : `esdb://127.0.0.1:${port}?tls=false`;
    },
    get port() {
      return port;
    },
    store,
    faults,
    subscriptions,
    reads,
    async stop() {
      server.forceShutdown();
      subscriptions.endAll();
    },
    async start() {
      server = await listen();
    },
  };
}

function encrypting({ private: key, cert }: { readonly private: string; readonly cert: string }) {
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(cert) };
  return grpc.ServerCredentials.createSsl(null, [pair]);
}

/** A server's log never begins with an event of its clients. */
function writeSystemEvents(store: EventStore): void {
  if (store.all.length > 0) return;
  const content = { contentType: "application/json", metadata: new Uint8Array() };
  const data = Buffer.from("{}");
  store.append("$users", "any", [
    { id: "6f2b7c1e-9f05-4a6e-8f0e-5f0a5b1c2d01", type: "$UserCreated", data, ...content },
    { id: "6f2b7c1e-9f05-4a6e-8f0e-5f0a5b1c2d02", type: "$UserCreated", data, ...content },
  ]);
}
