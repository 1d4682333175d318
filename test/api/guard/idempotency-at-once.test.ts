import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newAccount } from "../../support/api/accounts.ts";
import {
  catalogueForm,
  countNamed,
  createKeyed as create,
  keyed,
} from "../../support/api/keyed.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { runs } from "../../support/runs.ts";
import { useService } from "../../support/service.ts";

const service = useService();
const copy = useService({}, { copyOf: service });

describe("requests with one key at once", () => {
  test("requests with one key at once have one effect: one runs, the others are replayed or told to wait", async () => {
    const editor = await service.loginAs("editor");
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 12 }), fc.boolean(), async (count, repeat) => {
        const name = randomUUID();
        const headers = keyed();
        const send = () => create(editor, catalogueForm(name), headers);
        const answers = await Promise.all(Array.from({ length: count }, send));
        if (repeat) answers.push(await send());
        const done = answers.filter(({ status }) => status === 201);
        expect(new Set(done.map(({ body }) => body.id)).size).toBe(1);
        const replayed = done.filter(({ headers: h }) => h.has("idempotency-replayed"));
        expect(replayed).toHaveLength(done.length - 1);
        for (const answer of answers.filter((other) => !done.includes(other))) {
          expectRefusal(answer, "CONFLICT", "still running");
          expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
        }
        expect(await countNamed(createApiClient(service.url), name)).toBe(1);
      }),
      { numRuns: runs(15) },
    );
  });

  test("requests with one key at once have one effect over several copies of the gateway", async () => {
    const name = randomUUID();
    const headers = keyed();
    const token = await tokenOf();
    const clients = [service.url, copy.url].map((url) => createApiClient(url, token));
    const answers = await Promise.all(
      [...clients, ...clients, ...clients].map((client) =>
        create(client, catalogueForm(name), headers),
      ),
    );
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect(await countNamed(createApiClient(service.url), name)).toBe(1);
    for (const client of clients) {
      expect((await create(client, catalogueForm(name), headers)).status).toBe(201);
    }
    expect(await countNamed(createApiClient(service.url), name)).toBe(1);
  });
});

async function tokenOf(): Promise<string> {
  const { token } = await (await newAccount(service, "editor")).signIn();
  return token;
}
