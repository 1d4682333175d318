import { beforeAll, describe, expect, test } from "vitest";
import { includesScope, SCOPES } from "#contracts/access-scopes.ts";
import { addressesOf, type Operation, scopeOf } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { MATRIX } from "../access/matrix/matrix.ts";
import type { Row, Subjects } from "../access/matrix/row.ts";
import { call, newSubjects } from "../access/subjects.ts";
import { newAccessToken } from "../support/access-tokens.ts";
import { newAccount } from "../support/accounts.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = useService();
const names = Object.keys(operations) as (keyof typeof operations)[];

let subjects: Subjects;
const clients = new Map<string, ApiClient>();

beforeAll(async () => {
  subjects = await newSubjects(service);
  const { client } = await (await newAccount(service, "admin")).signIn();
  for (const scope of SCOPES) {
    const { secret } = await newAccessToken(client, { scopes: [scope] });
    clients.set(scope, createApiClient(service.url, secret));
  }
});

describe.each(SCOPES)("an administrator's access token for %s", (scope) => {
  test.each(names)("calls %s if its scope is enough", async (name) => {
    const operation: Operation = operations[name];
    const { request, success, successOf }: Row = MATRIX[name];
    const needed = scopeOf(operation, operation.access);
    // Whoever is on the service's own machine reads metrics.
    const isOpen = operation.access === "share" || operation.access === "operators";
    const isEnough = isOpen || (needed !== "session" && includesScope([scope], needed));
    const client = clients.get(scope) as ApiClient;
    if (!isEnough)
      expectRefusal(await call(client, request(subjects)), "FORBIDDEN", "access token");
    else if (operation.method === "GET") {
      expect((await call(client, request(subjects))).status).toBe(successOf?.admin ?? success);
    }
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
