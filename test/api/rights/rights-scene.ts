import type { CatalogueAccess, Editing, MemberRight } from "#contracts/rights.ts";
import { newAccount } from "../../support/api/accounts.ts";
import {
  type CreatedCatalogue,
  createCatalogue,
  seismicEvent,
} from "../../support/api/catalogue.ts";
import type { ApiClient } from "../../support/api-client.ts";
import type { TestService } from "../../support/service.ts";

export type Person = { readonly id: string; readonly client: ApiClient };

export async function person(
  service: TestService,
  role: "viewer" | "editor" | "admin",
): Promise<Person> {
  const { id, signIn } = await newAccount(service, role);
  return { id, client: (await signIn()).client };
}

type RightsForm = {
  readonly name?: string;
  readonly access?: CatalogueAccess;
  readonly editing?: Editing;
  readonly events?: readonly unknown[];
};

/** A restricted catalogue with one event, unless the form says otherwise. */
export function restricted(owner: ApiClient, form: RightsForm = {}): Promise<CreatedCatalogue> {
  return createCatalogue(owner, {
    name: "Nobody else's",
    access: "restricted",
    events: [seismicEvent()],
    ...form,
  });
}

/** Makes a user or a group a member. */
export async function giveRight(
  owner: ApiClient,
  catalogue: string,
  member: string,
  right: MemberRight,
): Promise<number> {
  const path = `/api/catalogues/${catalogue}/members/${member}`;
  return (await owner.send("PUT", path, { right })).status;
}

export async function newGroup(
  admin: ApiClient,
  members: readonly string[],
  name = "Analysts",
): Promise<string> {
  type Made = { group: { id: string } };
  const { body } = await admin.send<Made>("POST", "/api/groups", { name, members });
  return body.group.id;
}
