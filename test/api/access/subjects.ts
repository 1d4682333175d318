import type { ApiAnswer, ApiClient } from "../../support/api-client.ts";
import type { TestService } from "../../support/service.ts";
import { newAccount } from "../support/accounts.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { parkedNotification } from "../support/notifications.ts";
import { resetTokenOf } from "../support/reset-token.ts";
import type { Row, Subjects } from "./matrix.ts";

/** What the requests of the matrix are about, new for them. */
export async function newSubjects(service: TestService): Promise<Subjects> {
  const editor = await service.loginAs("editor");
  const { id: catalogue } = await createCatalogue(editor);
  const { id: otherCatalogue } = await createCatalogue(editor);
  const { body } = await editor.get<{ events: { id: string }[] }>(
    `/api/catalogues/${catalogue}/events`,
  );
  await editor.send("POST", "/api/sample");
  const shared = await editor.send<{ share: { id: string } }>(
    "POST",
    `/api/catalogues/${catalogue}/shares`,
    {},
  );
  const labelled = await editor.send<{ result: string }>(
    "POST",
    `/api/catalogues/${catalogue}/analytics/decluster`,
    { method: "gardner-knopoff" },
  );
  const { id: user, email, signIn } = await newAccount(service, "viewer");
  const { client } = await signIn();
  const form = { requestedRole: "editor", justification: "Analyst of the network" };
  const asked = await client.send<{ request: { id: string } }>("POST", "/api/role-requests", form);
  const notification = await parkedNotification(service.databaseUrl);
  return {
    catalogue,
    otherCatalogue,
    event: body.events[0]?.id ?? "",
    share: shared.body.share.id,
    labels: labelled.body.result,
    user,
    email,
    notification,
    roleRequest: asked.body.request.id,
    resetToken: await resetTokenOf(service, user),
  };
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
