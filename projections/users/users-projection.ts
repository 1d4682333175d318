import { type GroupEvent, groupEvents } from "#contracts/domain-events/group-events.ts";
import type { UserEvent } from "#contracts/domain-events/user-events.ts";
import { keysWithValue } from "#contracts/keys-with-value.ts";
import { PROJECTIONS } from "#contracts/names.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Projection, Transaction } from "../engine/projection.ts";
import { applyToAccessToken } from "./access-token-rows.ts";
import { CHANGED_ROW, isChanging } from "./changed-row.ts";
import { applyToGroup } from "./group-rows.ts";
import { applyToRoleRequest } from "./role-request-rows.ts";
import { applyToUser } from "./user-rows.ts";

/**
 * Accounts, their role requests and their access tokens with decrypted personal data, and groups of accounts: one
 * projection, since approvals and deletions change several.
 */
export const usersProjection: Projection = {
  name: PROJECTIONS.users,
  tables: [
    { name: "users", key: ["id"] },
    { name: "role_requests", key: ["id"] },
    { name: "access_tokens", key: ["id"] },
    { name: "groups", key: ["id"] },
    { name: "group_members", key: ["group_id", "user_id"] },
  ],
  types: [...keysWithValue(CHANGED_ROW), ...Object.keys(groupEvents)],
  subject: (event) => event.stream,
  apply,
};

async function apply(transaction: Transaction, events: readonly RecordedEvent[]): Promise<void> {
  for (const recorded of events) {
    // The subscription returns no other types.
    const event = fromRecorded(recorded) as UserEvent | GroupEvent;
    const { at } = recorded.metadata;
    if (isOfGroup(event)) await applyToGroup(transaction, event, at);
    else if (isChanging("account", event)) await applyToUser(transaction, event, at);
    else if (isChanging("role request", event)) await applyToRoleRequest(transaction, event, at);
    else if (isChanging("access token", event)) await applyToAccessToken(transaction, event, at);
  }
}

function isOfGroup(event: UserEvent | GroupEvent): event is GroupEvent {
  return event.type in groupEvents;
}
