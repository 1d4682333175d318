import type { Catalogue } from "../../model/catalogue.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { count, events } from "../../ui/text/format.ts";
import type { SeenCatalogue } from "./use-seen-catalogue.ts";

type ChangesOfOthersProps = {
  /** As the page shows it. */
  readonly loaded: Catalogue;
  readonly now: SeenCatalogue;
};

/** What others have changed of a catalogue since the page was loaded. */
export function ChangesOfOthers({ loaded, now: { seen, error, retry } }: ChangesOfOthersProps) {
  if (error !== null) return <ErrorNotice error={error} retry={retry} />;
  if (seen === null) return null;
  const changes = [
    seen.name !== loaded.name && `it is called “${seen.name}”`,
    seen.access !== loaded.access && `it is ${seen.access}`,
    seen.version !== loaded.version &&
      `version ${count(seen.version)} has arrived, with ${events(seen.event_count)}`,
  ].filter((change) => change !== false);
  if (changes.length === 0) return null;
  return <p class="notice warning">Since this page was loaded: {changes.join("; ")}.</p>;
}
