import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { FileDrop } from "../../ui/file-drop.tsx";
import { bound } from "../../ui/form/bound.ts";
import { droppedFile } from "../../ui/form/dropped-file.ts";
import { TextArea } from "../../ui/form/text-area.tsx";
import { type ReadArea, readArea, UnreadArea } from "./read-area.ts";

/** Of a text that is read; 10,000 vertices with all their digits are less. */
const MOST_CHARACTERS = 2_000_000;

type AreaSourcesProps = { readonly onRead: (read: ReadArea) => void };

/** Reads an area from a file, or from a text that is pasted. */
export function AreaSources({ onRead }: AreaSourcesProps) {
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
