import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  AckPolicy,
  connect,
  DeliverPolicy,
  type JetStreamManager,
  type NatsConnection,
} from "nats";
import { expect, onTestFinished, test } from "vitest";
import { CHANGES, NOTICES } from "#contracts/events/log.ts";
import { ensureChangeStream, ensureNoticeStream } from "#infra/brokers/nats.ts";
import { ONE_SERVER, startNatsServer } from "../../support/nats-server.ts";
import { createTemporaryDirectory } from "../../support/temporary-directory.ts";

const OPERATING = fileURLToPath(new URL("../../../OPERATING.md", import.meta.url));
const PASSWORDS = { NATS_PASSWORD: "of-the-service", NATS_READER_PASSWORD: "of-the-reader" };

/** A broker with the users that OPERATING.md gives it, and its connections. */
async function documentedBroker() {
  const [, configuration = ""] =
    /```conf\n([\s\S]*?)```/.exec(await readFile(OPERATING, "utf8")) ?? [];
  const directory = await createTemporaryDirectory();
  const file = join(directory.path, "nats.conf");
  await writeFile(file, configuration);
  const server = await startNatsServer(["--config", file], PASSWORDS);
  const connections: NatsConnection[] = [];
  onTestFinished(async () => {
    for (const connection of connections) await connection.close();
    await server.stop();
    await directory.remove();
  });
  return async (user: string, pass: string): Promise<NatsConnection> => {
    const options = { servers: new URL(server.url).host, user, pass };
    const connection = await connect({ ...options, inboxPrefix: `_INBOX_${user}`, timeout: 5_000 });
    connections.push(connection);
    return connection;
  };
}

test("the reader of OPERATING.md reads the changes, goes on where it stopped, and can do nothing else", async () => {
  const connectAs = await documentedBroker();
  const service = await connectAs("earthquakes", PASSWORDS.NATS_PASSWORD);
  const manager: JetStreamManager = await service.jetstreamManager();
  await ensureChangeStream(manager, ONE_SERVER);
  await ensureNoticeStream(manager, ONE_SERVER);
  const publish = (text: string) => service.jetstream().publish("catalogues.a.version", text);
  await publish("first");

  const reader = await connectAs("reader", PASSWORDS.NATS_READER_PASSWORD);
  const consumers = (await reader.jetstreamManager({ checkAPI: false })).consumers;
  await consumers.add(CHANGES.stream, {
    durable_name: "papers",
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    filter_subject: "catalogues.*.version",
  });
  const papers = await reader.jetstream().consumers.get(CHANGES.stream, "papers");
  const taken = async () => {
    const message = await papers.next({ expires: 5_000 });
    await message?.ackAck();
    return message?.string();
  };
  expect(await taken()).toBe("first");
  await publish("second");
  expect(await taken()).toBe("second");

  const refused = /permissions violation/i;
  const write = reader.jetstream().publish("catalogues.a.version", "forged", { timeout: 1_000 });
  await expect(write).rejects.toThrow(refused);
  const notices = consumers.add(NOTICES.stream, { ack_policy: AckPolicy.None });
  await expect(notices).rejects.toThrow(refused);
  for (const subject of [NOTICES.subjects, "_INBOX.>", "_INBOX_earthquakes.>"]) {
    const { promise, reject } = Promise.withResolvers<never>();
    reader.subscribe(subject, { callback: (error) => error && reject(error) });
    await expect(promise).rejects.toThrow(refused);
  }
});
