import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { addressOfEvent } from "../../model/address-of-event.ts";
import { Icon } from "../../ui/icon.tsx";
import { Person } from "../../ui/person.tsx";
import { magnitudeName } from "../../ui/text/digits.ts";
import { count } from "../../ui/text/format.ts";
import { Moment, UtcTime } from "../../ui/text/moment.tsx";
import { Where } from "../../ui/text/where.tsx";
import { changedValues } from "./changed-values.ts";
import type { AuditEntry, Deed, DeedEvent } from "./deed.ts";
import { LogOfDeed } from "./log-of-deed.tsx";
import { Subject } from "./subject.tsx";

/** The columns of a deed, for the cell below them. */
export const DEED_COLUMNS = [
  "When, UTC",
  "Who",
  "What",
  "Catalogue or account",
  { hidden: "Details" },
] as const;

type DeedRowProps = {
  readonly entry: AuditEntry;
  /** The address of what concerns a subject alone. */
  readonly only: (subject: string) => string;
};

/** One thing that somebody did; what the log has of it on demand. */
export function DeedRow({ entry, only }: DeedRowProps) {
  const isOpen = useSignal(false);
  const { time, actor, subject, summary, deed } = entry;
  const onlyText = `Only what concerns ${deed?.catalogue?.name ?? subject}`;
  return (
    <>
      <tr class="block deed">
        <td class="nowrap">
          <UtcTime at={time} length={16} />{" "}
          <span class="muted small">
            <Moment at={time} />
          </span>
        </td>
        <td>
          <Person id={actor} />
        </td>
        <td class="words">
          {deed?.summary ?? summary}
          {deed && <Effects deed={deed} />}
          {deed?.reason && <p class="deed-reason">“{deed.reason}”</p>}
        </td>
        <td class="about">
          {deed?.catalogue ? (
            <Catalogue deed={deed} catalogue={deed.catalogue} />
          ) : (
            <Subject subject={subject} />
          )}{" "}
          <Link href={only(subject)} class="only" title={onlyText} aria-label={onlyText}>
            <Icon name="filter" />
          </Link>
        </td>
        <td class="number">
          <button
            type="button"
            class="plain link small"
            aria-expanded={isOpen.value}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            Details
          </button>
        </td>
      </tr>
      {isOpen.value && (
        <tr class="deed-log">
          <td colSpan={DEED_COLUMNS.length}>
            <LogOfDeed entry={entry} />
          </td>
        </tr>
      )}
    </>
  );
}

type CatalogueProps = { readonly deed: Deed; readonly catalogue: NonNullable<Deed["catalogue"]> };

function Catalogue({ deed: { version }, catalogue: { id, name, is_deleted } }: CatalogueProps) {
  if (is_deleted)
    return (
      <>
        {name} <span class="muted">(deleted)</span>
      </>
    );
  const versions = `/catalogues/${id}/versions`;
  return (
    <>
      <Link href={`/catalogues/${id}`}>{name}</Link>
      {version !== null && (
        <>
          ,{" "}
          <Link href={version > 1 ? `${versions}?from=${version - 1}&to=${version}` : versions}>
            version {count(version)}
          </Link>
        </>
      )}
    </>
  );
}

function Effects({ deed: { events, catalogue, version } }: { readonly deed: Deed }) {
  if (events.length === 0 || catalogue === null || version === null) return null;
  return (
    <ul class="deed-events">
      {events.map((one) => (
        <li key={one.event.id}>
          <Effect
            one={one}
            address={addressOfEvent(catalogue.id, one.event.id, asOfOf(one, version))}
          />
        </li>
      ))}
    </ul>
  );
}

/** A removed event is in the version before. */
function asOfOf({ change }: DeedEvent, version: number): number {
  return change === "removed" ? version - 1 : version;
}

function Effect({ one, address }: { readonly one: DeedEvent; readonly address: string }) {
  const { event, change, changed } = one;
  const [magnitude] = magnitudeName(event.magnitude, event.magnitude_type);
  return (
    <>
      <strong>{change === "updated" ? changedValues(changed) : magnitude}</strong>{" "}
      <span class="muted">
        <Link href={address}>
          <UtcTime at={event.time} length={16} />
        </Link>{" "}
        <Where event={event} />
      </span>
    </>
  );
}
