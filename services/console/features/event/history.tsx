import { Link } from "wouter-preact";
import { addressOfEvent } from "../../model/address-of-event.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import {
  type EventValues,
  FIELD_NAMES,
  labelOf,
  STRUCTURES,
  shownValue,
} from "../../ui/text/attribute-names.ts";
import { count, UNKNOWN } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import type { Catalogue, Changes } from "./read-event.ts";
import { solutionChanges } from "./solution-changes.ts";

type HistoryProps = {
  readonly catalogue: Catalogue;
  readonly eventId: string;
  readonly history: Changes;
};

type Line = {
  readonly label: string;
  /** As each version has it, null where unknown. */
  readonly values: readonly (string | number | null)[];
  readonly shown: (value: string | number | null) => string;
};

/** What is known in any of the versions. */
function linesOf(changes: Changes): readonly Line[] {
  const attributes = FIELD_NAMES.map((name) => ({
    label: labelOf(name),
    values: changes.map(({ event }) => (event as EventValues)[name] ?? null),
    shown: (value: string | number | null) => shownValue(name, value),
  }));
  const structures = STRUCTURES.map((name) => ({
    label: labelOf(name),
    values: changes.map(({ event }) => (event[name] ? JSON.stringify(event[name]) : null)),
    shown: (value: string | number | null) => (value === null ? UNKNOWN : "given"),
  }));
  return [...attributes, ...structures].filter(({ values }) => values.some((one) => one !== null));
}

/** The event in each version that changed it, side by side, oldest first; changes are marked. */
export function History({ catalogue, eventId, history }: HistoryProps) {
  const changes = history.toReversed();
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
                  <Link href={addressOfEvent(catalogue.id, eventId, version)}>
                    v{count(version)}
                  </Link>{" "}
                  {change}
                  <br />
                  <span class="muted">
                    <UtcTime at={created_at} length={16} /> UTC,{" "}
                    {imported ? imported.agency : cause}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {linesOf(changes).map(({ label, values, shown }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {changes.map(({ version, change }, n) => {
                  const value = values[n] ?? null;
                  if (change === "removed") return <td key={version} />;
                  const isChanged = n > 0 && value !== values[n - 1];
                  return (
                    <td key={version} class={isChanged ? "changed" : undefined}>
                      {shown(value)}
                      {isChanged && <span class="visually-hidden"> (changed)</span>}
                    </td>
                  );
                })}
              </tr>
            ))}
            <BulletinLine changes={changes} />
          </tbody>
        </table>
      </ScrollArea>
    </section>
  );
}

/** What each version changed beside the row; none where no version did. */
function BulletinLine({ changes }: { readonly changes: Changes }) {
  const texts = changes.map(solutionChanges);
  if (texts.every((text) => text === null)) return null;
  return (
    <tr>
      <th scope="row">Bulletin</th>
      {changes.map(({ version }, n) => (
        <td key={version} class={texts[n] ? "changed" : undefined}>
          {texts[n]}
        </td>
      ))}
    </tr>
  );
}
