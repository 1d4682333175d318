import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { LABELS_LIMIT } from "#contracts/http/analytics/decluster.ts";
import { findResult, readLabels } from "#infra/declustering/decluster-store.ts";
import { fromCursorText, invalidCursor, toCursorText } from "#projections/queries/cursor-text.ts";
import {
  isPublicVersion,
  type ResolvedVersion,
  resolveVersion,
} from "#projections/queries/events/resolve-version.ts";
import type { Reader } from "#projections/queries/rights/reader-rights.ts";
import { uuidOrNull } from "#projections/queries/sql-values.ts";
import { createDeclusteredCommand } from "#services/commands/catalogues/create-declustered.ts";
import { answerOrStart } from "../../http/answer-or-start.ts";
import { parametersTag } from "../../http/headers/etag.ts";
import type { HandlerDeps, MakeHandler } from "../make-handler.ts";

type ResultDeps = Pick<HandlerDeps, "reads" | "pool">;
type ResultParams = { readonly id: string; readonly result: string };

/** A result with its version, where the caller may read that. @throws Refusal NOT_FOUND, UNAUTHENTICATED */
async function readResult({ reads, pool }: ResultDeps, params: ResultParams, reader: Reader) {
  const catalogueId = uuidOrNull(params.id);
  const id = uuidOrNull(params.result);
  const result = catalogueId && id ? await findResult(pool, id, catalogueId) : null;
  if (result === null) throw new Refusal("NOT_FOUND", "There is no such result");
  const request = { catalogueId: result.catalogueId, asOf: String(result.version), reader };
  const version: ResolvedVersion = await resolveVersion(reads.prepared, request);
  return { result, version };
}

const LabelCursor = z.strictObject({
  walk: z.literal("labels"),
  result: z.uuid(),
  role: z.string().nullable(),
  /** The place of the event before. */
  after: z.int().nonnegative(),
});

export const listLabelsHandler: MakeHandler<"listLabels", "reads" | "pool"> =
  (deps) =>
  async ({ params, query, reader, turn }) => {
    const { result, version } = await readResult(deps, params, reader);
    const { role, limit = LABELS_LIMIT.default } = query;
    const cursor = query.cursor === undefined ? null : fromCursorText(query.cursor, LabelCursor);
    const bound = { result: result.id, role: role ?? null };
    if (cursor && (cursor.result !== bound.result || cursor.role !== bound.role)) {
      throw invalidCursor();
    }
    const from = cursor === null ? 0 : cursor.after + 1;
    const leave = await turn("pages");
    const labels = await readLabels(deps.pool, result.id, { role, from, limit: limit + 1 }).finally(
      leave,
    );
    const page = labels.slice(0, limit);
    const after = page.at(-1)?.place;
    const nextCursor =
      labels.length > limit && after !== undefined
        ? toCursorText({ walk: "labels", ...bound, after })
        : null;
    const key = JSON.stringify([bound, from, limit]);
    return {
      body: {
        result: result.id,
        version: version.version,
        events: page.map(({ place: _place, ...label }) => label),
        nextCursor,
      },
      headers: { etag: parametersTag(version.version, key) },
      isPublic: isPublicVersion(version),
    };
  };

/** Runs to its end, whether the client waits or not. */
export const createDeclusteredHandler: MakeHandler<
  "createDeclustered",
  "context" | "reads" | "pool" | "declusterer" | "runner"
> =
  ({ runner, ...deps }) =>
  async (call) => {
    const { result, version } = await readResult(deps, call.params, call.reader);
    const { id, ...source } = result;
    const { name, role } = call.body;
    const isRestricted = call.facts?.isRestricted ?? true;
    const wanted = { name, version, result: id, derivedFrom: { ...source, role }, isRestricted };
    return answerOrStart(runner, call, {
      job: { kind: "decluster", unit: "events" },
      work: async (run) => ({
        body: { catalogueId: await createDeclusteredCommand(deps, call.command, wanted, run) },
      }),
    });
  };
