import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { generate } from "selfsigned";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { createTemporaryDirectory } from "../temporary-directory.ts";

const LIBRARIES = fileURLToPath(new URL("../../../.cache/kafka", import.meta.url));

/** Whether a real Kafka can be started here. */
export const hasKafka: boolean =
  existsSync(LIBRARIES) && spawnSync("java", ["-version"]).status === 0;

export type KafkaServer = {
  /** `host:port`, open to everybody. */
  readonly broker: string;
  /** `host:port`, encrypted, for who signs in. */
  readonly secured: string;
  /** The certificate that the encrypted connections are trusted by. */
  readonly caFile: string;
  readonly stop: () => Promise<void>;
};

export const KAFKA_USER = { username: "earthquakes", password: "p@ss w0rd of Kafka" };

/** A broker of Kafka with KRaft in one process, with a user for every mechanism. */
export async function startKafkaServer(): Promise<KafkaServer> {
  const directory = await createTemporaryDirectory();
  const file = (name: string): string => join(directory.path, name);
  const [open, secured, controller] = [await freePort(), await freePort(), await freePort()];
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }], {
    algorithm: "sha256",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  await writeFile(file("ca.pem"), cert);
  await writeFile(file("keystore.pem"), `${key}\n${cert}`);
  await writeFile(
    file("server.properties"),
    propertiesOf({ open, secured, controller, logs: file("logs"), keystore: file("keystore.pem") }),
  );
  const scram = ["SCRAM-SHA-256", "SCRAM-SHA-512"].flatMap((mechanism) => [
    "--add-scram",
    `${mechanism}=[name=${KAFKA_USER.username},password=${KAFKA_USER.password}]`,
  ]);
  const id = randomBytes(16).toString("base64url");
  const format = ["format", "--cluster-id", id, "--config", file("server.properties"), ...scram];
  await promisify(execFile)("java", [
    "-cp",
    `${LIBRARIES}/*`,
    "kafka.tools.StorageTool",
    ...format,
  ]);
  const child = spawnBroker(file("server.properties"));
  await untilReachable(open, child);
  return {
    broker: `127.0.0.1:${open}`,
    secured: `localhost:${secured}`,
    caFile: file("ca.pem"),
    stop: async () => {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      await directory.remove();
    },
  };
}

type Properties = {
  readonly open: number;
  readonly secured: number;
  readonly controller: number;
  readonly logs: string;
  readonly keystore: string;
};

function propertiesOf({ open, secured, controller, logs, keystore }: Properties): string {
  const { username, password } = KAFKA_USER;
  const listener = "listener.name.secured";
  const module = "org.apache.kafka.common.security";
  return `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=OPEN://127.0.0.1:${open},SECURED://127.0.0.1:${secured},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=OPEN://127.0.0.1:${open},SECURED://localhost:${secured}
listener.security.protocol.map=OPEN:PLAINTEXT,SECURED:SASL_SSL,CONTROLLER:PLAINTEXT
inter.broker.listener.name=OPEN
controller.listener.names=CONTROLLER
log.dirs=${logs}
num.partitions=4
offsets.topic.replication.factor=1
group.initial.rebalance.delay.ms=0
ssl.keystore.type=PEM
ssl.keystore.location=${keystore}
${listener}.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
${listener}.plain.sasl.jaas.config=${module}.plain.PlainLoginModule required user_${username}="${password}";
${listener}.scram-sha-256.sasl.jaas.config=${module}.scram.ScramLoginModule required;
${listener}.scram-sha-512.sasl.jaas.config=${module}.scram.ScramLoginModule required;
`;
}

function spawnBroker(properties: string): ChildProcess {
  const options = ["-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];
  return spawn("java", [...options, "-cp", `${LIBRARIES}/*`, "kafka.Kafka", properties], {
    stdio: "ignore",
  });
}

/** Waits for the port: without a library for it, Kafka logs nothing. */
async function untilReachable(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect({ host: "127.0.0.1", port });
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await setTimeout(100);
  }
  throw new Error("Kafka has ended");
}
