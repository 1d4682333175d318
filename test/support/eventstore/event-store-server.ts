import { promisify } from "node:util";
import {
  GossipService,
  type IGossipServer,
} from "@eventstore/db-client/generated/gossip_grpc_pb.js";
import gossip from "@eventstore/db-client/generated/gossip_pb.js";
import {
  type IServerFeaturesServer,
  ServerFeaturesService,
} from "@eventstore/db-client/generated/serverfeatures_grpc_pb.js";
import features from "@eventstore/db-client/generated/serverfeatures_pb.js";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import {
  type IStreamsServer,
  StreamsService,
} from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams, {
  type AppendReq,
  type AppendResp,
  type ReadReq,
} from "@eventstore/db-client/generated/streams_pb.js";
import { type AppendOutcome, createEventStore, type EventStore } from "./event-store.ts";
import { appendError, createFaults, errorAfter, errorBefore, type Faults } from "./faults.ts";
import { grpc } from "./from-client.ts";
import {
  eventMessage,
  expectedRevision,
  proposedEvent,
  streamIdentifier,
  streamName,
} from "./messages.ts";
import type { ProposedEvent, StoredEvent } from "./stored-event.ts";
import { createSubscriptions, goneSignal, type Subscriptions, send } from "./subscriptions.ts";

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

const STREAMS_SERVICE = "event_store.client.streams.streams";
const METHODS = ["read", "append", "batchappend", "delete", "tombstone"];

const SERVER_VERSION = "23.10.0";
const INSTANCE = "3c9d4a2e-59a5-4cb0-9f4e-1d8f1f4f6a10";

/** Tells clients what the server can do. */
const supportedMethodsRpc: IServerFeaturesServer["getSupportedMethods"] = (_, callback) => {
  const supported = new features.SupportedMethods().setEventStoreServerVersion(SERVER_VERSION);
  for (const name of METHODS) {
    supported.addMethods(
      new features.SupportedMethod().setServiceName(STREAMS_SERVICE).setMethodName(name),
    );
  }
  callback(null, supported);
};

/** Tells clients that look for a cluster of this one server, which leads. */
function gossipRpc(port: () => number): IGossipServer["read"] {
  return (_, callback) => {
    const member = new gossip.MemberInfo()
      .setInstanceId(new shared.UUID().setString(INSTANCE))
      .setState(gossip.MemberInfo.VNodeState.LEADER)
      .setIsAlive(true)
      .setHttpEndPoint(new gossip.EndPoint().setAddress("127.0.0.1").setPort(port()));
    callback(null, new gossip.ClusterInfo().setMembersList([member]));
  };
}

/** Append: one call for each append. */
function appendRpc(store: EventStore, faults: Faults): IStreamsServer["append"] {
  return (call, callback) => {
    const events: ProposedEvent[] = [];
    let options: AppendReq.Options | undefined;
    call.on("data", (request: AppendReq) => {
      options ??= request.getOptions();
      const message = request.getProposedMessage();
      if (message) events.push(proposedEvent(message));
    });
    call.on("end", () => void answer());

    async function answer(): Promise<void> {
      if (options === undefined) return;
      const fault = faults.appends.shift();
      if (fault?.kind === "wait") await fault.until;
      const before = errorBefore(fault);
      if (before) return callback(before);
      if (fault?.kind === "hang-before") return;
      const stream = streamName(options.getStreamIdentifier());
      const expected = expectedRevision(options, options.getRevision());
      const outcome = store.append(stream, expected, events);
      if (fault?.kind === "hang-after") return;
      if (fault?.kind === "end-after") return callback(null, new streams.AppendResp());
      const error = errorAfter(fault) ?? appendError(outcome);
      if (error) return callback(error);
      callback(null, appendResponse(outcome, options));
    }
  };
}

function appendResponse(outcome: AppendOutcome, options: AppendReq.Options): AppendResp {
  const response = new streams.AppendResp();
  if (outcome.kind === "wrong-revision") {
    const wrong = new streams.AppendResp.WrongExpectedVersion();
    if (outcome.current < 0) wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentRevision(`${outcome.current}`);
    if (options.hasRevision()) wrong.setExpectedRevision(options.getRevision());
    else if (options.hasNoStream()) wrong.setExpectedNoStream(new shared.Empty());
    else if (options.hasStreamExists()) wrong.setExpectedStreamExists(new shared.Empty());
    else wrong.setExpectedAny(new shared.Empty());
    return response.setWrongExpectedVersion(wrong);
  }
  const success = new streams.AppendResp.Success();
  if (outcome.kind !== "appended") throw new Error(`${outcome.kind} is answered by a status`);
  if (outcome.revision < 0) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(`${outcome.revision}`);
  if (outcome.position === null) success.setNoPosition(new shared.Empty());
  else {
    const position = outcome.position.toString();
    success.setPosition(
      new streams.AppendResp.Position().setCommitPosition(position).setPreparePosition(position),
    );
  }
  return response.setSuccess(success);
}

const BACKWARDS = 1;

/** Read: of a stream or of everything, in either direction, or a subscription to it. */
function readRpc(
  store: EventStore,
  faults: Faults,
  subscriptions: Subscriptions,
  onRead: (maxCount: number) => void,
): IStreamsServer["read"] {
  return (call) => {
    const options = call.request.getOptions();
    const gone = goneSignal(call);
    if (options?.hasSubscription()) return void subscriptions.serve(call, options, gone);
    onRead(Number(options?.getCount()));
    return void answer();

    async function answer(): Promise<void> {
      const fault = faults.reads.shift();
      if (fault?.kind === "wait") await fault.until;
      const before = errorBefore(fault);
      if (before) return void call.emit("error", before);
      if (options === undefined || fault?.kind.startsWith("hang")) return;
      const name = streamName(options.getStream()?.getStreamIdentifier());
      const events = options.hasStream() ? store.stream(name) : store.all;
      if (events === null) {
        const notFound = new streams.ReadResp.StreamNotFound();
        notFound.setStreamIdentifier(streamIdentifier(name));
        call.write(new streams.ReadResp().setStreamNotFound(notFound));
      } else {
        for (const event of selected(events, options)) {
          if (gone.aborted) return;
          await send(call, eventMessage(event), gone);
        }
      }
      call.end();
    }
  };
}

function selected(
  events: readonly StoredEvent[],
  options: ReadReq.Options,
): readonly StoredEvent[] {
  const isBackwards = Number(options.getReadDirection()) === BACKWARDS;
  const range = isBackwards ? backwards(events, options) : forwards(events, options);
  return range.slice(0, Number(BigInt.asUintN(53, BigInt(options.getCount()))));
}

function forwards(
  events: readonly StoredEvent[],
  options: ReadReq.Options,
): readonly StoredEvent[] {
  const [stream, all] = [options.getStream(), options.getAll()];
  if (stream?.hasEnd() || all?.hasEnd()) return [];
  if (stream?.hasRevision()) {
    const from = Number(stream.getRevision());
    return events.slice(Math.max(0, from - (events[0]?.revision ?? 0)));
  }
  const position = all?.getPosition();
  if (!position) return events;
  const from = BigInt(position.getCommitPosition());
  return events.filter((event) => event.position >= from);
}

/** From a revision on with it, from a position on without what begins there. */
function backwards(
  events: readonly StoredEvent[],
  options: ReadReq.Options,
): readonly StoredEvent[] {
  const [stream, all] = [options.getStream(), options.getAll()];
  if (stream?.hasStart() || all?.hasStart()) return [];
  const reversed = events.toReversed();
  if (stream?.hasRevision()) {
    const from = Number(stream.getRevision());
    return reversed.filter(({ revision }) => revision <= from);
  }
  const position = all?.getPosition();
  if (!position) return reversed;
  const from = BigInt(position.getCommitPosition());
  return reversed.filter((event) => event.position < from);
}
