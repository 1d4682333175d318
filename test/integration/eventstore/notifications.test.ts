import { expect, test } from "vitest";
import { deliverDue, MAX_ATTEMPTS } from "#services/notifier/delivery.ts";
import { openAdapter, serverForTest } from "../../support/eventstore/open-adapter.ts";
import { HOUR, useNotifications } from "../notifications/use-notifications.ts";

const scene = useNotifications();

test("a notification outlasts an event store that is away, however long", async () => {
  const { userId } = await scene.accounts.register("viewer");
  const { id } = await scene.takeReset(userId);
  const gone = await serverForTest();
  await gone.stop();
  const deps = { ...scene.deps, log: openAdapter(gone) };
  for (let attempt = 0; attempt <= MAX_ATTEMPTS; attempt += 1) {
    await deliverDue(deps, new AbortController().signal);
    scene.advance(2 * HOUR);
  }
  expect(await scene.list()).toMatchObject([
    { status: "pending", last_error: "it could not be prepared (Unavailable)" },
  ]);
  await scene.deliver();
  expect(scene.webhook.taken).toMatchObject([{ id }]);
});
