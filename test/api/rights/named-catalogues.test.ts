import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { Operation } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { MATRIX, type Row } from "../../support/api/matrix.ts";
import { newSchedule } from "../../support/api/schedules.ts";
import { call, newSubjects } from "../../support/api/subjects.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { tryUpgrade } from "../../support/try-upgrade.ts";
import { restricted } from "./rights-scene.ts";

const service = sharedService();
let owner: ApiClient;
let stranger: ApiClient;
let session: string;
/** An administrator's token for one other catalogue. */
let confined: ApiClient;
beforeAll(async () => {
  owner = await service.loginAs("editor");
  ({ client: stranger, token: session } = await (await newAccount(service, "editor")).signIn());
  const admin = (await (await newAccount(service, "admin")).signIn()).client;
  const { id } = await createCatalogue(owner);
  const { secret } = await newAccessToken(admin, { scopes: ["admin"], catalogues: [id] });
  confined = createApiClient(service.url, secret);
});

const all: readonly Operation[] = Object.values(operations);

const naming = all.flatMap(({ id, names = {} }) =>
  Object.keys(names).map((path) => [id as keyof typeof operations, path] as const),
);

/** A request of the matrix whose catalogue of that name is another: the first one where it names a list. */
function requestNaming(
  { request }: Row,
  path: string,
  subjects: Parameters<Row["request"]>[0],
  named: string,
): ReturnType<Row["request"]> {
  const [method, address, body] = request(subjects);
  const [part, member = "", ofEach] = path.split(".");
  if (part === "query") {
    const url = new URL(address, service.url);
    url.searchParams.set(member, named);
    return [method, `${url.pathname}${url.search}`, body];
  }
  const given = body as Readonly<Record<string, unknown>>;
  if (ofEach === undefined) return [method, address, { ...given, [member]: named }];
  const [first, ...others] = given[member] as readonly Readonly<Record<string, unknown>>[];
  return [method, address, { ...given, [member]: [{ ...first, [ofEach]: named }, ...others] }];
}

const LISTS: ReadonlySet<string> = new Set(["listImports", "listSchedules", "listAudit"]);

test("a restricted catalogue that a request names is to a stranger as one that is not there", async () => {
  const subjects = {
    ...(await newSubjects(service)),
    catalogue: (await createCatalogue(stranger)).id,
    otherCatalogue: (await createCatalogue(stranger)).id,
  };
  // With something of each kind that could be listed.
  const { id } = await restricted(owner);
  await newSchedule(owner, id);
  for (const [name, path] of naming) {
    const row = MATRIX[name];
    const client = row.level === "admin" ? confined : stranger;
    const shown = async (named: string) => {
      const request = requestNaming(row, path, subjects, named);
      if (operations[name].method === "GET" && "upgrade" in operations[name]) {
        const headers = { authorization: `Bearer ${session}` };
        return { status: await tryUpgrade(`${service.url}${request[1]}`, headers), body: "" };
      }
      const { status, body } = await call(client, request);
      return { status, body: JSON.stringify(body).replaceAll(named, "<id>") };
    };
    const answer = await shown(id);
    expect(answer, name).toEqual(await shown(randomUUID()));
    // A list of what is not there is empty; all else is refused.
    expect(answer.status, name).toBe(LISTS.has(name) ? 200 : 404);
    if (LISTS.has(name)) expect(answer.body).toMatch(/^(?:\[\]|\{"\w+":\[\](?:,"next":null)?\})$/);
  }
});

/** Those that name a catalogue which is looked for otherwise. */
const OTHERWISE = {
  // By parameters of the event service, at its root.
  fdsnQuery: "catalog",
  fdsnCount: "catalog",
  // A catalogue that is not there is invalid there.
  createToken: "catalogues",
  // Of decisions, whose catalogues are sources of the merge or unknown.
  previewRefresh: "catalogue_id",
  setDecisions: "catalogue_id",
  makeDecision: "catalogue_id",
} as const;

test("every operation whose body or query names catalogues says what it does with them", () => {
  const unsaid = all
    .filter((one) => one.names === undefined && namesCatalogue(one))
    .map(({ id }) => id);
  expect(unsaid.toSorted()).toEqual(Object.keys(OTHERWISE).toSorted());
});

function namesCatalogue(operation: Operation): boolean {
  const parts = [
    operation.body,
    operation.documentedBody,
    operation.query,
    operation.documentedQuery,
  ];
  return parts.some((schema) => {
    if (schema === undefined || typeof schema === "string") return false;
    const written = JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
    return /"(?:sourceCatalogues|catalog(?:ue)?(?:s|Id|_id)?)":\{/.test(written);
  });
}
