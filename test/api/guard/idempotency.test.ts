import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { newAccount, PASSWORD } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import {
  catalogueForm,
  countNamed,
  createKeyed as create,
  keyed,
} from "../../support/api/keyed.ts";
import { countLogRows } from "../../support/api/log-rows.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { type ApiAnswer, createApiClient } from "../../support/api-client.ts";
import { withClient } from "../../support/database-template.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();

function expectReplay(answer: ApiAnswer, first: ApiAnswer): void {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: first.status,
    body: first.body,
  });
  expect(answer.headers.get("idempotency-replayed")).toBe("true");
  for (const name of ["etag", "location", "content-type"]) {
    expect(answer.headers.get(name)).toBe(first.headers.get(name));
  }
}

describe("a write with an Idempotency-Key", () => {
  test("a write with an Idempotency-Key is done once: the same request gets the first answer again", async () => {
    const editor = await service.loginAs("editor");
    const name = randomUUID();
    const headers = keyed();
    const first = await create(editor, catalogueForm(name), headers);
    expect(first.status).toBe(201);
    expect(first.headers.has("idempotency-replayed")).toBe(false);
    const before = await countLogRows(service);
    expectReplay(await create(editor, catalogueForm(name), headers), first);
    expect(await countLogRows(service)).toBe(before);
    expect(await countNamed(createApiClient(service.url), name)).toBe(1);
  });

  test.each([
    ["PATCH", "", { name: "renamed by key" }],
    ["DELETE", "", undefined],
    ["POST", "/events", { events: [seismicEvent({ magnitude: 2 })] }],
  ] as const)(
    "a write with an Idempotency-Key is done once by %s of a catalogue%s",
    async (method, path, body) => {
      const editor = await service.loginAs("editor");
      const { id } = await createCatalogue(editor);
      const headers = keyed();
      const send = () => editor.send(method, `/api/catalogues/${id}${path}`, body, headers);
      const first = await send();
      expect(first.status).toBe(200);
      const before = await countLogRows(service);
      expectReplay(await send(), first);
      expect(await countLogRows(service)).toBe(before);
    },
  );

  test("a write with an Idempotency-Key gets a refusal again as it was, whatever has changed since", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor);
    const headers = { ...keyed(), "if-match": '"other"' };
    const rename = () => editor.send("PATCH", `/api/catalogues/${id}`, { name: "x" }, headers);
    const first = await rename();
    expectRefusal(first, "PRECONDITION_FAILED");
    expectReplay(await rename(), first);
  });

  test.each([
    { what: "body", path: (id: string) => `/api/catalogues/${id}`, name: "b" },
    { what: "path", path: () => `/api/catalogues/${randomUUID()}`, name: "a" },
  ])("a write with an Idempotency-Key is 409 with another $what", async ({ path, name }) => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor);
    const headers = keyed();
    const first = await editor.send("PATCH", `/api/catalogues/${id}`, { name: "a" }, headers);
    expect(first.status).toBe(200);
    const other = await editor.send("PATCH", path(id), { name }, headers);
    expectRefusal(other, "CONFLICT", "Idempotency-Key");
  });

  test("a write with an Idempotency-Key has nothing to do with the same key of another user", async () => {
    const headers = keyed();
    const name = randomUUID();
    for (const role of ["editor", "admin"] as const) {
      const answer = await create(await service.loginAs(role), catalogueForm(name), headers);
      expect(answer.status).toBe(201);
      expect(answer.headers.has("idempotency-replayed")).toBe(false);
    }
    expect(await countNamed(createApiClient(service.url), name)).toBe(2);
  });

  test("a write with an Idempotency-Key is not replayed to who may not write any more", async () => {
    const { id, signIn } = await newAccount(service, "editor");
    const { client } = await signIn();
    const headers = keyed();
    expect((await create(client, catalogueForm(), headers)).status).toBe(201);
    const admin = await service.loginAs("admin");
    await admin.send("PATCH", `/api/users/${id}`, { role: "viewer" });
    expectRefusal(await create(client, catalogueForm(), headers), "FORBIDDEN");
  });

  test.each([
    ["empty", ""],
    ["longer than 255 characters", "x".repeat(256)],
    ["with a space", "a b"],
    ["beyond ASCII", "\u00e9"],
  ])(
    "a write with an Idempotency-Key is 400 when the key is %s, and nothing is written",
    async (_title, key) => {
      const editor = await service.loginAs("editor");
      const before = await countLogRows(service);
      const answer = await create(editor, catalogueForm(), keyed(key));
      expectRefusal(answer, "VALIDATION_ERROR", "Idempotency-Key");
      expect(await countLogRows(service)).toBe(before);
    },
  );

  test("a write with an Idempotency-Key takes a key of 255 visible ASCII characters", async () => {
    const editor = await service.loginAs("editor");
    const headers = keyed(`!~${"x".repeat(253)}`);
    const first = await create(editor, catalogueForm(), headers);
    expectReplay(await create(editor, catalogueForm(), headers), first);
  });

  test("a write with an Idempotency-Key is done anew after 24 hours, and older keys are forgotten then", async () => {
    const editor = await service.loginAs("editor");
    const headers = keyed();
    const first = await create(editor, catalogueForm(), headers);
    await age(headers["idempotency-key"], "23 hours 59 minutes");
    expectReplay(await create(editor, catalogueForm(), headers), first);
    await age(headers["idempotency-key"], "24 hours 1 second");
    const second = await create(editor, catalogueForm("other body"), headers);
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
  });

  test("a write with an Idempotency-Key keeps neither the password nor a hash of it that could be guessed", async () => {
    const { signIn } = await newAccount(service, "viewer");
    const { client } = await signIn();
    await client.send("POST", "/api/auth/logout", { password: PASSWORD }, keyed());
    const login = { email: "admin@example.org", password: "a long admin password" };
    const guest = createApiClient(service.url);
    const key = keyed();
    for (let i = 0; i < 2; i += 1) {
      const answer = await guest.send("POST", "/api/auth/login", login, key);
      expect(answer.status).toBe(200);
      expect(answer.headers.has("idempotency-replayed")).toBe(false);
    }
    const kept = await withClient(service.databaseUrl, async (db) => {
      const { rows } = await db.query<{ row: string }>(
        "select k::text as row from vault.idempotency_keys k",
      );
      return rows.map(({ row }) => row).join("\n");
    });
    expect(kept).not.toContain(PASSWORD);
    expect(kept).not.toContain(login.password);
    expect(kept).not.toMatch(/eyJ[\w-]+\./);
  });
});

async function age(key: string, interval: string): Promise<void> {
  await withClient(service.databaseUrl, (db) =>
    db.query("update vault.idempotency_keys set created_at = now() - $2::interval where key = $1", [
      key,
      interval,
    ]),
  );
}
