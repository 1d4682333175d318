import { type Signal, signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { BulletinTable } from "#contracts/bulletin/tables.ts";
import type { ExportFormat } from "#contracts/http/exports.ts";
import { addressOf, type Catalogue, call, share } from "../../api/call.ts";
import { hereAsNext, user } from "../../api/session.ts";
import { apiQueryOf, type FilterValues, searchOf, type WorkState } from "../../model/work-state.ts";
import { AccessBadge } from "../../ui/access.tsx";
import { Answered, ErrorNotice, notice, useAnswer } from "../../ui/call.tsx";
import { useMayChange } from "../../ui/catalogue-page.tsx";
import type { Cite } from "../../ui/cite.tsx";
import { ask } from "../../ui/form/ask.ts";
import type { Question } from "../../ui/form/asked.tsx";
import { untouched } from "../../ui/form/codecs.ts";
import { Checkbox } from "../../ui/form/fields.tsx";
import { custom, type Fields, input } from "../../ui/form/form.tsx";
import { nameProblem, problemOf } from "../../ui/form/submit.tsx";
import { VersionField } from "../../ui/form/version-field.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Button, ButtonLink, useTitle } from "../../ui/page.tsx";
import { count, counted, sentence, toldChanges } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import type { Change } from "../../ui/use-work-state.ts";
import { type SeenCatalogue, useSeenCatalogue } from "./use-seen-catalogue.ts";
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
            <ButtonLink class="quiet" href={`/catalogues/${id}/versions`} text="Versions" />
          )}
          <ButtonLink
            class="quiet"
            href={`/catalogues/${id}/analytics${searchOf(state)}`}
            text="Analytics"
          />
          {share === null && catalogue.merge_config !== null && (
            <ButtonLink class="quiet" href={`/catalogues/${id}/merge`} text="Merge" />
          )}
          {at !== null && at > 0 && <Button class="quiet" onClick={cite} text="Cite" />}
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
      <Button
        aria-label={label}
        data-shortcut={shortcut}
        disabled={to === null}
        onClick={() => to !== null && goTo(to)}
        text={sign}
      />
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
  const read = useAnswer("GET /api/catalogues/:id/versions", { params: { id } }, latest);
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
      <li class="menu-text">
        Save {passing === null ? "these events" : counted(passing, "event")} as
      </li>
      {CHOICES.map(linkTo)}
      <li class="menu-text">Their solutions and picks as CSV</li>
      {TABLES.map(linkTo)}
    </Menu>
  );
}

/** What editors change of a catalogue without a new version. */
export type CatalogueChange = Partial<Pick<Catalogue, "name" | "is_public" | "access">>;

type EditMenuProps = {
  readonly catalogue: Catalogue;
  /** Of what is seen. */
  readonly filters: FilterValues;
  readonly onChanged: (change: CatalogueChange) => void;
};

type Entry = readonly [text: string, to: string | (() => void), place?: "apart"];

/** What editors change of a catalogue as a whole. */
function EditMenu({ catalogue, filters, onChanged }: EditMenuProps) {
  const { id, access, is_public: isPublic } = catalogue;
  const [, navigate] = useLocation();
  const query = new URLSearchParams(filters);
  const here = `/catalogues/${id}`;
  const entries: readonly (Entry | false)[] = [
    ["Add an event…", `${here}/add-event`],
    ["Import into it…", `/import?catalogueId=${id}`],
    ["Duplicates in it…", `${here}/duplicates`],
    ["Convert magnitudes…", `${here}/conversions${query.size === 0 ? "" : `?${query}`}`],
    ["Citation details…", `${here}/metadata`],
    ["Rename…", () => rename(catalogue, onChanged)],
    access !== "restricted" && [
      isPublic ? "Make internal…" : "Publish…",
      () => publish(catalogue, onChanged),
    ],
    ["Access and members…", `${here}/access`],
    ["Imports", `${here}/imports`, "apart"],
    ["Kept current", `${here}/schedules`],
    ["Shares", `${here}/shares`],
    ["Delete…", () => remove(catalogue, () => navigate("/catalogues")), "apart"],
  ];
  return (
    <Menu text="Edit">
      {entries
        .filter((entry) => entry !== false)
        .map(([text, to, place]) => (
          <li key={text} class={place}>
            {typeof to === "string" ? (
              <Link href={to}>{text}</Link>
            ) : (
              <Button class="plain" onClick={to} text={text} />
            )}
          </li>
        ))}
    </Menu>
  );
}

/** Deletes a catalogue, when its name has been typed. */
function remove(catalogue: Catalogue, onDone: () => void): void {
  askOf(catalogue, (seen) => ({
    title: "Delete the catalogue",
    action: "Delete",
    name: () => seen().name,
    text: (
      <p>
        Its events can no longer be read, here or by programs. The record of each version and its
        citation stay.
      </p>
    ),
    run: (options) => call("DELETE /api/catalogues/:id", { params: { id: catalogue.id } }, options),
    done: () => `“${seen().name}” is deleted`,
    after: onDone,
  }));
}

function rename(catalogue: Catalogue, onChanged: EditMenuProps["onChanged"]): void {
  askOf(catalogue, () => ({
    title: "Rename the catalogue",
    action: "Rename",
    fields: {
      name: input(
        {
          label: "Name",
          required: true,
          start: catalogue.name,
          problemIn: (error) => problemOf(error, "name") ?? nameProblem(error),
        },
        untouched,
      ),
    },
    run: async (options, body) => {
      await call("PATCH /api/catalogues/:id", { params: { id: catalogue.id }, body }, options);
      return body.name.trim();
    },
    after: (name) => onChanged({ name }),
  }));
}

/** Makes a catalogue public or internal, after saying who can read what then. */
function publish(catalogue: Catalogue, onChanged: EditMenuProps["onChanged"]): void {
  const { id, is_public: isPublic } = catalogue;
  askOf(catalogue, (seen: () => Catalogue) => ({
    title: isPublic ? "Make the catalogue internal" : "Publish the catalogue",
    action: isPublic ? "Make internal" : "Publish",
    text: isPublic ? (
      <p>Guests can no longer read its events; everybody who is signed in can.</p>
    ) : (
      <ReadThen version={() => seen().version} />
    ),
    fields: {
      publishHistory: custom(false, ({ value, onValue }) =>
        isPublic || seen().version < 2 ? null : (
          <Checkbox checked={value} onChecked={onValue}>
            The earlier versions too
          </Checkbox>
        ),
      ),
    },
    run: (options, { publishHistory }) => {
      const body = { is_public: !isPublic, ...(publishHistory && { publishHistory }) };
      return call("PATCH /api/catalogues/:id", { params: { id }, body }, options);
    },
    done: isPublic ? "The catalogue is internal" : "The catalogue is public",
    after: () => onChanged({ is_public: !isPublic, access: isPublic ? "internal" : "public" }),
  }));
}

function ReadThen(props: { readonly version: () => number }) {
  const version = props.version();
  const read =
    version > 0 ? `version ${count(version)} and all later ones` : "all versions to come";
  return <p>Everybody can read its events, without an account: {read}.</p>;
}

/**
 * Asks about a change of a catalogue, which holds for it as it is now alone, and tells what others have
 * changed of it since the page was loaded. @param plan gets it as it is now, once that is known
 */
function askOf<F extends Fields, Answer>(
  loaded: Catalogue,
  plan: (seen: () => Catalogue) => Question<F, Answer>,
): void {
  const now = signal<SeenCatalogue | null>(null);
  const question = plan(() => now.value?.seen ?? loaded);
  ask<F, Answer>({
    ...question,
    text: (
      <>
        {question.text}
        <ChangesOfOthers loaded={loaded} now={now} />
      </>
    ),
    isReady: () => now.value !== null && now.value.seen !== null,
    of: () => now.value?.tag,
    run: (options, values) => {
      const send = (guarded: typeof options) => question.run(guarded, values);
      return now.value === null ? send(options) : now.value.write(options, send);
    },
  });
}

type ChangesOfOthersProps = {
  readonly loaded: Catalogue;
  /** Gets the catalogue as it is now. */
  readonly now: Signal<SeenCatalogue | null>;
};

function ChangesOfOthers({ loaded, now }: ChangesOfOthersProps) {
  const read = useSeenCatalogue(loaded.id);
  const { seen, tag, error, retry } = read;
  useEffect(() => {
    now.value = read;
  }, [seen, tag]);
  if (error !== null) return <ErrorNotice error={error} retry={retry} />;
  if (seen === null) return null;
  const changes = [
    seen.name !== loaded.name && `it is called “${seen.name}”`,
    seen.access !== loaded.access && `it is ${seen.access}`,
    seen.version !== loaded.version &&
      `version ${count(seen.version)} has arrived, with ${counted(seen.event_count, "event")}`,
  ].filter((change) => change !== false);
  if (changes.length === 0) return null;
  return <p class="notice warning">Since this page was loaded: {changes.join("; ")}.</p>;
}
