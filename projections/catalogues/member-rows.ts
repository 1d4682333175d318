import { sql } from "slonik";
import type { CatalogueEventData } from "#contracts/domain-events/catalogue-events.ts";
import type { Transaction } from "../engine/projection.ts";

/** Rows of the table catalogue_members: a new member, or the new right of one. */
export async function setMember(
  transaction: Transaction,
  { catalogueId, memberId, kind, right }: CatalogueEventData<"MemberSet">,
): Promise<void> {
  await transaction.run(sql.unsafe`
    insert into catalogue_members (catalogue_id, member_id, kind, member_right)
    values (${catalogueId}, ${memberId}, ${kind}, ${right})
    on conflict (catalogue_id, member_id) do update set member_right = excluded.member_right`);
}

export async function removeMember(
  transaction: Transaction,
  { catalogueId, memberId }: CatalogueEventData<"MemberRemoved">,
): Promise<void> {
  await transaction.run(sql.unsafe`
    delete from catalogue_members where catalogue_id = ${catalogueId} and member_id = ${memberId}`);
}

/** Removes the members of a deleted catalogue, and remembers it where it was restricted. */
export async function deleteMembers(transaction: Transaction, catalogueId: string): Promise<void> {
  await transaction.run(sql.unsafe`
    delete from catalogue_members where catalogue_id = ${catalogueId}`);
  await transaction.run(sql.unsafe`
    insert into restricted_remains (catalogue_id)
    select id from catalogues where id = ${catalogueId} and is_restricted`);
}
