import { CHANGE_OF } from "#contracts/changes/messages.ts";
import { keysWithValue } from "#contracts/keys-with-value.ts";
import { CHANGES, RELAYS } from "#contracts/names.ts";
import { changeRetention, ensureChangeStream, publishChange } from "#infra/brokers/nats.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import { catalogueChange } from "./catalogue-change.ts";
import type { Publisher } from "./publish-under-lease.ts";
import { type BrokerDeps, relayToBroker } from "./relay-to-broker.ts";
import { catalogueOf, restrictedNow } from "./restricted-now.ts";

export type ChangesDeps = BrokerDeps & {
  /** URL of the service, the base of the catalogues' URLs. */
  readonly publicBaseUrl: string;
  readonly log: Pick<EventLog, "subscribe" | "read">;
};

/** Publishes changes of catalogues to the broker: one of all processes does, and the others stand by. */
export function startChanges(deps: ChangesDeps): Publisher {
  const isRestricted = restrictedNow(deps.log);
  return relayToBroker(deps, {
    name: RELAYS.changes,
    types: keysWithValue(CHANGE_OF),
    stream: CHANGES.stream,
    retention: changeRetention,
    prepare: ensureChangeStream,
    publish: async (client, event) => {
      const hidden = await isRestricted(catalogueOf(event));
      const { kind, change } = catalogueChange(event, deps.publicBaseUrl, hidden);
      return publishChange(client, kind, change, event.position);
    },
  });
}
