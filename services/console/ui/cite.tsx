import { useSignal } from "@preact/signals";
import { addressOf, send } from "../api/call.ts";
import type { FilterValues } from "../model/work-state.ts";
import { Answered, useCall } from "./call.tsx";
import { CopyText } from "./form/copy.tsx";
import { Dialog } from "./form/dialog.tsx";
import { bound, Checkbox, Segmented } from "./form/fields.tsx";
import { Button } from "./page.tsx";
import { filterWords } from "./text/filter-words.ts";
import { count } from "./text/format.ts";

/** Keeps "M ≥ 2" in one line. */
const NO_BREAK = "\u00a0";

const FORMATS = [
  { value: "text", text: "Text" },
  { value: "bibtex", text: "BibTeX" },
  { value: "ris", text: "RIS" },
  { value: "datacite", text: "DataCite" },
  { value: "cff", text: "CFF" },
] as const;

type Format = (typeof FORMATS)[number]["value"];

type CiteProps = {
  readonly catalogue: string;
  readonly version: number;
  /** Of what is looked at: the citation tells them. */
  readonly filters?: FilterValues;
  readonly onClose: () => void;
};

const OPERATION = "GET /api/catalogues/:id/versions/:version/citation";

/** How to cite a version, or what is looked at of it, to be copied or saved. */
export function Cite({ catalogue, version, filters = {}, onClose }: CiteProps) {
  const format = useSignal<Format>("text");
  const isFiltered = useSignal(true);
  const words = filterWords(filters);
  const told = isFiltered.value ? filters : {};
  const input = {
    params: { id: catalogue, version },
    query: { format: format.value, ...told },
  };
  const citation = useCall(JSON.stringify(input), async (signal) => {
    const answer = await send(OPERATION, input, { signal, accept: "*/*" });
    return answer.text();
  });
  return (
    <Dialog title={`Cite version ${count(version)}`} onClose={onClose}>
      {words.length > 0 && (
        <Checkbox checked={isFiltered.value} onChecked={bound(isFiltered).onValue}>
          Say that only these events were used:{" "}
          {words.map((word) => word.replaceAll(" ", NO_BREAK)).join(", ")}
        </Checkbox>
      )}
      <Segmented legend="Format" {...bound(format)} options={FORMATS} />
      <Answered call={citation}>
        {(text) => <CopyText key={format.value} text={text.trim()} />}
      </Answered>
      <div class="row">
        <a class="button" href={addressOf(OPERATION, input)} download>
          Save as a file
        </a>
        <Button onClick={onClose} text="Close" />
      </div>
    </Dialog>
  );
}
