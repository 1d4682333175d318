import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Transform } from "node:stream";
import { ANALYTICS } from "#contracts/events/log.ts";
import { startTcpRelay, type TcpRelay } from "./tcp-relay.ts";

export type KafkaCluster = {
  /** `host:port`, the same whatever becomes of the cluster. */
  readonly broker: string;
  /** `host:port` of the present cluster itself: connections to it are not dropped. */
  readonly directBroker: () => string;
  /** Ends the cluster at once, with all that it holds: it keeps everything in memory. */
  readonly kill: () => Promise<void>;
  /** A new and empty cluster at the same address. */
  readonly restart: () => Promise<void>;
  /** Drops all connections; new ones are accepted. */
  readonly dropConnections: () => void;
  /** The cluster answers nothing any more, and keeps its connections. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Ends it for good. */
  readonly stop: () => Promise<void>;
};

const ADDRESS = /bootstrap\.servers=127\.0\.0\.1:(\d+)/;

/**
 * The mock cluster of librdkafka, which speaks the protocol, as Debian's `kcat` starts it: one
 * broker, with the analytics topic in 4 partitions. Each holds the last 5 MB and 100,000 requests.
 */
export async function startKafkaCluster(): Promise<KafkaCluster> {
  let { child, port } = await spawnCluster();
  const relay = await startKafkaRelay(() => port);

  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return {
    broker: `127.0.0.1:${relay.port}`,
    directBroker: () => `127.0.0.1:${port}`,
    kill,
    restart: async () => {
      await kill();
      ({ child, port } = await spawnCluster());
      relay.drop();
    },
    dropConnections: relay.drop,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    stop: async () => {
      await kill();
      await relay.close();
    },
  };
}

/** A consumer of the topic that begins with a cluster of its own; it makes the topic by asking for it. */
async function spawnCluster(): Promise<{ child: ChildProcess; port: number }> {
  const properties = ["test.mock.num.brokers=1", "log_level=7"].flatMap((text) => ["-X", text]);
  const options = ["-C", "-b", "x", "-t", ANALYTICS.topic, "-o", "end", ...properties];
  const child = spawn("kcat", [...options, "-d", "mock"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once("error", (cause) =>
    reject(new Error("kcat cannot be started: is it installed?", { cause })),
  );
  child.once("exit", () => reject(new Error("kcat has ended")));
  let port = 0;
  createInterface(child.stderr).on("line", (line) => {
    port ||= Number(ADDRESS.exec(line)?.[1] ?? 0);
    if (line.includes(`Created topic "${ANALYTICS.topic}"`)) resolve(port);
  });
  return { child, port: await promise };
}

const HOST = "127.0.0.1";

/** A broker's address in an answer, as the protocol has it: length and text of the host, then the port. */
const HOST_FIELD = Buffer.concat([Buffer.from([0, HOST.length]), Buffer.from(HOST)]);

/**
 * Stands between clients and the one broker of a cluster: answers name the relay as the broker, so
 * that clients come back to it whatever port the cluster has next.
 */
function startKafkaRelay(port: () => number): Promise<TcpRelay> {
  return startTcpRelay(port, renaming);
}

/** Puts `port` behind every host of whole answers; each begins with its length in 4 bytes. */
function renaming(port: number): Transform {
  let held = Buffer.alloc(0);
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      held = Buffer.concat([held, bytes]);
      while (held.length >= 4 && held.length >= 4 + held.readUInt32BE(0)) {
        const end = 4 + held.readUInt32BE(0);
        this.push(renamed(held.subarray(0, end), port));
        held = held.subarray(end);
      }
      done();
    },
  });
}

function renamed(given: Buffer, port: number): Buffer {
  const answer = Buffer.from(given);
  for (let at = answer.indexOf(HOST_FIELD); at >= 0; ) {
    const field = at + HOST_FIELD.length;
    if (field + 4 <= answer.length) answer.writeUInt32BE(port, field);
    at = answer.indexOf(HOST_FIELD, field);
  }
  return answer;
}
