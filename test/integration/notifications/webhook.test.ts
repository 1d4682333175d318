import { createHmac, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WebhookBody } from "#contracts/notifications/notice.ts";
import { createWebhook, WebhookFailure } from "#infra/notifications/webhook.ts";
import { freePort } from "#infra/postgres/embedded/server.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(() => receiver.close());

function newBody(): WebhookBody {
  return {
    to: "ana@example.org",
    subject: "Prüfung",
    message: "Ζεύς\n",
    type: "password_reset",
    id: randomUUID(),
    timestamp: "2026-01-01T00:00:00.000Z",
  };
}

const options = { secrets: [], timeoutMs: 5_000 };

describe("a webhook", () => {
  test("a webhook gets JSON, in UTF-8, and no signature without a secret", async () => {
    receiver.reset();
    const body = newBody();
    await createWebhook({ ...options, url: receiver.url }).send(body);
    const [call] = receiver.calls;
    expect(call?.body).toEqual(body);
    expect(call?.headers["content-type"]).toBe("application/json");
    expect(call?.headers).not.toHaveProperty("x-webhook-signature");
  });

  test("a webhook gets a signature by each of two secrets while its receiver changes from one to the other", async () => {
    receiver.reset();
    const secrets = ["the new one", "the one before"];
    await createWebhook({ ...options, secrets, url: receiver.url }).send(newBody());
    const [call] = receiver.calls;
    const expected = secrets.map((secret) =>
      createHmac("sha256", secret)
        .update(call?.text ?? "")
        .digest("hex"),
    );
    expect(call?.headers["x-webhook-signature"]).toBe(
      expected.map((signature) => `sha256=${signature}`).join(","),
    );
  });

  test("a webhook with credentials in its address gets them as Basic authorization", async () => {
    receiver.reset();
    const url = receiver.url.replace("http://", "http://mailer:p%40ss@");
    await createWebhook({ ...options, url }).send(newBody());
    const basic = Buffer.from("mailer:p@ss").toString("base64");
    expect(receiver.calls[0]?.headers.authorization).toBe(`Basic ${basic}`);
    expect(receiver.calls[0]?.path).toBe("/hook");
  });

  test("a webhook that nobody listens at has failed, in a sentence that shows no address", async () => {
    const url = `http://127.0.0.1:${await freePort()}/hook?key=hidden`;
    const sending = createWebhook({ ...options, url }).send(newBody());
    await expect(sending).rejects.toThrow(WebhookFailure);
    await expect(sending).rejects.toThrow(/^the webhook could not be reached \(ECONNREFUSED\)$/);
  });
});
