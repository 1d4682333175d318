import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "#contracts/http/table/operations.ts";
import { takesIdempotencyKey } from "#services/gateway/http/headers/idempotency-key.ts";
import { administrator, newAccount, type TestAccount } from "../../support/api/accounts.ts";
import { catalogueForm, createKeyed, keyed } from "../../support/api/keyed.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { withClient } from "../../support/database-template.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const NAME = "Unmistakable Name";
const JUSTIFICATION = "Unmistakable reasons of mine";
const NOTES = "Unmistakable notes of theirs";

let admin: ApiClient;
beforeAll(async () => {
  admin = await administrator(service);
});

/** Every kept answer as the table has it, as one text. */
function keptText(): Promise<string> {
  return withClient(service.databaseUrl, async (db) => {
    const { rows } = await db.query<{ row: string }>(
      "select k::text as row from vault.idempotency_keys k",
    );
    return rows.map(({ row }) => row).join("\n");
  });
}

/** Whether the answer to this key is kept. */
function isKept(key: string): Promise<boolean> {
  return withClient(service.databaseUrl, async (db) => {
    const text = "select from vault.idempotency_keys where key = $1 and status is not null";
    return (await db.query(text, [key])).rowCount === 1;
  });
}

/** The writes whose answers tell of a user, done by an administrator and by the user. */
async function writesAbout({ id, signIn }: TestAccount) {
  const { client } = await signIn();
  const sent: { key: string; replay: () => Promise<unknown> }[] = [];
  async function send(by: ApiClient, ...[method, path, body]: Parameters<ApiClient["send"]>) {
    const headers = keyed();
    const answer = await by.send<{ request: { id: string } }>(method, path, body, headers);
    expect(answer.status).toBeLessThan(300);
    const replay = async () => {
      const again = await by.send(method, path, body, headers);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(again.status).toBe(answer.status);
      expect(again.body).toEqual(answer.body);
    };
    sent.push({ key: headers["idempotency-key"], replay });
    return answer.body;
  }
  await send(admin, "PATCH", `/api/users/${id}`, { name: NAME });
  const form = { requestedRole: "editor", justification: JUSTIFICATION };
  const { request } = await send(client, "POST", "/api/role-requests", form);
  const review = { status: "approved", adminNotes: NOTES };
  await send(admin, "PATCH", `/api/role-requests/${request.id}`, review);
  return sent;
}

describe("an answer that is kept for its Idempotency-Key", () => {
  test("an answer that is kept for its Idempotency-Key is replayed, and cannot be read in the database", async () => {
    const account = await newAccount(service, "viewer");
    for (const { replay } of await writesAbout(account)) await replay();
    const kept = await keptText();
    for (const secret of [account.email, NAME, JUSTIFICATION, NOTES, "justification"]) {
      expect(kept).not.toContain(secret);
    }
  });

  test("an answer that is kept for its Idempotency-Key goes with the user it is about, whoever got it; that of the deletion stays", async () => {
    const account = await newAccount(service, "viewer");
    const writes = await writesAbout(account);
    for (const { key } of writes) expect(await isKept(key)).toBe(true);
    const headers = keyed();
    const remove = () => admin.send("DELETE", `/api/users/${account.id}`, undefined, headers);
    const first = await remove();
    expect(first.status).toBe(200);
    for (const { key } of writes) expect(await isKept(key)).toBe(false);
    const again = await remove();
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
  });

  test("an answer that is kept for its Idempotency-Key goes with the user whom it made", async () => {
    const key = randomUUID();
    const form = { email: `${key}@example.org`, name: NAME };
    const made = await admin.send<{ user: { id: string } }>("POST", "/api/users", form, keyed(key));
    expect(made.status).toBe(201);
    expect(await isKept(key)).toBe(true);
    expect(await keptText()).not.toContain(form.email);
    await admin.send("DELETE", `/api/users/${made.body.user.id}`);
    expect(await isKept(key)).toBe(false);
  });

  test("an answer that is kept for its Idempotency-Key goes with the user who got it", async () => {
    const { id, signIn } = await newAccount(service, "editor");
    const key = randomUUID();
    const created = await createKeyed((await signIn()).client, catalogueForm(), keyed(key));
    expect(created.status).toBe(201);
    expect(await isKept(key)).toBe(true);
    await admin.send("DELETE", `/api/users/${id}`);
    expect(await isKept(key)).toBe(false);
  });
});

test("no other write that takes a key answers what tells of a person", () => {
  const telling = Object.values(operations)
    .filter((operation) => takesIdempotencyKey(operation))
    .filter(({ success }) => /"(?:\w*email|user_name|justification)"/.test(json(success.schema)))
    .map(({ id }) => id);
  expect(telling.sort()).toEqual([
    "createUser",
    "reviewRoleRequest",
    "submitRoleRequest",
    "updateUser",
  ]);
});

function json(schema: import("zod").z.ZodType): string {
  return JSON.stringify(schema.toJSONSchema({ io: "input", unrepresentable: "any" }));
}
