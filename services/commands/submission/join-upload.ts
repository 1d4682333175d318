import type { Client } from "pg";
import { invalid } from "#contracts/errors.ts";
import type { EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import type { CatalogueTarget } from "../changes/revision-changes.ts";
import { type JoinOptions, joinRows } from "../joins/join-rows.ts";
import { createTally } from "./read-submission.ts";
import type { UploadedRows } from "./uploaded-rows.ts";

/**
 * Joins the rows of a kept upload to the events that they are about.
 * @throws Refusal VALIDATION_ERROR, while the chunks are read, for a file none of whose rows has an id
 */
export function joinUpload(
  connect: () => Promise<Client>,
  target: CatalogueTarget,
  { slices, elements, count }: UploadedRows,
  options: Omit<JoinOptions, "onRow" | "onRefused">,
) {
  const tally = createTally(elements);
  const joined = joinRows(connect, target, slices(), {
    ...options,
    onRow: ({ bulletin = null }, read, isMatched) => tally.count(read, bulletin, isMatched),
    onRefused: tally.refuse,
  });

  async function* chunks(): AsyncGenerator<EncodedChunk> {
    yield* joined.chunks;
    if (count > 0 && !joined.end().hasIds) {
      throw invalid("columns", "leave no id: say which column is source_id");
    }
  }

  const end = () => ({
    report: tally.report(),
    changes: joined.changes(),
    joined: joined.end(),
  });
  return { chunks: chunks(), end };
}
