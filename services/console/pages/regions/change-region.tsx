import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation, useSearchParams } from "wouter-preact";
import { type Area, areaOfGeometry } from "#contracts/geometry/shape.ts";
import { wktArea } from "#contracts/query/filters.ts";
import { call } from "../../api/call.ts";
import { type ReadArea, readArea, UnreadArea } from "../../features/regions/read-area.ts";
import { NoRegion } from "../../features/regions/region.tsx";
import { PolygonMap } from "../../map/polygon-map.tsx";
import { areaInWords } from "../../map/shapes.ts";
import { useAnswer, Waiting } from "../../ui/call.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { nullable, text } from "../../ui/form/codecs.ts";
import { bound, TextArea } from "../../ui/form/fields.tsx";
import { area, custom, input, useForm } from "../../ui/form/form.tsx";
import { nameProblem, problemOf, refusedFields, SubmitRow } from "../../ui/form/submit.tsx";
import { useDraft } from "../../ui/form/use-draft.ts";
import { Button, Frame, type PageProps } from "../../ui/page.tsx";
import type { SavedRegion } from "../../ui/saved-regions.tsx";

/** A new region, or the settings of one that is there. */
export function Page({ params: { id } }: PageProps) {
  const [query] = useSearchParams();
  const asked = id === undefined ? null : { params: { id } };
  const { answer, error, reload } = useAnswer("GET /api/regions/:id", asked);
  if (error !== null) return <NoRegion error={error} retry={reload} />;
  if (id !== undefined && answer === null) return <Waiting />;
  const region = answer?.region ?? null;
  return (
    <Frame
      title={region === null ? "New region" : `Change ${region.name}`}
      back={
        region === null
          ? ["/regions", "All regions"]
          : [`/regions/${region.id}`, "Back to the region"]
      }
    >
      <RegionForm region={region} polygon={query.get("polygon")} />
    </Frame>
  );
}

const FIELDS = {
  name: input({
    label: "Name",
    autocomplete: "off",
    required: true,
    problemIn: (error) => problemOf(error, "name") ?? nameProblem(error),
  }),
  // Characters at most: contracts/http/regions.ts.
  note: area({ label: "Note (optional)", max: 1_000, rows: 3 }, nullable(text)),
  area: custom<Area | null>(null, () => null),
};

type RegionFormProps = {
  /** The one that is changed; null: a new one. */
  readonly region: SavedRegion | null;
  /** The polygon that a new one begins with, as WKT; null for none. */
  readonly polygon: string | null;
};

/** A region's name, note and area. */
function RegionForm({ region, polygon }: RegionFormProps) {
  const [, navigate] = useLocation();
  const initial = useMemo(
    () => ({
      name: region?.name ?? "",
      note: region?.note ?? "",
      area: region ? areaOfGeometry(region.geometry) : wktArea(polygon),
    }),
    [region, polygon],
  );
  const form = useDraft(`region ${region?.id ?? polygon ?? ""}`, initial);
  const { field, set, ...submission } = useForm(
    {
      fields: FIELDS,
      run: async (options, { name, note, area }) => {
        const body = { name, note, geometry: geometryOfArea(area ?? []) };
        return region === null
          ? await call("POST /api/regions", { body }, options)
          : await call("PATCH /api/regions/:id", { params: { id: region.id }, body }, options);
      },
      done: ({ region: saved }) => `The region ${saved.name} is saved.`,
      after: ({ region: saved }) => {
        form.value = initial;
        navigate(`/regions/${saved.id}`);
      },
    },
    form,
  );
  const { name, area: drawn } = form.value;
  const refused = refusedFields(submission.error.value).find((one) => /^geometry\b/.test(one));
  const problem = refused && submission.problemOf(refused);
  return (
    <form onSubmit={submission.submit}>
      <div class="columns wide">
        <div class="stack">
          <PolygonMap area={drawn} onArea={(now) => set({ area: now })} />
          <p class={problem ? "problem" : "hint"} role="status">
            {problem ??
              (drawn === null
                ? "Draw a polygon on the map, read a file or paste a text."
                : `${areaInWords(drawn)}. What is drawn now becomes a further part.`)}
          </p>
        </div>
        <div class="stack">
          {field("name")}
          {field("note")}
          <AreaSources
            onRead={(read) => set({ area: read.area, name: name || (read.name ?? "") })}
          />
          <SubmitRow
            of={submission}
            text={region === null ? "Save the region" : "Save"}
            isDisabled={drawn === null}
          />
        </div>
      </div>
    </form>
  );
}

function geometryOfArea(area: Area): SavedRegion["geometry"] {
  const [only] = area;
  return only !== undefined && area.length === 1
    ? { type: "Polygon", coordinates: only }
    : { type: "MultiPolygon", coordinates: area };
}

/** Of a text that is read; 10,000 vertices with all their digits are less. */
const MOST_CHARACTERS = 2_000_000;

/** Reads an area from a file, or from a text that is pasted. */
function AreaSources({ onRead }: { readonly onRead: (read: ReadArea) => void }) {
  const file = useSignal<{ readonly name: string; readonly size: string } | null>(null);
  const fileProblem = useSignal<string | undefined>(undefined);
  const text = useSignal("");
  const textProblem = useSignal<string | undefined>(undefined);
  const read = (from: string, problem: typeof textProblem) => {
    problem.value = undefined;
    try {
      onRead(readArea(from));
    } catch (error) {
      if (!(error instanceof UnreadArea)) throw error;
      problem.value = error.message;
    }
  };
  const take = async (chosen: File) => {
    file.value = { name: chosen.name, size: "" };
    if (chosen.size > MOST_CHARACTERS) {
      fileProblem.value = "The file is too large for a region.";
      return;
    }
    const content = await chosen.text().catch(() => null);
    if (content !== null) read(content, fileProblem);
    else fileProblem.value = "The file cannot be read any more.";
  };

  return (
    <>
      <FileDrop
        chosen={file.value}
        hint="GeoJSON with one area, or WKT."
        problem={fileProblem.value}
        onFile={(chosen) => void take(chosen)}
      />
      <details>
        <summary>Paste GeoJSON or WKT</summary>
        <TextArea
          label="Text of the area"
          max={MOST_CHARACTERS}
          rows={5}
          problem={textProblem.value}
          {...bound(text)}
        />
        <Button
          disabled={text.value.trim() === ""}
          onClick={() => read(text.value, textProblem)}
          text="Take it"
        />
      </details>
    </>
  );
}
