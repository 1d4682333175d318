import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";
import { type Catalogue, call, send } from "../api/call.ts";
import { type SeenCatalogue, useSeenCatalogue } from "../features/catalogue/use-seen-catalogue.ts";
import { ErrorNotice, useCall, Waiting } from "../ui/call.tsx";
import { lines, optional, text } from "../ui/form/codecs.ts";
import { Field, Select, TypedFields } from "../ui/form/fields.tsx";
import {
  area,
  custom,
  input,
  type Shown,
  typedAtFirst,
  useForm,
  valuesIn,
} from "../ui/form/form.tsx";
import { problemOf, SubmitRow } from "../ui/form/submit.tsx";
import { useDraft, useLeaveWarning } from "../ui/form/use-draft.ts";
import { Button, FailedPage, Frame, type PageProps, Panel, useTitle } from "../ui/page.tsx";

export function Page({ params: { id = "" } }: PageProps) {
  const now = useSeenCatalogue(id);
  const { seen, error, retry } = now;
  const title = seen ? `Citation details of ${seen.name}` : "Citation details";
  useTitle(title);
  if (seen === null && error !== null) {
    return <FailedPage title={title} error={error} retry={retry} />;
  }
  return (
    <Frame title={title} back={[`/catalogues/${id}`, "Back to the catalogue"]}>
      <ErrorNotice error={error} retry={retry} />
      {seen === null && <Waiting />}
      {seen !== null && (
        <div class="columns wide citation">
          <MetadataForm catalogue={seen} now={now} />
          <aside class="stack">
            {seen.version > 0 && <CitedNow catalogue={seen} />}
            <p class="text muted">
              What you enter here stands in citations, exports and the records of all versions. It
              makes no new version of the events. Guests see it where the catalogue is public.
            </p>
          </aside>
        </div>
      )}
    </Frame>
  );
}

function CitedNow({ catalogue: { id, version, metadata } }: { readonly catalogue: Catalogue }) {
  const citation = useCall(`${id} ${version} ${JSON.stringify(metadata)}`, async (signal) => {
    const input = { params: { id, version }, query: {} };
    const operation = "GET /api/catalogues/:id/versions/:version/citation";
    return (await send(operation, input, { signal, accept: "*/*" })).text();
  });
  return (
    <Panel title="Cited now as" aria-label="Cited now as">
      <p class="cited">{citation.answer ?? "…"}</p>
    </Panel>
  );
}

type CreatorEntry = { readonly name: string; readonly orcid: string; readonly ror: string };

const NO_CREATOR: CreatorEntry = { name: "", orcid: "", ror: "" };
const NO_CREATORS: readonly CreatorEntry[] = [];

const at = (member: string) => (error: unknown) => problemOf(error, `metadata.${member}`);

/** What a catalogue is cited by: all as typed, references a line each. What is left empty is not sent. */
const FIELDS = {
  description: area(
    { label: "Description", rows: 6, max: 10_000, problemIn: at("description") },
    optional(text),
  ),
  references: area(
    {
      label: "References, one address a line",
      rows: 3,
      max: 20_000,
      problemIn: referenceProblem,
    },
    optional(lines),
  ),
  creators: {
    start: NO_CREATORS,
    valueOf: (creators: readonly CreatorEntry[]) => {
      const people = creators.map(given).filter((creator) => Object.keys(creator).length > 0);
      return people.length === 0
        ? undefined
        : (people as NonNullable<CatalogueMetadata["creators"]>);
    },
    show: () => null,
  },
  publisher: input({ label: "Publisher", problemIn: at("publisher") }, optional(text)),
  license: {
    ...custom("", (shown) => <LicenceField {...shown} />),
    valueOf: optional(text),
    problemIn: at("license"),
  },
  doi: input(
    {
      label: "DOI",
      placeholder: "10.5281/zenodo.1234567",
      hint: "With one, citations lead to it; without, to the version’s address here.",
      problemIn: at("doi"),
    },
    optional(text),
  ),
};

/** What a catalogue is cited by, replaced whole. */
function MetadataForm(props: { readonly catalogue: Catalogue; readonly now: SeenCatalogue }) {
  const { catalogue, now } = props;
  const { id, name, metadata } = catalogue;
  const [, navigate] = useLocation();
  const fields = useMemo(
    () => ({
      title: input(
        {
          label: "Title",
          placeholder: name,
          hint: "Without one, its name.",
          problemIn: at("title"),
        },
        optional(text),
      ),
      ...FIELDS,
    }),
    [name],
  );
  const initial = useMemo(() => {
    const { title = "", description = "", publisher = "", license = "", doi = "" } = metadata ?? {};
    const { references = [], creators = [] } = metadata ?? {};
    return typedAtFirst(fields, {
      ...{ title, description, publisher, license, doi },
      references: references.join("\n"),
      creators: creators.map(({ name, orcid = "", ror = "" }) => ({ name, orcid, ror })),
    });
  }, [catalogue]);
  const draft = useDraft(`metadata of ${id}`, initial);
  const textOf = (typed: typeof initial) => JSON.stringify(valuesIn(fields, typed));
  const isChanged = textOf(draft.value) !== textOf(initial);
  const { field, ...submission } = useForm(
    {
      fields,
      of: () => now.tag,
      run: (options, metadata) => {
        const isEmpty = Object.values(metadata).every((value) => value === undefined);
        const body = { metadata: isEmpty ? null : metadata };
        return now.write(options, (guarded) =>
          call("PATCH /api/catalogues/:id", { params: { id }, body }, guarded),
        );
      },
      done: "Saved. Citations of all versions tell it from now on.",
      after: () => {
        draft.value = initial;
        navigate(`/catalogues/${id}`);
      },
    },
    draft,
  );
  useLeaveWarning(
    isChanged && !submission.isBusy.value,
    "Leave without saving what you have entered?",
  );
  return (
    <form class="sheets" onSubmit={submission.submit}>
      <div class="panel">{(["title", "description", "references"] as const).map(field)}</div>
      <div class="panel">
        <CreatorsPart
          creators={draft.value.creators}
          set={(creators) => (draft.value = { ...draft.value, creators })}
          problemOf={(member) => at(member)(submission.error.value)}
        />
        {(["publisher", "license", "doi"] as const).map(field)}
      </div>
      <SubmitRow of={submission} text="Save" isDisabled={!isChanged}>
        <Button disabled={!isChanged} onClick={() => (draft.value = initial)} text="Undo changes" />
      </SubmitRow>
    </form>
  );
}

/** Lines that a form may have, at most. */
const MOST_REFERENCES = 100;

function referenceProblem(error: unknown): string | undefined {
  for (let i = 0; i < MOST_REFERENCES; i += 1) {
    const message = at(`references.${i}`)(error);
    if (message !== undefined) return `Line ${i + 1} ${message}`;
  }
  return at("references")(error);
}

const NAMED = [
  { value: "", text: "none" },
  { value: "CC0-1.0", text: "CC0 1.0: no rights reserved" },
  { value: "CC-BY-4.0", text: "CC BY 4.0: whoever uses it names its creators" },
  { value: "CC-BY-SA-4.0", text: "CC BY-SA 4.0: and shares alike" },
  { value: "CC-BY-NC-4.0", text: "CC BY-NC 4.0: and earns nothing by it" },
  { value: "ODbL-1.0", text: "ODbL 1.0: Open Database Licence" },
] as const;

const OTHER = "other";

/** One of the licences that catalogues mostly have, or any other of the SPDX list by its id. */
function LicenceField({ value, onValue, problem }: Shown<string>) {
  const isNamed = NAMED.some((one) => one.value === value);
  const isOther = useSignal(!isNamed);
  return (
    <>
      <Select
        label="Licence"
        value={isOther.value ? OTHER : value}
        options={[...NAMED, { value: OTHER, text: "another, by its SPDX id" }]}
        onValue={(chosen) => {
          isOther.value = chosen === OTHER;
          if (chosen !== OTHER) onValue(chosen);
        }}
        problem={isOther.value ? undefined : problem}
      />
      {isOther.value && (
        <Field
          label="SPDX id of the licence"
          value={value}
          onValue={onValue}
          placeholder="CC-BY-3.0-AU"
          hint={
            <a href="https://spdx.org/licenses/" target="_blank" rel="noreferrer">
              The list of licences
            </a>
          }
          problem={problem}
        />
      )}
    </>
  );
}

type CreatorsPartProps = {
  readonly creators: readonly CreatorEntry[];
  readonly set: (creators: readonly CreatorEntry[]) => void;
  /** What the service said of a member of the metadata. */
  readonly problemOf: (member: string) => string | undefined;
};

/** Who made a catalogue, in the order in which a citation names them. */
function CreatorsPart({ creators, set, problemOf }: CreatorsPartProps) {
  return (
    <fieldset class="stack">
      <legend>Creators</legend>
      <p class="hint">
        Persons as “Family, Given”, or organisations by their name, in the order of the citation.
      </p>
      {creators.map((creator, i) => (
        <Creator
          key={i}
          number={i + 1}
          creator={creator}
          set={(change) => set(creators.with(i, { ...creator, ...change }))}
          onUp={i === 0 ? null : () => set(movedUp(creators, i))}
          onRemove={() => set(creators.toSpliced(i, 1))}
          problemOf={(name) => problemOf(`creators.${sentIndex(creators, i)}.${name}`)}
        />
      ))}
      <div class="row">
        <Button onClick={() => set([...creators, NO_CREATOR])} text="Add a creator" />
      </div>
    </fieldset>
  );
}

function movedUp(creators: readonly CreatorEntry[], i: number): CreatorEntry[] {
  const [moved = NO_CREATOR] = creators.slice(i, i + 1);
  return creators.toSpliced(i, 1).toSpliced(i - 1, 0, moved);
}

const CREATOR = [
  { name: "name", label: "Name" },
  { name: "orcid", label: "ORCID", placeholder: "0000-0002-1825-0097" },
  { name: "ror", label: "ROR", placeholder: "https://ror.org/…" },
] as const;

type CreatorProps = {
  readonly number: number;
  readonly creator: CreatorEntry;
  readonly set: (change: Partial<CreatorEntry>) => void;
  /** Null for the first. */
  readonly onUp: (() => void) | null;
  readonly onRemove: () => void;
  readonly problemOf: (name: keyof CreatorEntry) => string | undefined;
};

function Creator({ number, creator, set, onUp, onRemove, problemOf }: CreatorProps) {
  const name = `creator ${number}`;
  return (
    <div class="creator">
      <TypedFields
        fields={CREATOR.map((field) => ({ ...field, label: `${field.label} of ${name}` }))}
        values={creator}
        set={set}
        problemOf={problemOf}
      />
      <div class="row">
        {onUp && <Button class="small" onClick={onUp} aria-label={`Move ${name} up`} text="Up" />}
        <Button class="small" onClick={onRemove} aria-label={`Remove ${name}`} text="Remove" />
      </div>
    </div>
  );
}

/** The index, among the creators that are sent, of one of the form. */
function sentIndex(creators: readonly CreatorEntry[], index: number): number {
  const before = creators.slice(0, index);
  return before.filter((creator) => Object.keys(given(creator)).length > 0).length;
}

/** The texts that are not empty. */
function given<T extends Readonly<Record<string, string>>>(texts: T): Partial<T> {
  const entries = Object.entries(texts).map(([name, text]) => [name, text.trim()] as const);
  return Object.fromEntries(entries.filter(([, text]) => text !== "")) as Partial<T>;
}
