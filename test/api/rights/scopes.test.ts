import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { includesScope, SCOPES } from "#contracts/access-scopes.ts";
import { addressesOf, type Operation, scopeOf } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { MATRIX } from "../access/matrix/matrix.ts";
import { LEVELS, type Row, type Subjects } from "../access/matrix/row.ts";
import { call, newSubjects } from "../access/subjects.ts";
import { mergeForm } from "../merge/merge-scene.ts";
import { newAccessToken } from "../support/access-tokens.ts";
import { newAccount } from "../support/accounts.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";
import { giveRight, restricted } from "./rights-scene.ts";

const service = useService();
const names = Object.keys(operations) as (keyof typeof operations)[];

let subjects: Subjects;
const clients = new Map<string, ApiClient>();

beforeAll(async () => {
  // As the matrix has it.
  await (await service.loginAs("editor")).send("POST", "/api/sample");
  subjects = await newSubjects(service);
  const { client } = await (await newAccount(service, "admin")).signIn();
  for (const scope of SCOPES) {
    const { secret } = await newAccessToken(client, { scopes: [scope] });
    clients.set(scope, createApiClient(service.url, secret));
  }
});

/** As whom a token for a scope acts. */
const REACH = { read: "viewer", write: "editor", admin: "admin", metrics: "public" } as const;

describe.each(SCOPES)("an administrator's access token for %s", (scope) => {
  test.each(names)("calls %s if its scope is enough", async (name) => {
    const operation: Operation = operations[name];
    const { request, level, success, successOf }: Row = MATRIX[name];
    const needed = scopeOf(operation, operation.access);
    // Nobody is asked who probes, reads metrics on the service's own machine, or looks for an institute's sign-in.
    const isAsked = operation.rate !== "none" && operation.needs === undefined;
    const isOpen = operation.access === "share" || !isAsked;
    const isEnough = isOpen || (needed !== "session" && includesScope([scope], needed));
    const client = clients.get(scope) as ApiClient;
    if (!isEnough) {
      const { status, body } = await call(client, request(subjects));
      // The event service answers in text.
      expect({ status, body: JSON.stringify(body) }).toEqual({
        status: 403,
        body: expect.stringContaining("access token"),
      });
      return;
    }
    const reach = REACH[scope];
    const isChanging = operation.method !== "GET";
    const answer = await call(
      client,
      request(isChanging ? await newSubjects(service, request) : subjects),
    );
    // What owners and administrators do is not an editor's; what writes nothing is everybody's by a token.
    const isReading = isChanging && needed === "read";
    const isAbove = !isOpen && LEVELS.indexOf(level) > LEVELS.indexOf(reach) && !isReading;
    // Whoever is an administrator has no higher role to ask for.
    const role = name === "submitRoleRequest" ? "admin" : reach;
    if (isAbove) expectRefusal(answer, "FORBIDDEN");
    else expect(answer.status, JSON.stringify(answer.body)).toBe(successOf?.[role] ?? success);
  });
});

describe("an administrator's access token that is not for administering", () => {
  test.each(["read", "write"] as const)(
    "for %s finds a restricted catalogue where its owner is a member alone",
    async (scope) => {
      const { id: administrator, signIn } = await newAccount(service, "admin");
      const { client: admin } = await signIn();
      const { secret } = await newAccessToken(admin, { scopes: [scope] });
      const script = createApiClient(service.url, secret);
      const name = `hidden ${randomUUID()}`;
      const owner = await service.loginAs("editor");
      const { id } = await restricted(owner, { name });
      const source = await createCatalogue(owner, { access: "public" });
      const form = mergeForm([id, source.id].map((one) => ({ id: one, source: name })));
      type Merged = { catalogueId: string };
      const { body } = await owner.send<Merged>("POST", "/api/merge", {
        ...form,
        access: "public",
      });
      const merged = `/api/catalogues/${body.catalogueId}`;
      const shown = async () => {
        const [listed, read, sources, job] = await Promise.all([
          script.get<{ total: number }>(`/api/catalogues?search=${encodeURIComponent(name)}`),
          script.get(`/api/catalogues/${id}/events`),
          script.get(merged),
          script.get(`/api/import/history?catalogueId=${id}`),
        ]);
        return {
          total: listed.body.total,
          read: read.status,
          told: JSON.stringify(sources.body).includes(id),
          job: job.status,
        };
      };
      expect(await shown()).toMatchObject({ total: 0, read: 404, told: false });
      await giveRight(owner, id, administrator, "read");
      expect(await shown()).toMatchObject({ total: 1, read: 200, told: true });
    },
  );

  test("gives nobody rights, and is told the right of an editor", async () => {
    const { signIn } = await newAccount(service, "admin");
    const { secret } = await newAccessToken((await signIn()).client, { scopes: ["write"] });
    const script = createApiClient(service.url, secret);
    const { id } = await createCatalogue(await service.loginAs("editor"));
    const { id: viewer } = await newAccount(service, "viewer");
    const path = `/api/catalogues/${id}`;
    expectRefusal(
      await script.send("PUT", `${path}/members/${viewer}`, { right: "own" }),
      "FORBIDDEN",
    );
    expectRefusal(await script.send("PATCH", path, { editing: "members" }), "FORBIDDEN");
    expectRefusal(await script.send("PATCH", path, { access: "restricted" }), "FORBIDDEN");
    expect((await script.get(`${path}/right`)).body).toEqual({ right: "edit" });
    expect((await script.send("PATCH", path, { name: "Another" })).status).toBe(200);
  });
});

test("sessions alone make tokens, change passwords and end sessions", () => {
  const ofSessions = names.filter((name) => {
    const operation: Operation = operations[name];
    return addressesOf(operation).some(({ access }) => scopeOf(operation, access) === "session");
  });
  expect(ofSessions.toSorted()).toEqual(["changePassword", "createToken", "logout"]);
});

test("every change but of one's own account needs the scope write, or admin where administrators alone may", () => {
  const weak = names.filter((name) => {
    const operation: Operation = operations[name];
    return operation.method !== "GET" && scopeOf(operation, operation.access) === "read";
  });
  // What guests may do too, and what writes nothing.
  expect(weak.filter((name) => operations[name].access !== "public").toSorted()).toEqual([
    "evaluateMerge",
    "findDuplicates",
    "previewMerge",
    "previewRefresh",
  ]);
});
