import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { type Area, areaOfGeometry } from "#contracts/geometry/shape.ts";
import { wktArea } from "#contracts/query/filters.ts";
import { call } from "../../api/call.ts";
import { nameProblem } from "../../api/name-problem.ts";
import { PolygonMap } from "../../map/polygon-map.tsx";
import { areaInWords } from "../../map/shapes.ts";
import { ErrorNotice, notice } from "../../ui/call/notices.tsx";
import type { SavedRegion } from "../../ui/call/use-saved-regions.ts";
import { FileDrop } from "../../ui/file-drop.tsx";
import { useAttempts } from "../../ui/form/attempts.ts";
import { droppedFile } from "../../ui/form/dropped-file.ts";
import { bound, Field } from "../../ui/form/field.tsx";
import { TextArea } from "../../ui/form/inputs.tsx";
import { refusedFields, SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { useDraft } from "../../ui/form/use-draft.ts";
import { type ReadArea, readArea, UnreadArea } from "./read-area.ts";

/** Characters (contracts/http/regions.ts). */
const NOTE_MAX = 1_000;

type Form = { readonly name: string; readonly note: string; readonly area: Area | null };

type RegionFormProps = {
  /** The one that is changed; null: a new one. */
  readonly region: SavedRegion | null;
  /** The polygon that a new one begins with, as WKT; null for none. */
  readonly polygon: string | null;
};

/** A region's name, note and area. */
export function RegionForm({ region, polygon }: RegionFormProps) {
  const initial = useMemo(
    (): Form => ({
      name: region?.name ?? "",
      note: region?.note ?? "",
      area: region ? areaOfGeometry(region.geometry) : wktArea(polygon),
    }),
    [region, polygon],
  );
  const form = useDraft<Form>(`region ${region?.id ?? polygon ?? ""}`, initial);
  const set = (change: Partial<Form>) => {
    form.value = { ...form.value, ...change };
  };
  const { submit, error, isBusy, problemOf } = useSaving(region, form.value, () => {
    form.value = initial;
  });
  const { name, note, area } = form.value;
  const refused = refusedFields(error.value).find((field) => /^geometry\b/.test(field));
  const problem = refused && problemOf(refused);
  return (
    <form onSubmit={submit}>
      <div class="columns wide">
        <div class="stack">
          <PolygonMap area={area} onArea={(now) => set({ area: now })} />
          <p class={problem ? "problem" : "hint"} role="status">
            {problem ??
              (area === null
                ? "Draw a polygon on the map, read a file or paste a text."
                : `${areaInWords(area)}. What is drawn now becomes a further part.`)}
          </p>
        </div>
        <div class="stack">
          <Field
            label="Name"
            autocomplete="off"
            required
            value={name}
            problem={problemOf("name") ?? nameProblem(error.value)}
            onValue={(now) => set({ name: now })}
          />
          <TextArea
            label="Note (optional)"
            max={NOTE_MAX}
            rows={3}
            value={note}
            problem={problemOf("note")}
            onValue={(now) => set({ note: now })}
          />
          <AreaSources
            onRead={(read) => set({ area: read.area, name: name || (read.name ?? "") })}
          />
          <ErrorNotice error={error.value} />
          <SubmitRow
            text={region === null ? "Save the region" : "Save"}
            isDisabled={isBusy.value || area === null}
          />
        </div>
      </div>
    </form>
  );
}

/** Saves what the form holds, and leads to the region. */
function useSaving(region: SavedRegion | null, { name, note, area }: Form, onSaved: () => void) {
  const [, navigate] = useLocation();
  const attempt = useAttempts();
  return useSubmit(async () => {
    if (area === null) return;
    const body = {
      name: name.trim(),
      note: note.trim() || null,
      geometry: geometryOfArea(area),
    };
    const { region: saved } = await attempt(body, (idempotencyKey) =>
      region === null
        ? call("POST /api/regions", { body }, { idempotencyKey })
        : call("PATCH /api/regions/:id", { params: { id: region.id }, body }, { idempotencyKey }),
    );
    notice.done(`The region ${saved.name} is saved.`);
    onSaved();
    navigate(`/regions/${saved.id}`);
  });
}

function geometryOfArea(area: Area): SavedRegion["geometry"] {
  const [only] = area;
  return only !== undefined && area.length === 1
    ? { type: "Polygon", coordinates: only }
    : { type: "MultiPolygon", coordinates: area };
}

/** Of a text that is read; 10,000 vertices with all their digits are less. */
const MOST_CHARACTERS = 2_000_000;

type AreaSourcesProps = { readonly onRead: (read: ReadArea) => void };

/** Reads an area from a file, or from a text that is pasted. */
function AreaSources({ onRead }: AreaSourcesProps) {
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
  useEffect(() => {
    if (droppedFile.value === null) return;
    void take(droppedFile.value);
    droppedFile.value = null;
  }, [droppedFile.value]);
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
        <button
          type="button"
          disabled={text.value.trim() === ""}
          onClick={() => read(text.value, textProblem)}
        >
          Take it
        </button>
      </details>
    </>
  );
}
