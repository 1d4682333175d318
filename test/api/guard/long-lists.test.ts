import { beforeAll, describe, expect, test } from "vitest";
import { administrator, newAccount } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const service = useService();
/** More than the lists have at the beginning. */
const MEMBERS = 5;

type Answer = { readonly nextCursor?: string } & Readonly<Record<string, unknown[]>>;
type LongList = {
  readonly path: string;
  readonly member: string;
  readonly client: ApiClient;
  /** Makes one more member, which comes first. */
  readonly add: () => Promise<unknown>;
};

const lists: Record<string, LongList> = {};
const listOf = (name: string): LongList => {
  const list = lists[name];
  if (list === undefined) throw new Error(name);
  return list;
};

beforeAll(async () => {
  const admin = await administrator(service);
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor);
  const catalogue = `/api/catalogues/${id}`;
  lists["versions"] = {
    path: `${catalogue}/versions`,
    member: "versions",
    client: editor,
    add: () => editor.send("POST", `${catalogue}/events`, { events: [seismicEvent()] }),
  };
  lists["users"] = {
    path: "/api/users",
    member: "users",
    client: admin,
    add: () => newAccount(service, "viewer"),
  };
  lists["role requests"] = {
    path: "/api/role-requests",
    member: "requests",
    client: admin,
    add: async () => {
      const { client } = await (await newAccount(service, "viewer")).signIn();
      const justification = "I review the network's catalogue.";
      await client.send("POST", "/api/role-requests", { requestedRole: "editor", justification });
    },
  };
  for (const { add } of Object.values(lists)) {
    for (let i = 0; i < MEMBERS; i += 1) await add();
  }
});

describe.each(["versions", "users", "role requests"])("the list of %s", (name) => {
  test(`the list of ${name} is read to its end in parts, without one that comes meanwhile`, async () => {
    const { path, member, client, add } = listOf(name);
    const whole = (await client.get<Answer>(path)).body;
    expect(whole).not.toHaveProperty("nextCursor");
    const parts: unknown[] = [];
    let cursor = "";
    do {
      const { status, body } = await client.get<Answer>(`${path}?limit=2${cursor}`);
      expect([status, body[member]?.length]).toEqual([
        200,
        body.nextCursor ? 2 : expect.any(Number),
      ]);
      parts.push(...(body[member] ?? []));
      if (cursor === "") await add();
      cursor = body.nextCursor === undefined ? "end" : `&cursor=${body.nextCursor}`;
    } while (cursor !== "end");
    expect(parts).toEqual(whole[member]);
    expect(parts.length).toBeGreaterThanOrEqual(MEMBERS);
  });

  test(`the list of ${name} refuses limits out of bounds and cursors of others`, async () => {
    const { path, client } = listOf(name);
    for (const limit of ["0", "1001", "x"]) {
      expectRefusal(await client.get(`${path}?limit=${limit}`), "VALIDATION_ERROR", "limit");
    }
    for (const other of Object.values(lists)) {
      const { nextCursor } = (await other.client.get<Answer>(`${other.path}?limit=1`)).body;
      const answer = await client.get(`${path}?cursor=${nextCursor}`);
      if (other.path === path) expect(answer.status).toBe(200);
      else expectRefusal(answer, "INVALID_CURSOR");
    }
    expectRefusal(await client.get(`${path}?cursor=abc`), "INVALID_CURSOR");
  });
});

test("a long time map leads from each part to the one before", async () => {
  const { path, client } = listOf("versions");
  const asMap = async (address: string) => {
    const { body } = await client.get<string>(address, { accept: "application/link-format" });
    const links = body.trimEnd().split(",\n");
    const target = (rel: string) => /<([^>]+)>/.exec(links.find((l) => l.includes(rel)) ?? "")?.[1];
    return { self: target('rel="self"'), before: target('rel="timemap"'), body };
  };
  const { body, self } = await asMap(`${path}?limit=3`);
  expect(self).toMatch(/\/versions$/);
  expect(body).toContain('rel="last memento"');
  expect(body).not.toContain("first");
  const { before } = await asMap(`${path}?limit=3`);
  const older = new URL(before ?? "");
  const rest = await asMap(`${older.pathname}${older.search}`);
  expect(rest.self).toBe(before);
  expect(rest.before).toBeUndefined();
  expect(rest.body).toContain('rel="first memento"');
  expect(rest.body).not.toContain("last");
});
