import type { Changes } from "./read-event.ts";

type Change = Changes[number];

/** What made a version, in words. */
export function causeOf({ cause, change, import: imported, restores }: Change): string {
  if (restores !== null) {
    return cause === "edit"
      ? `Restored as in version ${restores}`
      : `Catalogue restored to version ${restores}`;
  }
  const done = { added: "Added", updated: "Changed", removed: "Removed" }[change];
  if (cause === "import" && imported !== null)
    return `${done} by an import from ${imported.agency}`;
  return `${done} ${CAUSES[cause]}`;
}

const CAUSES: Readonly<Record<Change["cause"], string>> = {
  created: "with the catalogue",
  import: "by an import",
  merge: "by a merge",
  edit: "by hand",
  restore: "by a restore",
};

type SolutionChange = NonNullable<Change["solutions"]>[number];

const SIGNS: Readonly<Record<SolutionChange["change"], string>> = {
  added: "+",
  updated: "±",
  removed: "−",
};

/** What a version changed in an event's bulletin: "+1 origin, ±2 arrivals, preferred origin"; null for nothing. */
export function solutionChanges({
  solutions = [],
  solutionsTruncated,
}: Pick<Change, "solutions" | "solutionsTruncated">): string | null {
  if (solutions.length === 0) return null;
  const numbers = new Map<string, number>();
  const own: string[] = [];
  for (const { kind, change, members = [] } of solutions) {
    if (kind === "event") own.push(...members.map(wordsOf));
    else {
      const key = `${change} ${kind}`;
      numbers.set(key, (numbers.get(key) ?? 0) + 1);
    }
  }
  const counted = [...numbers].map(([key, number]) => {
    const [change, kind = ""] = key.split(" ");
    const sign = SIGNS[change as SolutionChange["change"]];
    return `${sign}${number} ${wordsOf(kind)}${number === 1 ? "" : "s"}`;
  });
  return [...counted, ...own, ...(solutionsTruncated ? ["more"] : [])].join(", ");
}

/** "preferredOriginID" → "preferred origin". */
function wordsOf(name: string): string {
  return name.replace(/ID$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
