import { Field } from "../../ui/form/field.tsx";
import { type CreatorEntry, NO_CREATOR, sentIndex } from "./metadata-entries.ts";

type CreatorsPartProps = {
  readonly creators: readonly CreatorEntry[];
  readonly set: (creators: readonly CreatorEntry[]) => void;
  /** What the service said of a member of the metadata. */
  readonly problemOf: (member: string) => string | undefined;
};

/** Who made a catalogue, in the order in which a citation names them. */
export function CreatorsPart({ creators, set, problemOf }: CreatorsPartProps) {
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
