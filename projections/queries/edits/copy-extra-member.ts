import type { ClientBase } from "pg";
import { sql } from "slonik";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import type { ResolvedVersion } from "../events/resolve-version.ts";

/**
 * The values of a member of `extra`, a text, that events have had up to a version.
 * @param client a connection of the caller
 */
export async function* copyExtraMember(
  client: ClientBase,
  { key, version }: Pick<ResolvedVersion, "key" | "version">,
  ids: readonly string[],
  member: string,
): AsyncGenerator<{ readonly id: string; readonly value: string }> {
  const query = sql.fragment`
    select event_id, extra ->> ${member} from read_model.seismic_events
    where catalogue_key = ${key} and event_id = any(${sql.array([...ids], "uuid")})
      and revision_from <= ${version} and extra ->> ${member} is not null`;
  for await (const rows of copyRows(client, query)) {
    for (const [id, value] of rows) if (id && value) yield { id, value };
  }
}
