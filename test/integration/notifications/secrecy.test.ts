import { expect, test } from "vitest";
import { START } from "#infra/event-log/event-log.ts";
import { eventsToHead } from "#infra/event-log/events-to-head.ts";
import { useBroker } from "../../support/broker.ts";
import { withClient } from "../../support/database-template.ts";
import { PASSWORD } from "../accounts/use-accounts.ts";
import { JUSTIFICATION, NOTES, review, submission } from "./role-requests.ts";
import { listenTo, notifierOf, publisherOf } from "./use-broker.ts";
import { resetOf, SECRET, useNotifications } from "./use-notifications.ts";

const scene = useNotifications();
const broker = useBroker();
const POLL = { timeout: 20_000, interval: 20 };

/** Every row of every table of delivery, as text. */
async function deliveryRows(): Promise<string> {
  return withClient(scene.accounts.databaseUrl, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'notifications'",
    );
    expect(tables).toHaveLength(4);
    const texts = [];
    for (const { name } of tables) {
      const { rows } = await client.query(`select * from notifications.${name}`);
      // What was published is forgotten once it is taken.
      if (name !== "published") expect(rows, name).not.toEqual([]);
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
