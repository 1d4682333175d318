import { Refusal } from "#contracts/errors.ts";
import { FirstAdministrator } from "#contracts/http/accounts/setup.ts";
import { validate } from "#infra/json/validation.ts";
import { type Asker, staying } from "#infra/kernel/fair-queue.ts";
import { isSetupCode } from "#infra/vault/tokens.ts";
import {
  alreadySetUp,
  createFirstAdministratorCommand,
  hasAdministrator,
} from "#services/commands/accounts/first-administrator.ts";
import { loadSampleCommand } from "#services/commands/catalogues/load-sample.ts";
import type { Command } from "#services/commands/context.ts";
import { sampleCatalogue } from "#services/domain/catalogues/sample.ts";
import { userOf } from "../accounts/register.ts";
import { createSignIn, type SignInNeeds } from "../accounts/sign-in.ts";
import { type CreateDeps, createFromBody } from "../catalogues/create-catalogue.ts";
import type { HandlerDeps, MakeHandler } from "../make-handler.ts";

type SetupDeps = Pick<HandlerDeps, "context" | "setupCode">;

/** @throws Refusal NOT_FOUND where there is nothing to set up, FORBIDDEN for a wrong code */
async function requireCode({ context, setupCode }: SetupDeps, code: unknown): Promise<void> {
  if (setupCode === null || (await hasAdministrator(context))) throw alreadySetUp();
  if (!isSetupCode(code, setupCode)) throw new Refusal("FORBIDDEN", "The code is not right");
}

export const loadSetupSampleHandler: MakeHandler<
  "loadSetupSample",
  "context" | "submissions" | "setupCode"
> =
  (deps) =>
  async ({ body, command, asker }) => {
    await requireCode(deps, body.code);
    return loadSample(deps, { ...command, actor: "system" }, asker);
  };

export const loadSampleHandler: MakeHandler<"loadSample", "context" | "submissions"> =
  (deps) =>
  ({ command, asker }) =>
    loadSample(deps, command, asker);

async function loadSample(deps: CreateDeps, command: Command, asker: Asker) {
  const body = Buffer.from(JSON.stringify(sampleCatalogue()));
  const catalogueId = await loadSampleCommand(deps.context, command, async (creation) => {
    const run = { ...staying(asker), onProgress: () => undefined };
    const { id } = await createFromBody(deps, creation, body, run);
    return id;
  });
  return { body: { catalogueId }, headers: { location: `/api/catalogues/${catalogueId}` } };
}

export const createFirstAdministratorHandler: MakeHandler<
  "createFirstAdministrator",
  SignInNeeds | "setupCode"
> = (deps) => {
  const signIn = createSignIn(deps);
  return async ({ body, command, network }) => {
    await requireCode(deps, body.code);
    const form = validate(FirstAdministrator, body);
    const account = await createFirstAdministratorCommand(deps.context, command, form);
    deps.context.logger.info({ userId: account.userId }, "first administrator created");
    const signedIn = await signIn({ ...form, network });
    return {
      body: { user: userOf(account) },
      ...(signedIn && { headers: { "set-cookie": signedIn.cookie } }),
    };
  };
};
