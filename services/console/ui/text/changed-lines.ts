import {
  type EventValues,
  FIELD_NAMES,
  labelOf,
  STRUCTURES,
  shownValue,
  toldValue,
} from "./attribute-names.ts";

/** An event with its attributes and its structures. */
type EventState = EventValues & { readonly [S in (typeof STRUCTURES)[number]]?: unknown };

/** What a version made of an attribute: "Magnitude", "2.0", "2.6". */
export type ChangedLine = { readonly label: string; readonly from: string; readonly to: string };

/** Attributes that differ between two states of an event, as people read them. */
export function changedLines(was: EventState, is: EventState): readonly ChangedLine[] {
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
    (name) => JSON.stringify(was[name] ?? null) !== JSON.stringify(is[name] ?? null),
  ).map((name) => ({
    label: labelOf(name),
    from: was[name] ? "as before" : "none",
    to: is[name] ? (was[name] ? "others" : "given") : "none",
  }));
  return [...attributes, ...structures];
}
