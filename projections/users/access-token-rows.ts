import { sql } from "slonik";
import type { UserEventData } from "#contracts/domain-events/user-events.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import type { Transaction } from "../engine/projection.ts";
import type { EventChanging } from "./changed-row.ts";
import { decrypter } from "./decrypter.ts";

type AccessTokenEvent = EventChanging<"access token">;

/** Applies one event to its access token's row; `at` is the time of the decision, ISO 8601. */
export async function applyToAccessToken(
  transaction: Transaction,
  event: AccessTokenEvent,
  at: string,
): Promise<void> {
  switch (event.type) {
    case "AccessTokenCreated":
      return insertToken(transaction, event.data, at);
    case "AccessTokenEnded":
      await transaction.run(sql.unsafe`
        update access_tokens set ended_at = ${at} where id = ${event.data.tokenId}`);
      return;
    default:
      return unknownCase(event);
  }
}

export async function deleteAccessTokens(transaction: Transaction, userId: string): Promise<void> {
  await transaction.run(sql.unsafe`delete from access_tokens where user_id = ${userId}`);
}

async function insertToken(
  transaction: Transaction,
  data: UserEventData<"AccessTokenCreated">,
  at: string,
): Promise<void> {
  const { userId, tokenId, scopes, catalogues, secretHash, expiresAt } = data;
  const decrypt = await decrypter(transaction, userId);
  await transaction.run(sql.unsafe`
    insert into access_tokens
      (id, user_id, name, scopes, catalogues, secret_hash, ha1, created_at, expires_at)
    values (${tokenId}, ${userId}, ${decrypt(data.nameEncrypted)}, ${sql.array(scopes, "text")},
      ${catalogues && sql.array(catalogues, "uuid")}, decode(${secretHash}, 'hex'),
      ${decrypt(data.ha1Encrypted)}, ${at}, ${expiresAt})`);
}
