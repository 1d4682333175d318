import { randomUUID } from "node:crypto";
import type { ApiAnswer, ApiClient } from "../api-client.ts";
import type { TestService } from "../service.ts";
import { newAccessToken } from "./access-tokens.ts";
import { newAccount } from "./accounts.ts";
import { SOME_AGENCY } from "./agencies.ts";
import { createCatalogue } from "./catalogue.ts";
import { MATRIX, type Row, SQUARE, type Subjects } from "./matrix.ts";
import { parkedNotification } from "./notifications.ts";
import { resetTokenOf } from "./reset-token.ts";
import { newSchedule } from "./schedules.ts";

type Name = keyof Subjects;

type IsAbout = (...some: readonly Name[]) => boolean;

/** The subjects that a request is about. */
function namesIn(request: Row["request"]): ReadonlySet<string | symbol> {
  const names = new Set<string | symbol>();
  const subjects = new Proxy({} as Subjects, {
    get(_, name) {
      names.add(name);
      return "";
    },
  });
  request(subjects);
  return names;
}

/**
 * What the requests of the matrix are about, new for them.
 * @param request makes only those that it is about; the others are empty
 */
export async function newSubjects(
  service: TestService,
  request?: Row["request"],
): Promise<Subjects> {
  const names = request && namesIn(request);
  const isAbout: IsAbout = (...some) => names === undefined || some.some((name) => names.has(name));
  const ofCatalogue = await catalogueSubjects(service, isAbout);
  return {
    ...ofCatalogue,
    group: isAbout("group") ? await newGroup(service, ofCatalogue.catalogue) : "",
    agency: isAbout("agency") ? await newAgency(service) : "",
    region: isAbout("region") ? await newRegion(service) : "",
    ...(await accountSubjects(service, isAbout)),
    notification: isAbout("notification") ? await parkedNotification(service.databaseUrl) : "",
  };
}

type CatalogueSubjects = Pick<
  Subjects,
  "catalogue" | "otherCatalogue" | "event" | "share" | "schedule" | "merge" | "decision" | "labels"
>;

async function catalogueSubjects(
  service: TestService,
  isAbout: IsAbout,
): Promise<CatalogueSubjects> {
  const others = { event: "", share: "", schedule: "", merge: "", decision: "", labels: "" };
  const subjects = { catalogue: "", otherCatalogue: "", ...others };
  const editor = await service.loginAs("editor");
  if (isAbout("otherCatalogue", "merge", "decision"))
    subjects.otherCatalogue = (await createCatalogue(editor)).id;
  if (!isAbout("catalogue", "event", "share", "schedule", "merge", "decision", "labels"))
    return subjects;
  subjects.catalogue = (await createCatalogue(editor)).id;
  const path = `/api/catalogues/${subjects.catalogue}`;
  if (isAbout("event")) {
    const { body } = await editor.get<{ events: { id: string }[] }>(`${path}/events`);
    subjects.event = body.events[0]?.id ?? "";
  }
  if (isAbout("share")) {
    type Shared = { share: { id: string } };
    subjects.share = (await editor.send<Shared>("POST", `${path}/shares`, {})).body.share.id;
  }
  if (isAbout("schedule")) subjects.schedule = await newSchedule(editor, subjects.catalogue);
  if (isAbout("merge", "decision"))
    Object.assign(subjects, await newMerge(editor, subjects as Subjects));
  if (isAbout("labels")) {
    const form = { method: "gardner-knopoff" };
    const labelled = await editor.send<{ result: string }>(
      "POST",
      `${path}/analytics/decluster`,
      form,
    );
    subjects.labels = labelled.body.result;
  }
  return subjects;
}

/** A merge of both catalogues with a decision on their first events. */
async function newMerge(
  editor: ApiClient,
  subjects: Subjects,
): Promise<Pick<Subjects, "merge" | "decision">> {
  const [, , form] = MATRIX.mergeCatalogues.request(subjects);
  const { catalogue, otherCatalogue } = subjects;
  type Merged = { catalogueId: string };
  const { catalogueId } = (await editor.send<Merged>("POST", "/api/merge", form)).body;
  const events = [];
  for (const id of [catalogue, otherCatalogue]) {
    type Events = { events: { id: string }[] };
    const { body } = await editor.get<Events>(`/api/catalogues/${id}/events`);
    events.push({ catalogue_id: id, event_id: body.events[0]?.id });
  }
  type Made = { decision: { id: string } };
  const path = `/api/catalogues/${catalogueId}/merge/decisions`;
  const { body } = await editor.send<Made>("POST", path, { type: "same", events });
  return { merge: catalogueId, decision: body.decision.id };
}

async function newGroup(service: TestService, catalogue: string): Promise<string> {
  const admin = await service.loginAs("admin");
  type Made = { group: { id: string } };
  const { body } = await admin.send<Made>("POST", "/api/groups", { name: "Analysts" });
  const { id } = body.group;
  const path = `/api/catalogues/${catalogue}/members/${id}`;
  if (catalogue !== "") await admin.send("PUT", path, { right: "read" });
  return id;
}

async function newRegion(service: TestService): Promise<string> {
  const editor = await service.loginAs("editor");
  const form = { name: "A square", geometry: SQUARE };
  return (await editor.send<{ region: { id: string } }>("POST", "/api/regions", form)).body.region
    .id;
}

async function newAgency(service: TestService): Promise<string> {
  const admin = await service.loginAs("admin");
  const id = randomUUID();
  await admin.send("POST", "/api/agencies", { ...SOME_AGENCY, id });
  return id;
}

type AccountSubjects = Pick<
  Subjects,
  "user" | "email" | "roleRequest" | "accessToken" | "resetToken"
>;

async function accountSubjects(service: TestService, isAbout: IsAbout): Promise<AccountSubjects> {
  if (!isAbout("user", "email", "roleRequest", "accessToken", "resetToken")) {
    return { user: "", email: "", roleRequest: "", accessToken: "", resetToken: "" };
  }
  const { id: user, email, signIn } = await newAccount(service, "viewer");
  return {
    user,
    email,
    roleRequest: isAbout("roleRequest") ? await requestRole((await signIn()).client) : "",
    accessToken: isAbout("accessToken") ? await tokenId((await signIn()).client) : "",
    resetToken: isAbout("resetToken") ? await resetTokenOf(service, user) : "",
  };
}

async function tokenId(client: ApiClient): Promise<string> {
  return (await newAccessToken(client)).id;
}

async function requestRole(client: ApiClient): Promise<string> {
  const form = { requestedRole: "editor", justification: "Analyst of the network" };
  type Requested = { request: { id: string } };
  return (await client.send<Requested>("POST", "/api/role-requests", form)).body.request.id;
}

/** Whether a request of the matrix leaves nothing of what it is about that it could be about once more. */
export function spends(name: string): boolean {
  return /^(?:delete|remove|end|withdraw|restore|run|reset|review|retry)|Declustered$|Labels$/.test(
    name,
  );
}

export function call(client: ApiClient, request: ReturnType<Row["request"]>): Promise<ApiAnswer> {
  const [method, path, body] = request;
  if (/\/feed(?:\?|$)/.test(path)) return begun(client, path);
  return method === "GET" ? client.get(path) : client.send(method, path, body);
}

/** The head of an answer that has no end; a refusal is whole. */
async function begun(client: ApiClient, path: string): Promise<ApiAnswer> {
  const answer = await client.stream(path);
  const { status, headers } = answer;
  if (status >= 400) return { status, headers, body: await answer.json() };
  await answer.body?.cancel();
  return { status, headers, body: "" };
}
