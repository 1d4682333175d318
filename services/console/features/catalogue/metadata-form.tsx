import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { TextArea } from "../../ui/form/text-area.tsx";
import { useDraft } from "../../ui/form/use-draft.ts";
import { useLeaveWarning } from "../../ui/form/use-leave-warning.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import {
  type CreatorEntry,
  entriesOf,
  type MetadataEntries,
  metadataOf,
  NO_CREATOR,
  sentIndex,
} from "./metadata-entries.ts";
import type { SeenCatalogue } from "./use-seen-catalogue.ts";

/** Characters of a description, at most. */
const DESCRIPTION_MAX = 10_000;
const REFERENCES_MAX = 20_000;

type MetadataFormProps = {
  readonly catalogue: Catalogue;
  readonly write: SeenCatalogue["write"];
};

/** What a catalogue is cited by, replaced whole. */
export function MetadataForm({ catalogue, write }: MetadataFormProps) {
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
