import { type AnswerOf, call, callForAll } from "../api/call.ts";
import { user } from "../api/session.ts";
import { type Loaded, useCall } from "./call.tsx";
import { Select } from "./form/fields.tsx";
import { regionNames } from "./text/filter-words.ts";

export type SavedRegion = AnswerOf<"GET /api/regions/:id">["region"];
/** Without its geometry, which may be large. */
export type ListedRegion = Omit<SavedRegion, "geometry">;

/** The saved regions by name; none for guests, who may not list them. */
export function useSavedRegions(): Loaded<readonly ListedRegion[]> {
  return useCall(`regions ${user.value?.id}`, async (signal) => {
    if (!user.value) return [];
    const query = { geometry: "false" };
    const { regions } = (await callForAll("GET /api/regions", { query }, { signal })).answer;
    keepNames(regions);
    return regions.toSorted((a, b) => a.name.localeCompare(b.name));
  });
}

/** A saved region; null before it is there, where there is none, and for guests. */
export function useSavedRegion(id: string | null): SavedRegion | null {
  return useCall(`region ${id} ${user.value?.id}`, async (signal) => {
    if (id === null || !user.value) return null;
    const { region } = await call("GET /api/regions/:id", { params: { id } }, { signal });
    keepNames([region]);
    return region;
  }).answer;
}

/** Words of filters have them from then on (`filterWords`). */
function keepNames(regions: readonly { readonly id: string; readonly name: string }[]): void {
  regionNames.value = new Map([
    ...regionNames.value,
    ...regions.map(({ id, name }) => [id, name] as const),
  ]);
}

type RegionChoiceProps = {
  readonly label: string;
  /** An id; empty for none. */
  readonly value: string;
  readonly hint?: string;
  readonly problem?: string | undefined;
  readonly onValue: (id: string) => void;
};

/** One of the saved regions, or none. Guests are not told which there are, and keep or leave the one they have. */
export function RegionChoice({ label, value, hint, problem, onValue }: RegionChoiceProps) {
  const regions = useSavedRegions().last ?? [];
  if (!user.value && value === "") return null;
  const isListed = value === "" || regions.some(({ id }) => id === value);
  return (
    <Select
      label={label}
      value={value}
      options={[
        { value: "", text: "none" },
        ...regions.map(({ id, name }) => ({ value: id, text: name })),
        ...(isListed ? [] : [{ value, text: "a saved region" }]),
      ]}
      {...(hint !== undefined && { hint })}
      problem={problem}
      onValue={onValue}
    />
  );
}
