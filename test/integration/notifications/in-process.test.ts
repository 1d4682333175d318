import { expect, test } from "vitest";
import { RELAYS } from "#contracts/names.ts";
import { relayNotices } from "#infra/notifications/relay-notices.ts";
import { inProcessNotifierOf } from "./use-broker.ts";
import { resetOf, useNotifications } from "./use-notifications.ts";

const scene = useNotifications();
const POLL = { timeout: 20_000, interval: 20 };

const takenIds = (): string[] => scene.webhook.taken.map(({ id }) => id).toSorted();

async function appendResets(count: number): Promise<string[]> {
  const { userId } = await scene.accounts.register("viewer");
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push((await scene.append(resetOf(userId))).id);
  return ids.toSorted();
}

test("without a broker notices come from the log", async () => {
  const before = await appendResets(2);
  const notifier = inProcessNotifierOf(scene);
  await expect.poll(takenIds, POLL).toEqual(before);
  const after = await appendResets(1);
  await expect.poll(takenIds, POLL).toEqual([...before, ...after].toSorted());
  expect(notifier.state()).toBe("in process");
});

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
