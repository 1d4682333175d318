import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import type { BulletinTable } from "#contracts/bulletin/tables.ts";
import type { ExportFormat } from "#contracts/http/exports.ts";
import { addressOf, call, share } from "../../api/call.ts";
import { hereAsNext, user } from "../../api/session.ts";
import type { Catalogue } from "../../model/operation-types.ts";
import { apiQueryOf, searchOf, type WorkState } from "../../model/work-state.ts";
import { AccessBadge } from "../../ui/access.tsx";
import { Answered, notice, useCall } from "../../ui/call.tsx";
import type { Cite } from "../../ui/cite.tsx";
import { VersionField } from "../../ui/form/version-field.tsx";
import { Menu } from "../../ui/menu.tsx";
import { useTitle } from "../../ui/page.tsx";
import { count, events, sentence, toldChanges } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { useMayChange } from "../../ui/use-may-change.ts";
import type { Change } from "../../ui/use-work-state.ts";
import { type CatalogueChange, EditMenu } from "./edit-menu.tsx";
import { VersionOffer } from "./version-offer.tsx";

type HeadProps = {
  readonly catalogue: Catalogue;
  readonly state: WorkState;
  /** How many events pass the filters; null until it is known. */
  readonly passing: number | null;
  readonly change: Change;
  readonly reload: () => void;
};

/** A catalogue's name, its version and what can be done with it. */
export function Head({ catalogue: loaded, state, passing, change, reload }: HeadProps) {
  // Only what was changed here: reading the catalogue anew would bring another version too.
  const changed = useSignal<CatalogueChange>({});
  useEffect(() => {
    changed.value = {};
  }, [loaded]);
  const catalogue = { ...loaded, ...changed.value };
  const { id, name, access, version } = catalogue;
  useTitle(name);
  const asOf = state.asOf === null ? version : Number(state.asOf);
  const at = Number.isInteger(asOf) ? asOf : null;
  const mayChange = useMayChange(catalogue);
  const cited = useSignal<{ readonly Cite: typeof Cite } | null>(null);
  // The window's code is loaded when it is opened.
  const cite = () => {
    import("../../ui/cite.tsx").then((file) => {
      cited.value = file;
    }, notice.error);
  };
  const CiteWindow = cited.value?.Cite;
  return (
    <>
      <div class="page-head">
        <h1>{name}</h1>
        <AccessBadge access={access} />
        {version > 0 && (
          <VersionChoice catalogue={catalogue} state={state} at={at} change={change} />
        )}
        <nav class="row end" aria-label="This catalogue">
          {share === null && (
            <Link class="button quiet" href={`/catalogues/${id}/versions`}>
              Versions
            </Link>
          )}
          <Link class="button quiet" href={`/catalogues/${id}/analytics${searchOf(state)}`}>
            Analytics
          </Link>
          {share === null && catalogue.merge_config !== null && (
            <Link class="button quiet" href={`/catalogues/${id}/merge`}>
              Merge
            </Link>
          )}
          {at !== null && at > 0 && (
            <button type="button" class="quiet" onClick={cite}>
              Cite
            </button>
          )}
          <ExportMenu catalogue={catalogue} state={state} passing={passing} />
          {mayChange && at === version && (
            <EditMenu
              catalogue={catalogue}
              filters={state.filters}
              onChanged={(change) => (changed.value = { ...changed.value, ...change })}
            />
          )}
        </nav>
      </div>
      <VersionOffer
        catalogue={catalogue}
        onShow={() => {
          change({ asOf: null });
          reload();
        }}
      />
      {CiteWindow && at !== null && (
        <CiteWindow
          catalogue={id}
          version={at}
          filters={state.filters}
          onClose={() => (cited.value = null)}
        />
      )}
    </>
  );
}

type VersionChoiceProps = Pick<HeadProps, "catalogue" | "state" | "change"> & {
  /** The number of the version that is shown; null where it was asked for by a time. */
  readonly at: number | null;
};

/** Which version is shown: the ones beside it, and a list of all. */
function VersionChoice({ catalogue, state, at, change }: VersionChoiceProps) {
  const { version } = catalogue;
  const isAsked = useSignal(false);
  const goTo = (to: number) => change({ asOf: to >= version ? null : String(to) });
  const text =
    at === null
      ? `Version of ${state.asOf}`
      : at >= version
        ? `Version ${count(version)} (latest)`
        : `Version ${count(at)} of ${count(version)}`;
  const step = (sign: string, label: string, shortcut: string, to: number | null) =>
    version > 1 && (
      <button
        type="button"
        aria-label={label}
        data-shortcut={shortcut}
        disabled={to === null}
        onClick={() => to !== null && goTo(to)}
      >
        {sign}
      </button>
    );
  return (
    <div class="row">
      {step("‹", "The version before", "[", at === null || at <= 1 ? null : at - 1)}
      <Menu text={text} onOpen={() => (isAsked.value = true)}>
        {isAsked.value && (
          <VersionMenu catalogue={catalogue} state={state} at={at} onVersion={goTo} />
        )}
      </Menu>
      {step("›", "The version after", "]", at === null || at >= version ? null : at + 1)}
    </div>
  );
}

/** The others are reached by their number, or on the page of versions. */
const SHOWN = 50;

type VersionMenuProps = Omit<VersionChoiceProps, "change"> & {
  readonly onVersion: (version: number) => void;
};

/** The last versions, a field for the number of any, and the way to a comparison. */
function VersionMenu({ catalogue, state, at, onVersion }: VersionMenuProps) {
  const { id, version: latest } = catalogue;
  const read = useCall(`${id} ${latest}`, (signal) =>
    call("GET /api/catalogues/:id/versions", { params: { id } }, { signal }),
  );
  // What has come since the page was loaded is offered, and not listed before it is taken.
  const versions = read.last?.versions.filter(({ version }) => version <= latest) ?? [];
  // What an old version has been changed to since; what the latest changed.
  const [from, to] = at !== null && at < latest ? [at, latest] : [latest - 1, latest];
  return (
    <>
      <li>
        <Answered call={read} answer={read.last}>
          {() => (
            <ol class="version-items">
              {versions.slice(0, SHOWN).map((one) => {
                const isLatest = one.version === latest;
                const asOf = isLatest ? null : String(one.version);
                return (
                  <li key={one.version}>
                    <Link
                      href={`/catalogues/${id}${searchOf({ ...state, asOf })}`}
                      aria-current={one.version === at ? "page" : undefined}
                    >
                      <span class="version-number">{count(one.version)}</span>{" "}
                      <span class="muted small">
                        {isLatest && "latest, "}
                        <Moment at={one.created_at} />, {one.cause}: {toldChanges(one)}
                      </span>
                    </Link>
                  </li>
                );
              })}
            </ol>
          )}
        </Answered>
      </li>
      {versions.length > SHOWN && (
        <li class="version-item-field">
          <VersionField label="Version" action="Show" latest={latest} onVersion={onVersion} />
        </li>
      )}
      {share === null && latest > 1 && (
        <li>
          <Link href={`/catalogues/${id}/versions?from=${from}&to=${to}`}>Compare…</Link>
        </li>
      )}
    </>
  );
}

const FORMATS: Readonly<Record<ExportFormat, string>> = {
  csv: "CSV",
  json: "JSON",
  geojson: "GeoJSON",
  kml: "KML",
  quakeml: "QuakeML",
  isf: "ISF",
  text: "FDSN text",
  parquet: "GeoParquet",
  arrow: "Arrow",
};

/** A file of what a format or a table has. */
type Choice = { readonly text: string; readonly query: Readonly<Record<string, string>> };

/** Each format; QuakeML is whole, or of the rows alone. */
const CHOICES: readonly Choice[] = Object.entries(FORMATS).flatMap(([format, text]) => [
  { text, query: { format } },
  ...(format === "quakeml"
    ? [{ text: "QuakeML, preferred solutions alone", query: { format, detail: "summary" } }]
    : []),
]);

/** What is beside the rows, a row for each object. */
const TABLES: readonly Choice[] = (
  ["origins", "magnitudes", "picks", "arrivals"] satisfies BulletinTable[]
).map((table) => ({ text: sentence(table), query: { format: "csv", table } }));

/** The events that pass the filters, as a file. */
function ExportMenu(props: Pick<HeadProps, "catalogue" | "state" | "passing">) {
  const { catalogue, state, passing } = props;
  if (share === null && !user.value) {
    return (
      <Menu text="Export">
        <li class="menu-text">
          With an account you save these events as {Object.values(FORMATS).join(", ")}.
        </li>
        <li>
          <a href={`/login${hereAsNext()}`}>Sign in</a>
        </li>
        <li>
          <a href="/register">Register</a>
        </li>
      </Menu>
    );
  }
  const { id, version } = catalogue;
  const query = { asOf: version > 0 ? String(version) : undefined, ...apiQueryOf(state) };
  const linkTo = (choice: Choice) => (
    <li key={choice.text}>
      <a
        href={addressOf("GET /api/catalogues/:id/export", {
          params: { id },
          query: { ...choice.query, ...query },
        })}
        download
      >
        {choice.text}
      </a>
    </li>
  );
  return (
    <Menu text="Export">
      <li class="menu-text">Save {passing === null ? "these events" : events(passing)} as</li>
      {CHOICES.map(linkTo)}
      <li class="menu-text">Their solutions and picks as CSV</li>
      {TABLES.map(linkTo)}
    </Menu>
  );
}
