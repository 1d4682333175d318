import type { Lookups } from "#infra/postgres/statements.ts";
import { findUser } from "#projections/read/accounts.ts";
import { catalogueFacts, type Reader } from "#projections/read/rights.ts";
import { mayChange } from "#services/domain/catalogues/access.ts";

type OfMaker = { readonly maker: string; readonly catalogueId: string };

/** Why a schedule's maker may import into its catalogue no longer, a sentence; null where he may. */
export async function whyMakerMayNot(lookups: Lookups, of: OfMaker): Promise<string | null> {
  const rights = await makerRights(lookups, of);
  return typeof rights === "string" ? rights : null;
}

/** The maker of what changes a catalogue by itself, as its reader; a sentence where he may change it no longer. */
export async function makerRights(
  lookups: Lookups,
  { maker, catalogueId }: OfMaker,
): Promise<Reader | string> {
  const user = await findUser(lookups, maker);
  if (user === null) return "The account of its maker was deleted";
  if (!user.is_active) return "The account of its maker is not active";
  const { role } = user;
  const reader = { kind: "user", userId: maker, role, catalogues: null } as const;
  const facts = await catalogueFacts(lookups, catalogueId, reader);
  const may = facts !== null && mayChange(role, facts);
  return may ? reader : "Its maker may not change the catalogue any more";
}
