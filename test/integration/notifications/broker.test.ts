import { connect } from "nats";
import { describe, expect, test } from "vitest";
import { noticeSubject, RELAYS } from "#contracts/events/log.ts";
import { ensureNoticeStream, publishNotice } from "#infra/brokers/nats.ts";
import { relayNotices } from "#infra/brokers/notifications.ts";
import { eventsToHead, START } from "#infra/log/event-log.ts";
import { withClient } from "../../support/database-template.ts";
import { ONE_SERVER, useBroker } from "../../support/nats-server.ts";
import { PASSWORD } from "../accounts/use-accounts.ts";
import {
  dyingSourceOf,
  inProcessNotifierOf,
  listenTo,
  notifierOf,
  publisherOf,
  storedMessages,
} from "./use-broker.ts";
import {
  JUSTIFICATION,
  NOTES,
  resetOf,
  review,
  SECRET,
  submission,
  useNotifications,
} from "./use-notifications.ts";

const scene = useNotifications();
const broker = useBroker();

const POLL = { timeout: 20_000, interval: 20 };

async function viewer(): Promise<string> {
  return (await scene.accounts.register("viewer")).userId;
}

/** The ids of what the webhook has taken, sorted. */
const takenIds = (): string[] => scene.webhook.taken.map(({ id }) => id).toSorted();

/** All that happens at the webhook has happened: nothing is pending, nothing waits at the broker. */
async function settled(): Promise<void> {
  await expect.poll(() => storedMessages(broker.url), POLL).toBe(0);
  const pending = async () => (await scene.list()).filter(({ status }) => status === "pending");
  await expect.poll(pending, POLL).toEqual([]);
}

describe("by way of the broker", () => {
  test("what was published before the broker was killed is delivered after", async () => {
    const publisher = publisherOf(scene, broker.url);
    const { id } = await scene.append(resetOf(await viewer()));
    await expect.poll(publisher.state, POLL).toBe("connected");
    await expect.poll(() => storedMessages(broker.url), POLL).toBe(1);
    await broker.kill();
    await expect.poll(publisher.state, POLL).toBe("disconnected");
    const whileAway = await scene.append(resetOf(await viewer()));
    const notifier = notifierOf(scene, broker.url);
    expect(notifier.state()).toBe("disconnected");
    await broker.restart();
    await expect.poll(takenIds, POLL).toEqual([id, whileAway.id].toSorted());
    await settled();
    expect(scene.webhook.calls).toHaveLength(2);
  });

  test("a broker that has lost its disk gets everything again, and all is delivered once", async () => {
    const publisher = publisherOf(scene, broker.url);
    const notifier = notifierOf(scene, broker.url);
    const first = await scene.append(resetOf(await viewer()));
    await expect.poll(takenIds, POLL).toEqual([first.id]);
    await notifier.close();
    const second = await scene.append(resetOf(await viewer()));
    await expect.poll(() => storedMessages(broker.url), POLL).toBe(1);
    await broker.wipe();
    await expect.poll(publisher.state, POLL).toBe("disconnected");
    await broker.restart();
    notifierOf(scene, broker.url);
    await expect.poll(takenIds, POLL).toContain(second.id);
    await settled();
    const mine = scene.webhook.calls.filter(({ body }) => [first.id, second.id].includes(body.id));
    expect(mine.map(({ body }) => body.id)).toEqual([first.id, second.id]);
  });

  test("a notice whose publisher died before its checkpoint moved is published and delivered once", async () => {
    const notice = await scene.append(resetOf(await viewer()));
    const connection = await connect({ servers: new URL(broker.url).host });
    await ensureNoticeStream(await connection.jetstreamManager(), ONE_SERVER);
    await publishNotice(connection.jetstream(), notice);
    await connection.close();
    publisherOf(scene, broker.url);
    const { id } = await scene.append(resetOf(await viewer()));
    await expect.poll(() => storedMessages(broker.url), POLL).toBe(2);
    notifierOf(scene, broker.url);
    await settled();
    expect(takenIds()).toEqual([notice.id, id].toSorted());
    expect(scene.webhook.calls).toHaveLength(2);
  });

  test("a notice whose notifier died before it acknowledged comes again, and is delivered once", async () => {
    publisherOf(scene, broker.url);
    const { id } = await scene.append(resetOf(await viewer()));
    const dying = dyingSourceOf(scene, broker.url);
    await dying.taken;
    await dying.ended;
    expect(await storedMessages(broker.url)).toBe(1);
    notifierOf(scene, broker.url);
    await settled();
    expect(takenIds()).toEqual([id]);
    expect(scene.webhook.calls).toHaveLength(1);
  });

  test("two publishers and two notifiers at once deliver each notification once", async () => {
    const seen = await listenTo(broker.url);
    const publishers = [publisherOf(scene, broker.url), publisherOf(scene, broker.url)];
    notifierOf(scene, broker.url);
    notifierOf(scene, broker.url);
    const users = await Promise.all([viewer(), viewer(), viewer()]);
    const notices: Awaited<ReturnType<typeof scene.append>>[] = [];
    for (let i = 0; i < 30; i += 1) {
      notices.push(await scene.append(resetOf(users[i % users.length] ?? "")));
    }
    const ids = notices.map(({ id }) => id);
    await expect.poll(takenIds, POLL).toEqual(ids.toSorted());
    await settled();
    expect(scene.webhook.calls).toHaveLength(ids.length);
    const subject = noticeSubject("password_reset");
    expect(seen).toEqual(
      notices.map((notice) => ({ subject, id: notice.id, data: JSON.stringify(notice) })),
    );
    expect(publishers.map(({ state }) => state()).toSorted()).toEqual(["connected", "standing by"]);
  });

  test("a message that is no notice is kept, and holds nothing up", async () => {
    publisherOf(scene, broker.url);
    const connection = await connect({ servers: new URL(broker.url).host });
    const manager = await connection.jetstreamManager();
    await ensureNoticeStream(manager, ONE_SERVER);
    await connection.jetstream().publish(noticeSubject("unknown"), "not a notice");
    await connection.close();
    notifierOf(scene, broker.url);
    const { id } = await scene.append(resetOf(await viewer()));
    await expect.poll(takenIds, POLL).toEqual([id]);
    await expect.poll(() => storedMessages(broker.url), POLL).toBe(1);
  });
});

describe("without a broker", () => {
  async function appendResets(count: number): Promise<string[]> {
    const { userId } = await scene.accounts.register("viewer");
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) ids.push((await scene.append(resetOf(userId))).id);
    return ids.toSorted();
  }

  test("two notifiers at once deliver each notification once, and the second goes on alone", async () => {
    const first = inProcessNotifierOf(scene);
    inProcessNotifierOf(scene);
    const both = await appendResets(20);
    await expect.poll(takenIds, POLL).toEqual(both);
    await first.close();
    const alone = await appendResets(5);
    await expect.poll(takenIds, POLL).toEqual([...both, ...alone].toSorted());
    expect(scene.webhook.calls).toHaveLength(25);
  });

  test("a notice that was taken in before the checkpoint moved is delivered once", async () => {
    const ids = await appendResets(2);
    const { log, pool } = scene.accounts;
    const dying = relayNotices(
      { log, pool },
      {
        name: RELAYS.notifier,
        send: async (notice) => {
          await scene.take(notice);
          throw new Error("died before its checkpoint moved");
        },
        onProgress: () => undefined,
      },
      new AbortController().signal,
    );
    await expect(dying).rejects.toThrow("died");
    inProcessNotifierOf(scene);
    await expect.poll(takenIds, POLL).toEqual(ids);
    expect(scene.webhook.calls).toHaveLength(2);
  });

  test("a notifier that is closed finishes the delivery at hand", async () => {
    const called = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<number>();
    scene.webhook.behave(() => {
      called.resolve();
      return answered.promise;
    });
    const [id] = await appendResets(1);
    const notifier = inProcessNotifierOf(scene);
    await called.promise;
    const closing = notifier.close();
    answered.resolve(200);
    await closing;
    expect(await scene.list()).toMatchObject([{ id, status: "delivered", attempts: 1 }]);
  });
});

/** Every row of every table of delivery, as text. */
async function deliveryRows(): Promise<string> {
  return withClient(scene.accounts.databaseUrl, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'notifications'",
    );
    expect(tables).toHaveLength(5);
    const texts = [];
    for (const { name } of tables) {
      const { rows } = await client.query(`select * from notifications.${name}`);
      // What was published is forgotten once it is taken.
      if (!["published", "alert_told"].includes(name)) expect(rows, name).not.toEqual([]);
      texts.push(JSON.stringify(rows));
    }
    return texts.join("\n");
  });
}

async function logText(): Promise<string> {
  const { log } = scene.accounts;
  const texts: string[] = [];
  for await (const { events } of eventsToHead(log, START, new AbortController().signal)) {
    texts.push(JSON.stringify(events));
  }
  return texts.join("\n");
}

test("no address, name, password, token or secret is in the messages, the tables, the log or our own lines", async () => {
  const messages = await listenTo(broker.url);
  publisherOf(scene, broker.url);
  notifierOf(scene, broker.url);
  const { accounts } = scene;
  const viewer = await accounts.register("viewer");
  const admin = await accounts.register("admin");
  // The first attempts fail, so that errors are kept and logged too.
  let calls = 0;
  scene.webhook.behave(() => {
    calls += 1;
    return calls <= 2 ? 500 : 200;
  });
  const submitted = await submission(accounts, viewer.userId);
  await scene.append(resetOf(viewer.userId));
  await scene.append(submitted);
  await scene.append(await review(accounts, submitted, "approved"));
  await expect.poll(() => scene.webhook.calls.length, POLL).toBe(3);

  await expect.poll(async () => (await scene.list()).map(({ type }) => type), POLL).toHaveLength(3);
  const bodies = scene.webhook.calls.map(({ text }) => text).join("\n");
  const token = /token=([\w-]{43})/.exec(bodies)?.[1] ?? "";
  expect(token).toHaveLength(43);
  expect(bodies).toContain("Kermadec");

  const texts = {
    messages: messages.map(({ subject, id, data }) => `${subject} ${id} ${data}`).join("\n"),
    tables: await deliveryRows(),
    log: await logText(),
    lines: JSON.stringify(scene.lines),
  };
  expect(messages).toHaveLength(3);
  expect(scene.lines.length).toBeGreaterThanOrEqual(2);
  const words = ["Kermadec", ...JUSTIFICATION.split("\n"), NOTES, "reset-password?"];
  for (const text of Object.values(texts)) expect(text).not.toMatch(/\bAna\b/);
  for (const secret of [viewer.email, admin.email, PASSWORD, token, SECRET, ...words]) {
    for (const [place, text] of Object.entries(texts)) {
      expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
    }
  }
});
