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
