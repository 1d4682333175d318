import { Link } from "wouter-preact";
import { minute } from "../../ui/format.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { type EventValues, GROUPS, labelOf, shownValue } from "./attribute-names.ts";
import type { Catalogue, Changes } from "./page.tsx";

type HistoryProps = {
  readonly catalogue: Catalogue;
  readonly eventId: string;
  readonly history: Changes;
};

const NAMES = GROUPS.flatMap(({ names }) => names);

/** The event in each version that changed it, side by side, oldest first; changes are marked. */
export function History({ catalogue, eventId, history }: HistoryProps) {
  const changes = history.toReversed();
  const known = NAMES.filter((name) =>
    changes.some(({ event }) => (event as EventValues)[name] != null),
  );
  const valueAt = (n: number, name: (typeof NAMES)[number]) => {
    const change = changes[n];
    return change && change.change !== "removed" ? (change.event as EventValues)[name] : undefined;
  };
  return (
    <section class="stack">
      <h2>History</h2>
      <ScrollArea label="History of the event">
        <table class="compact history">
          <thead>
            <tr>
              <th scope="col">Version</th>
              {changes.map(({ version, change, created_at, cause, import: imported }) => (
                <th key={version} scope="col">
                  <Link href={`/catalogues/${catalogue.id}/events/${eventId}?asOf=${version}`}>
                    v{version}
                  </Link>{" "}
                  {change}
                  <br />
                  <span class="muted">
                    {minute(created_at)} UTC, {imported ? imported.agency : cause}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {known.map((name) => (
              <tr key={name}>
                <th scope="row">{labelOf(name)}</th>
                {changes.map(({ version, change }, n) => {
                  const value = valueAt(n, name);
                  const isChanged = n > 0 && change !== "removed" && value !== valueAt(n - 1, name);
                  return (
                    <td key={version} class={isChanged ? "changed" : undefined}>
                      {change === "removed" ? "" : shownValue(name, value)}
                      {isChanged && <span class="visually-hidden"> (changed)</span>}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </section>
  );
}
