import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import type { Catalogue } from "../../model/operation-types.ts";
import type { FilterValues } from "../../model/work-state.ts";
import { ErrorNotice } from "../../ui/call.tsx";
import { ask } from "../../ui/form/ask.ts";
import type { Question } from "../../ui/form/asked.tsx";
import { untouched } from "../../ui/form/codecs.ts";
import { Checkbox } from "../../ui/form/fields.tsx";
import { custom, type Fields, input } from "../../ui/form/form.tsx";
import { nameProblem, problemOf } from "../../ui/form/submit.tsx";
import { Menu } from "../../ui/menu.tsx";
import { count, events } from "../../ui/text/format.ts";
import { type SeenCatalogue, useSeenCatalogue } from "./use-seen-catalogue.ts";

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
export function EditMenu({ catalogue, filters, onChanged }: EditMenuProps) {
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
              <button type="button" class="plain" onClick={to}>
                {text}
              </button>
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
      `version ${count(seen.version)} has arrived, with ${events(seen.event_count)}`,
  ].filter((change) => change !== false);
  if (changes.length === 0) return null;
  return <p class="notice warning">Since this page was loaded: {changes.join("; ")}.</p>;
}
