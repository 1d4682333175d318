import type { ClientBase } from "pg";
import { sql } from "slonik";
import type { ClusterRole } from "#contracts/decluster.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import type { TextRow } from "#infra/postgres/copy/text-copy.ts";
import { ofRoleOf } from "#infra/stores/declustering.ts";
import { bulletinColumn } from "../events/bulletin-column.ts";
import { EVENT_COLUMNS } from "../events/event-rows.ts";
import { type VersionRows, visibleAt } from "../events/resolve-version.ts";

/**
 * The events of a role in a result of declustering: EVENT_COLUMNS, the cluster, 0 for none, and the
 * bulletin, by time.
 */
export function labelledEvents(
  client: ClientBase,
  version: VersionRows,
  { result, role }: { readonly result: string; readonly role: ClusterRole },
): AsyncGenerator<TextRow[]> {
  return copyRows(
    client,
    sql.fragment`
      select ${EVENT_COLUMNS}, cluster, ${bulletinColumn(undefined, "e")}
      from (select event_id, cluster, place from operations.decluster_labels
        where result = ${result}::uuid and ${ofRoleOf(role)}) l
      join read_model.seismic_events e using (event_id)
      where ${visibleAt(version)}
      order by place`,
  );
}
