import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import { versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";

export const findDuplicatesHandler: MakeHandler<"findDuplicates", "reads" | "merger"> =
  ({ reads, merger }) =>
  async ({ params, body: { filters = {}, ...thresholds }, reader, asker }) => {
    const { id, key, version, eventCount } = await resolveVersion(reads.prepared, {
      catalogueId: params.id,
      reader,
    });
    const request = { version: { id, key, version, eventCount }, filters, ...thresholds };
    return {
      body: await merger.duplicates(request, asker),
      headers: { etag: versionTag(version) },
    };
  };
