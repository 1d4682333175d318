import { afterAll, beforeAll, expect, test } from "vitest";
import { type AlertReceiver, startAlertReceiver } from "../support/alert-receiver.ts";
import { alertOfCatalogue, recentEvent } from "../support/api/alerts.ts";
import { randomOf } from "../support/generate-catalogue.ts";
import { useKilledService } from "./killed.ts";

const KILLS = 8;
const EVENTS = 40;

let receiver: AlertReceiver;
beforeAll(async () => {
  receiver = await startAlertReceiver();
});
afterAll(() => receiver.close());
const service = useKilledService(() => ({ ALERTS_ALLOW_PRIVATE: "true" }));

test("killed while it tells and delivers, with its database too, the service loses no message and repeats one under its id alone", async () => {
  const { of, path } = await alertOfCatalogue(service.client, receiver.url, { perHour: 1_000 });
  const random = randomOf(7);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const events = Array.from({ length: EVENTS }, (_, i) =>
      recentEvent({ depth: kill * EVENTS + i }),
    );
    // Some of the calls are answered only after the kill, and so are not recorded.
    let left = Math.floor(random() * EVENTS);
    receiver.behave(() => (left-- > 0 ? 200 : "hang"));
    const added = await service.client.send("POST", `${of}/events`, { events });
    expect(added.status).toBe(200);
    await expect.poll(() => left, { timeout: 60_000 }).toBeLessThan(0);
    await service.kill(kill % 2 === 1);
    receiver.behave(200);
    await service.start();
  }
  const all = KILLS * EVENTS;
  const depths = () =>
    new Set(
      receiver.calls.map(({ body }) => (body.event["properties"] as { depth: number }).depth),
    );
  await expect.poll(() => depths().size, { timeout: 180_000 }).toBe(all);
  const ids = new Map<string, Set<unknown>>();
  for (const { path: at, body, headers } of receiver.calls) {
    expect(at).toBe(path);
    const event = String(body.event["id"]);
    ids.set(event, (ids.get(event) ?? new Set()).add(headers["webhook-id"]));
  }
  expect([...ids.values()].filter((one) => one.size > 1)).toEqual([]);
  expect(ids.size).toBe(all);
}, 600_000);
