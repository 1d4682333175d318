import type { Signal } from "@preact/signals";
import { useDraft } from "../../../ui/form/use-draft.ts";
import { type MergeForm, NEW_FORM } from "./merge-body.ts";

/** What is entered for a new merge. */
export type Entries = {
  readonly form: MergeForm;
  readonly name: string;
  /** Its preview has been seen: after a reload it is asked for again. */
  readonly isPreviewed: boolean;
};

export const NO_ENTRIES: Entries = { form: NEW_FORM, name: "", isPreviewed: false };

/** The entries of the tab, which the pages of a merge and of its thresholds share. */
export function useEntries(): Signal<Entries> {
  return useDraft<Entries>("new merge", NO_ENTRIES);
}
