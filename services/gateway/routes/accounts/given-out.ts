import type { MadeShare } from "#contracts/http/shares.ts";
import type { Role } from "#contracts/roles.ts";
import { listSharesMadeBy } from "#projections/read/catalogues.ts";
import type { Reader } from "#projections/read/rights.ts";
import type { CommandContext } from "#services/commands/context.ts";

type GivenOut = { readonly tokensEnded: number; readonly shares: MadeShare[] };

/**
 * What an account had given out, for the answer to whatever makes it somebody's own again.
 * @param reader whoever gets the answer: the account's owner unless it is said otherwise
 */
export async function givenOut(
  { pool, now }: Pick<CommandContext, "pool" | "now">,
  tokensEnded: number,
  { id, role }: { readonly id: string; readonly role: Role },
  reader: Reader = { kind: "user", userId: id, role, catalogues: null },
): Promise<GivenOut> {
  return { tokensEnded, shares: [...(await listSharesMadeBy(pool, id, reader, now()))] };
}
