import { call } from "../../api/call.ts";
import type { AnswerOf, InputOf } from "../../model/operation-types.ts";

type Added = AnswerOf<"POST /api/catalogues/:id/events">;

/** Where rows go: into a new catalogue, or into one that is there. */
export type Target = {
  readonly into: "new" | "existing";
  readonly name: string;
  readonly isPublic: boolean;
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
  return { into, name, isPublic: false, catalogueId, updateExisting: false };
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
 * Makes events of the rows of a kept upload.
 * @throws CallError
 */
export async function makeEvents(
  target: Target,
  rows: Rows,
  idempotencyKey: string,
): Promise<Made> {
  if (target.into === "new") {
    const body = { name: target.name.trim(), is_public: target.isPublic, ...rows };
    const { id, validationReport } = await call(
      "POST /api/catalogues",
      { body },
      { idempotencyKey },
    );
    return { catalogueId: id, report: validationReport, added: null };
  }
  const { catalogueId, updateExisting } = target;
  const { validationReport, ...added } = await call(
    "POST /api/catalogues/:id/events",
    { params: { id: catalogueId }, body: { updateExisting, ...rows } },
    { idempotencyKey },
  );
  return { catalogueId, report: validationReport, added };
}
