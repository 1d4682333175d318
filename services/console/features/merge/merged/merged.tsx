import { type AnswerOf, type Catalogue, call } from "../../../api/call.ts";
import { changesOfAccount, has } from "../../../api/session.ts";
import { type Loaded, useCall } from "../../../ui/call.tsx";
import { ButtonLink, Empty } from "../../../ui/page.tsx";

/** How a catalogue was merged, and how its sources stand now. */
export type Merged = AnswerOf<"GET /api/catalogues/:id/merge">;
export type ShownDecision = Merged["decisions"][number];

export type MergedCatalogue = { readonly catalogue: Catalogue; readonly merged: Merged };

/**
 * A merged catalogue; `merged` is null where it was made in another way.
 * @param operation a refresh that is followed: after another one it is read anew
 */
export function useMerged(
  id: string,
  operation: string | null = null,
): Loaded<{ readonly catalogue: Catalogue; readonly merged: Merged | null }> {
  return useCall(`${id} ${operation} ${changesOfAccount.value}`, async (signal) => {
    const input = { params: { id } };
    const catalogue = await call("GET /api/catalogues/:id", input, { signal });
    if (catalogue.merge_config === null) return { catalogue, merged: null };
    return { catalogue, merged: await call("GET /api/catalogues/:id/merge", input, { signal }) };
  });
}

/** A source as the page shows it; null what is not for the reader. */
export type MergedFrom = {
  readonly id: string | null;
  readonly name: string | null;
  readonly label: string | null;
  /** What the merge has of it, and what there is. */
  readonly version: number;
  readonly latest: number | null;
};

/** The sources of a merge with their names. */
export function sourcesOf({ catalogue, merged }: MergedCatalogue): readonly MergedFrom[] {
  return merged.sources.map(({ catalogue_id: id, version, latest }, index) => {
    const known = catalogue.source_catalogues ?? [];
    const named = known.find((one) => one.id !== null && one.id === id) ?? known[index];
    return { id, name: named?.name ?? null, label: named?.source || null, version, latest };
  });
}

/** What tells a source from the others. */
export function nameOf({ label, name }: Pick<MergedFrom, "label" | "name">): string {
  return label ?? name ?? "a catalogue that is not yours to see";
}

/** Stands where a catalogue was made in another way than by a merge. */
export function NoMerge() {
  return (
    <Empty
      title="This catalogue was not made by a merge."
      text="A merge takes two or more catalogues and makes a new one, with each earthquake once. Its page shows what it was made of, and takes in what its sources have since."
    >
      {has("editor") && <ButtonLink href="/merge" text="Merge catalogues" />}
    </Empty>
  );
}
