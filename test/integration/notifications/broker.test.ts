import { connect } from "nats";
import { describe, expect, test } from "vitest";
import { noticeSubject } from "#contracts/names.ts";
import { ensureNoticeStream, publishNotice } from "#infra/nats/notice-stream.ts";
import { useBroker } from "../../support/broker.ts";
import { ONE_SERVER } from "../../support/nats-server.ts";
import { dyingSourceOf, listenTo, notifierOf, publisherOf, storedMessages } from "./use-broker.ts";
import { resetOf, useNotifications } from "./use-notifications.ts";

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
  test("each notice is one message under its id, and is delivered", async () => {
    const seen = await listenTo(broker.url);
    publisherOf(scene, broker.url);
    notifierOf(scene, broker.url);
    const notice = await scene.append(resetOf(await viewer()));
    await expect.poll(takenIds, POLL).toEqual([notice.id]);
    await settled();
    expect(seen).toEqual([
      {
        subject: noticeSubject("password_reset"),
        id: notice.id,
        data: JSON.stringify(notice),
      },
    ]);
  });

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

  test("a broker that is absent at the start is waited for", async () => {
    await broker.kill();
    const publisher = publisherOf(scene, broker.url);
    const notifier = notifierOf(scene, broker.url);
    const { id } = await scene.append(resetOf(await viewer()));
    await expect.poll(publisher.state, POLL).toBe("disconnected");
    await broker.restart();
    await expect.poll(takenIds, POLL).toEqual([id]);
    expect([publisher.state(), notifier.state()]).toEqual(["connected", "connected"]);
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
    const ids: string[] = [];
    for (let i = 0; i < 30; i += 1) {
      ids.push((await scene.append(resetOf(users[i % users.length] ?? ""))).id);
    }
    await expect.poll(takenIds, POLL).toEqual(ids.toSorted());
    await settled();
    expect(scene.webhook.calls).toHaveLength(ids.length);
    expect(seen.map(({ id }) => id)).toEqual(ids);
    expect(publishers.map(({ state }) => state()).toSorted()).toEqual(["connected", "standing by"]);
  });

  test("a publisher that stands by goes on where the other has stopped", async () => {
    const first = publisherOf(scene, broker.url);
    await expect.poll(first.state, POLL).toBe("connected");
    const second = publisherOf(scene, broker.url);
    notifierOf(scene, broker.url);
    const before = await scene.append(resetOf(await viewer()));
    await expect.poll(takenIds, POLL).toEqual([before.id]);
    await first.close();
    const after = await scene.append(resetOf(await viewer()));
    await expect.poll(takenIds, POLL).toEqual([before.id, after.id].toSorted());
    expect(second.state()).toBe("connected");
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
