import { sql } from "slonik";
import type { GroupEvent } from "#contracts/domain-events/group-events.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import type { Transaction } from "../engine/projection.ts";

/** Applies one event to its group's rows; `at` is the time of the decision, ISO 8601. */
export async function applyToGroup(
  transaction: Transaction,
  { type, data }: GroupEvent,
  at: string,
): Promise<void> {
  const { groupId } = data;
  switch (type) {
    case "GroupCreated":
      await transaction.run(sql.unsafe`
        insert into groups (id, name, created_at, updated_at)
        values (${groupId}, ${data.name}, ${at}, ${at})`);
      return setMembers(transaction, groupId, data.members);
    case "GroupRenamed":
      await transaction.run(sql.unsafe`
        update groups set name = ${data.name}, updated_at = ${at} where id = ${groupId}`);
      return;
    case "GroupMembersChanged":
      await transaction.run(sql.unsafe`
        update groups set updated_at = ${at} where id = ${groupId}`);
      return setMembers(transaction, groupId, data.members);
    case "GroupDeleted":
      await transaction.run(sql.unsafe`delete from groups where id = ${groupId}`);
      return setMembers(transaction, groupId, []);
    default:
      return unknownCase(type);
  }
}

/** A deleted user is in no group. */
export async function leaveGroups(transaction: Transaction, userId: string): Promise<void> {
  await transaction.run(sql.unsafe`delete from group_members where user_id = ${userId}`);
}

/** Whoever was deleted meanwhile is left out. */
async function setMembers(
  transaction: Transaction,
  groupId: string,
  members: readonly string[],
): Promise<void> {
  await transaction.run(sql.unsafe`delete from group_members where group_id = ${groupId}`);
  await transaction.run(sql.unsafe`
    insert into group_members (group_id, user_id)
    select ${groupId}, id from users where id = any(${sql.array([...members], "text")})`);
}
