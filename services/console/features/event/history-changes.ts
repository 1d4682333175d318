import {
  type EventValues,
  FIELD_NAMES,
  labelOf,
  STRUCTURES,
  shownValue,
  toldValue,
} from "../../ui/text/attribute-names.ts";
import type { Changes, SeismicEvent } from "./read-event.ts";

/** What a version made of an attribute: "Magnitude", "2.0", "2.6". */
export type ChangedLine = { readonly label: string; readonly from: string; readonly to: string };

/** Attributes that differ between two states of an event, as people read them. */
export function changedLines(before: SeismicEvent, after: SeismicEvent): readonly ChangedLine[] {
  const [was, is]: [EventValues, EventValues] = [before, after];
  const attributes = FIELD_NAMES.filter((name) => (was[name] ?? null) !== (is[name] ?? null)).map(
    (name) => {
      const [from, to] = [toldValue(name, was), toldValue(name, is)];
      // Where they differ in digits that mean nothing, these are all that there is to tell.
      const differ = from !== to;
      return {
        label: labelOf(name),
        from: differ ? from : shownValue(name, was[name]),
        to: differ ? to : shownValue(name, is[name]),
      };
    },
  );
  const structures = STRUCTURES.filter(
    (name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null),
  ).map((name) => ({
    label: labelOf(name),
    from: before[name] ? "as before" : "none",
    to: after[name] ? (before[name] ? "others" : "given") : "none",
  }));
  return [...attributes, ...structures];
}

type Change = Changes[number];

/** What made a version, in words. */
export function causeOf({ cause, change, import: imported, restores }: Change): string {
  if (restores !== null) {
    return cause === "edit"
      ? `Restored as in version ${restores}`
      : `Catalogue restored to version ${restores}`;
  }
  const done = { added: "Added", updated: "Changed", removed: "Removed" }[change];
  switch (cause) {
    case "created":
      return `${done} with the catalogue`;
    case "import":
      return imported === null
        ? `${done} by an import`
        : `${done} by an import from ${imported.agency}`;
    case "merge":
      return `${done} by a merge`;
    case "edit":
      return `${done} by hand`;
    case "restore":
      return `${done} by a restore`;
  }
}
