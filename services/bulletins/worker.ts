/** Entry point of the threads for large bulletins: to parse or write one takes a second. */

import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import type { SolutionChanges } from "#contracts/bulletin/schema.ts";
import {
  type BulletinPiece,
  type PackedBulletin,
  packing,
  unpackBulletin,
  unpacking,
} from "#infra/bulletins/packed-bulletin.ts";
import { inTurns, type Steps } from "#infra/kernel/iteration.ts";
import { workerTask } from "#infra/threads/task.ts";
import { editedBulletin, type RowEdit } from "#services/domain/bulletins/edits.ts";
import { createBulletinView, withinLimits } from "../changes/bulletin-view.ts";
import {
  type BulletinView,
  type DeletedSolution,
  deletedBetween,
  type PreferredChange,
  type SolutionKind,
  solutionChanges,
  type ViewedRow,
  withoutSolution,
  withPreferred,
} from "../domain/bulletins/view.ts";

export const changeStored: MakeChange = (task) => inTurns(withinLimits(changing(task)));

export const changeOf = workerTask((task: ChangeTask) => changeStored(task));

export const changesBetween = workerTask((task: CompareTask) => compareStored(task));

/** A change of one bulletin as data, since another thread may make it. */
export type BulletinChange =
  | { readonly kind: "edit"; readonly edit: RowEdit }
  | { readonly kind: "prefer"; readonly preferred: PreferredChange }
  | { readonly kind: "comment"; readonly comment: QuakemlObject<"Comment"> }
  | {
      readonly kind: "delete";
      readonly solution: { readonly kind: SolutionKind; readonly publicID: string };
      readonly cascade: boolean;
    };

/** A bulletin as the read model has it. */
export type StoredPieces = readonly Pick<BulletinPiece, "part" | "bytes">[];

type ChangeTask = {
  /** As it is stored, or as it was made of its event's row. */
  readonly source: StoredPieces | Bulletin;
  readonly change: BulletinChange;
  readonly nowMs: number;
};

export type ChangedBulletin = {
  readonly packed: PackedBulletin;
  /** What its event's row then is; null where the event has no place any more. */
  readonly row: ViewedRow | null;
  /** What a deletion has taken out. */
  readonly deleted: readonly DeletedSolution[];
};

/** Makes a change; null for one that changes nothing. @throws Refusal */
export type MakeChange = (task: ChangeTask) => Promise<ChangedBulletin | null>;

function* changing({ source, change, nowMs }: ChangeTask): Steps<ChangedBulletin | null> {
  const view = createBulletinView(nowMs);
  const before = isPieces(source) ? yield* unpacking(source) : source;
  yield;
  const after = changed(before, change, view);
  if (after === before) return null;
  const packed = yield* packing(after);
  yield;
  const deleted = change.kind === "delete" ? deletedBetween(before, after) : [];
  return { packed, row: view.row(after), deleted };
}

function changed(before: Bulletin, change: BulletinChange, view: BulletinView): Bulletin {
  switch (change.kind) {
    case "edit":
      return editedBulletin(before, change.edit, view);
    case "prefer":
      return withPreferred(before, change.preferred);
    case "comment":
      return { ...before, comment: [...(before.comment ?? []), change.comment] };
    case "delete":
      return withoutSolution(before, change.solution, change.cascade, view);
  }
}

function isPieces(source: ChangeTask["source"]): source is StoredPieces {
  return Array.isArray(source);
}

/** Two bulletins of an event; null where it has none. */
export type CompareTask = {
  readonly before: StoredPieces | null;
  readonly after: StoredPieces | null;
};

/** In what the bulletins differ. @throws CorruptBulletin */
export function compareStored({ before, after }: CompareTask): SolutionChanges {
  const unpacked = (pieces: StoredPieces | null) => pieces && unpackBulletin(pieces);
  return solutionChanges(unpacked(before), unpacked(after));
}
