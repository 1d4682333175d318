import type { CatalogueAccess } from "#contracts/rights.ts";
import { startOperation } from "../../api/start-operation.ts";
import type { AnswerOf, InputOf } from "../../model/operation-types.ts";

type Added = AnswerOf<"POST /api/catalogues/:id/events">;

/** Where rows go: into a new catalogue, or into one that is there. */
export type Target = {
  readonly into: "new" | "existing";
  readonly name: string;
  readonly access: CatalogueAccess;
  readonly catalogueId: string;
  readonly updateExisting: boolean;
};

/**
 * Into a catalogue, or a new one with the name of a file, without what tells its format.
 * @param catalogueId empty for a new one
 */
export function newTarget(fileName: string, catalogueId: string): Target {
  const name = fileName.replace(/\.[^.]+$/, "");
  const into = catalogueId === "" ? "new" : "existing";
  return { into, name, access: "internal", catalogueId, updateExisting: false };
}

/** What was made of rows. */
export type Made = {
  readonly catalogueId: string;
  readonly report: Added["validationReport"];
  /** What adding to a catalogue did; null for a new one. */
  readonly added: Pick<Added, "newEvents" | "updatedEvents" | "skippedEvents"> | null;
};

type Rows = Pick<
  Extract<InputOf<"POST /api/catalogues">["body"], { readonly uploadId: string }>,
  "uploadId" | "columns"
>;

/**
 * Begins to make events of the rows of a kept upload.
 * @returns the id of the operation, which tells how far it is
 * @throws CallError
 */
export function startMaking(target: Target, rows: Rows, idempotencyKey: string): Promise<string> {
  const { into, catalogueId, updateExisting } = target;
  if (into === "new") {
    const body = { name: target.name.trim(), access: target.access, ...rows };
    return startOperation("POST /api/catalogues", { body }, idempotencyKey);
  }
  const body = { updateExisting, ...rows };
  const input = { params: { id: catalogueId }, body };
  return startOperation("POST /api/catalogues/:id/events", input, idempotencyKey);
}

/** What the operation made, by its result: the answer of the request that began it. */
export function madeOf({ into, catalogueId }: Target, result: unknown): Made {
  if (into === "new") {
    const { id, validationReport } = result as AnswerOf<"POST /api/catalogues">;
    return { catalogueId: id, report: validationReport, added: null };
  }
  const { validationReport, ...added } = result as Added;
  return { catalogueId, report: validationReport, added };
}
