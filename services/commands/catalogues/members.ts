import type { MemberRight } from "#contracts/catalogue-rights.ts";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { candidates } from "#projections/read/catalogues.ts";
import { type MayOwn, removeMember, setMember } from "#services/domain/catalogues/access.ts";
import { type CatalogueState, existing } from "#services/domain/catalogues/catalogue.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnCatalogue, loadCatalogue } from "./catalogue-decision.ts";
import { whileOwnersStay } from "./last-owner.ts";

/**
 * Gives a user or a group a right; resolves when it holds.
 * @throws Refusal NOT_FOUND, CONFLICT
 */
export async function setMemberCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  memberId: string,
  right: MemberRight,
): Promise<void> {
  const candidate = await memberOf(context, memberId);
  const member = { memberId, kind: candidate.kind, right };
  await decide(context, command, catalogueId, (state, mayOwn) => setMember(state, member, mayOwn));
}

/** @throws Refusal NOT_FOUND, CONFLICT */
export async function removeMemberCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  memberId: string,
): Promise<void> {
  await memberOf(context, memberId);
  await decide(context, command, catalogueId, (state, mayOwn) =>
    removeMember(state, memberId, mayOwn),
  );
}

function decide(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  make: (state: CatalogueState, mayOwn: MayOwn) => readonly CatalogueEvent[],
): Promise<void> {
  return whileOwnersStay(context, async () => {
    const mayOwn = await ownersOf(context, catalogueId);
    const { position } = await decideOnCatalogue(context, command, catalogueId, (state) =>
      make(state, mayOwn),
    );
    await context.untilVisible("catalogues", position);
  });
}

/** Ids that PostgreSQL can store, and that are not longer than any. */
const ID = /^[\w-]{1,100}$/;

/** @throws Refusal NOT_FOUND for one who is there no more */
async function memberOf({ pool }: Pick<CommandContext, "pool">, memberId: string) {
  const known = ID.test(memberId) ? await candidates(pool, [memberId]) : null;
  const candidate = known?.get(memberId);
  if (candidate === undefined) throw new Refusal("NOT_FOUND", "User or group not found");
  return candidate;
}

/** Whether owners may own still, which the catalogue's own stream does not tell. */
async function ownersOf(context: CommandContext, catalogueId: string): Promise<MayOwn> {
  const { state } = await loadCatalogue(context, catalogueId);
  const owners = [...existing(state).members].filter(([, { right }]) => right === "own");
  const known = await candidates(
    context.pool,
    owners.map(([id]) => id),
  );
  return (id) => known.get(id)?.mayOwn ?? false;
}
