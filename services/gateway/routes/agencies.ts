import { Refusal } from "#contracts/errors.ts";
import type { Agency } from "#contracts/http/agencies.ts";
import type { Agencies } from "#services/agencies/agencies.ts";
import {
  createAgencyCommand,
  deleteAgencyCommand,
  updateAgencyCommand,
} from "#services/commands/agencies/agency-commands.ts";
import type { MakeHandler } from "./make-handler.ts";

export const listAgenciesHandler: MakeHandler<"listAgencies", "agencies"> =
  ({ agencies }) =>
  async () => ({ body: { agencies: [...(await agencies.list())] } });

export const createAgencyHandler: MakeHandler<"createAgency", "context" | "agencies"> =
  (deps) =>
  async ({ command, body: { id, ...settings } }) => {
    await createAgencyCommand(deps, command, id, settings);
    return {
      body: { agency: await existing(deps.agencies, id) },
      headers: { location: `/api/agencies/${id}` },
    };
  };

export const updateAgencyHandler: MakeHandler<"updateAgency", "context" | "agencies"> =
  (deps) =>
  async ({ command, params: { id }, body }) => {
    const given = Object.entries(body).filter(([, value]) => value !== undefined);
    await updateAgencyCommand(deps, command, id, Object.fromEntries(given));
    return { body: { agency: await existing(deps.agencies, id) } };
  };

export const deleteAgencyHandler: MakeHandler<"deleteAgency", "context" | "agencies"> =
  (deps) =>
  async ({ command, params: { id } }) => {
    await deleteAgencyCommand(deps, command, id);
    return { body: { success: true } };
  };

/** @throws Refusal NOT_FOUND */
async function existing(agencies: Agencies, id: string): Promise<Agency> {
  const agency = await agencies.find(id);
  if (agency === null) throw new Refusal("NOT_FOUND", "Agency not found");
  return agency;
}
