import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";
import { call, send } from "../api/call.ts";
import { type SeenCatalogue, useSeenCatalogue } from "../features/catalogue/use-seen-catalogue.ts";
import type { Catalogue } from "../model/operation-types.ts";
import type { PageProps } from "../model/page-route.ts";
import { ErrorNotice, notice } from "../ui/call/notices.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { Field } from "../ui/form/field.tsx";
import { Select, TextArea } from "../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../ui/form/submit.tsx";
import { useDraft, useLeaveWarning } from "../ui/form/use-draft.ts";
import { FailedPage, Waiting } from "../ui/states.tsx";
import { useTitle } from "../ui/use-title.ts";

export function Page({ params: { id = "" } }: PageProps) {
  const { seen, error, retry, write } = useSeenCatalogue(id);
  const title = seen ? `Citation details of ${seen.name}` : "Citation details";
  useTitle(title);
  if (seen === null && error !== null) {
    return <FailedPage title={title} error={error} retry={retry} />;
  }
  return (
    <section class="page">
      <div class="page-head">
        <h1>{title}</h1>
        <Link class="button quiet end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      {error !== null && <ErrorNotice error={error} retry={retry} />}
      {seen === null && <Waiting />}
      {seen !== null && (
        <div class="columns wide citation">
          <MetadataForm catalogue={seen} write={write} />
          <Aside catalogue={seen} />
        </div>
      )}
    </section>
  );
}

function Aside({ catalogue }: { readonly catalogue: Catalogue }) {
  return (
    <aside class="stack">
      {catalogue.version > 0 && <CitedNow catalogue={catalogue} />}
      <p class="text muted">
        What you enter here stands in citations, exports and the records of all versions. It makes
        no new version of the events. Guests see it where the catalogue is public.
      </p>
    </aside>
  );
}

function CitedNow({ catalogue: { id, version, metadata } }: { readonly catalogue: Catalogue }) {
  const citation = useCall(`${id} ${version} ${JSON.stringify(metadata)}`, async (signal) => {
    const input = { params: { id, version }, query: {} };
    const operation = "GET /api/catalogues/:id/versions/:version/citation";
    return (await send(operation, input, { signal, accept: "*/*" })).text();
  });
  return (
    <section class="panel" aria-label="Cited now as">
      <h2>Cited now as</h2>
      <p class="cited">{citation.answer ?? "…"}</p>
    </section>
  );
}

/** Characters of a description, at most. */
const DESCRIPTION_MAX = 10_000;
const REFERENCES_MAX = 20_000;

type MetadataFormProps = {
  readonly catalogue: Catalogue;
  readonly write: SeenCatalogue["write"];
};

/** What a catalogue is cited by, replaced whole. */
function MetadataForm({ catalogue, write }: MetadataFormProps) {
  const { id, name, metadata } = catalogue;
  const [, navigate] = useLocation();
  const initial = useMemo(() => entriesOf(metadata), [catalogue]);
  const draft = useDraft<MetadataEntries>(`metadata of ${id}`, initial);
  const entries = draft.value;
  const set = (change: Partial<MetadataEntries>) => {
    draft.value = { ...entries, ...change };
  };
  const body = { metadata: metadataOf(entries) };
  const isChanged = JSON.stringify(body.metadata) !== JSON.stringify(metadataOf(initial));
  const { submit, isBusy, error, problemOf } = useSubmit(async () => {
    await write(body, (options) =>
      call("PATCH /api/catalogues/:id", { params: { id }, body }, options),
    );
    draft.value = initial;
    notice.done("Saved. Citations of all versions tell it from now on.");
    navigate(`/catalogues/${id}`);
  });
  useLeaveWarning(isChanged && !isBusy.value, "Leave without saving what you have entered?");
  const problem = (member: string) => problemOf(`metadata.${member}`);
  const text = (member: "title" | "publisher" | "doi") => ({
    value: entries[member],
    onValue: (value: string) => set({ [member]: value }),
    problem: problem(member),
  });
  return (
    <form class="sheets" onSubmit={submit}>
      <div class="panel">
        <Field label="Title" {...text("title")} placeholder={name} hint="Without one, its name." />
        <TextArea
          label="Description"
          rows={6}
          max={DESCRIPTION_MAX}
          value={entries.description}
          onValue={(description) => set({ description })}
          problem={problem("description")}
        />
        <TextArea
          label="References, one address a line"
          rows={3}
          max={REFERENCES_MAX}
          value={entries.references}
          onValue={(references) => set({ references })}
          problem={referenceProblem(problem)}
        />
      </div>
      <div class="panel">
        <CreatorsPart
          creators={entries.creators}
          set={(creators) => set({ creators })}
          problemOf={problem}
        />
        <Field label="Publisher" {...text("publisher")} />
        <LicenceField
          value={entries.license}
          onValue={(license) => set({ license })}
          problem={problem("license")}
        />
        <Field
          label="DOI"
          {...text("doi")}
          placeholder="10.5281/zenodo.1234567"
          hint="With one, citations lead to it; without, to the version’s address here."
        />
      </div>
      <ErrorNotice error={error.value} />
      <SubmitRow text="Save" isDisabled={isBusy.value || !isChanged}>
        <button type="button" disabled={!isChanged} onClick={() => (draft.value = initial)}>
          Undo changes
        </button>
      </SubmitRow>
    </form>
  );
}

/** Lines that a form may have, at most. */
const MOST_REFERENCES = 100;

function referenceProblem(problem: (member: string) => string | undefined): string | undefined {
  for (let i = 0; i < MOST_REFERENCES; i += 1) {
    const message = problem(`references.${i}`);
    if (message !== undefined) return `Line ${i + 1} ${message}`;
  }
  return problem("references");
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

type LicenceFieldProps = {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly problem: string | undefined;
};

/** One of the licences that catalogues mostly have, or any other of the SPDX list by its id. */
function LicenceField({ value, onValue, problem }: LicenceFieldProps) {
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
        <button type="button" onClick={() => set([...creators, NO_CREATOR])}>
          Add a creator
        </button>
      </div>
    </fieldset>
  );
}

function movedUp(creators: readonly CreatorEntry[], i: number): CreatorEntry[] {
  const [moved = NO_CREATOR] = creators.slice(i, i + 1);
  return creators.toSpliced(i, 1).toSpliced(i - 1, 0, moved);
}

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
      <Field
        label={`Name of ${name}`}
        value={creator.name}
        onValue={(value) => set({ name: value })}
        problem={problemOf("name")}
      />
      <Field
        label={`ORCID of ${name}`}
        value={creator.orcid}
        onValue={(value) => set({ orcid: value })}
        placeholder="0000-0002-1825-0097"
        problem={problemOf("orcid")}
      />
      <Field
        label={`ROR of ${name}`}
        value={creator.ror}
        onValue={(value) => set({ ror: value })}
        placeholder="https://ror.org/…"
        problem={problemOf("ror")}
      />
      <div class="row">
        {onUp && (
          <button type="button" class="small" onClick={onUp} aria-label={`Move ${name} up`}>
            Up
          </button>
        )}
        <button type="button" class="small" onClick={onRemove} aria-label={`Remove ${name}`}>
          Remove
        </button>
      </div>
    </div>
  );
}

type CreatorEntry = { readonly name: string; readonly orcid: string; readonly ror: string };

/** What a form holds of a catalogue's metadata: all as typed, references a line each. */
type MetadataEntries = {
  readonly title: string;
  readonly description: string;
  readonly creators: readonly CreatorEntry[];
  readonly publisher: string;
  readonly license: string;
  readonly doi: string;
  readonly references: string;
};

const NO_CREATOR: CreatorEntry = { name: "", orcid: "", ror: "" };

function entriesOf(metadata: CatalogueMetadata | null): MetadataEntries {
  const { title = "", description = "", publisher = "", license = "", doi = "" } = metadata ?? {};
  return {
    title,
    description,
    creators: (metadata?.creators ?? []).map(({ name, orcid = "", ror = "" }) => ({
      name,
      orcid,
      ror,
    })),
    publisher,
    license,
    doi,
    references: (metadata?.references ?? []).join("\n"),
  };
}

/** What is sent: null where nothing is entered. Creators that are empty are left out. */
function metadataOf(entries: MetadataEntries): CatalogueMetadata | null {
  const { creators, references, ...texts } = entries;
  const people = creators.map(given).filter((creator) => Object.keys(creator).length > 0);
  const addresses = references
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const metadata = {
    ...given(texts),
    ...(people.length > 0 && { creators: people as NonNullable<CatalogueMetadata["creators"]> }),
    ...(addresses.length > 0 && { references: addresses }),
  };
  return Object.keys(metadata).length > 0 ? metadata : null;
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
