import { useSignal } from "@preact/signals";
import { addressOf, send } from "../api/call.ts";
import { Answered } from "./call/answered.tsx";
import { useCall } from "./call/use-call.ts";
import { bound } from "./form/bound.ts";
import { CopyField } from "./form/copy-field.tsx";
import { CopyText } from "./form/copy-text.tsx";
import { Dialog } from "./form/dialog.tsx";
import { Select } from "./form/select.tsx";
import { count } from "./text/format.ts";

const FORMATS = [
  { value: "text", text: "Text" },
  { value: "bibtex", text: "BibTeX" },
  { value: "ris", text: "RIS" },
  { value: "datacite", text: "DataCite JSON" },
  { value: "cff", text: "CFF" },
] as const;

type Format = (typeof FORMATS)[number]["value"];

type CiteProps = {
  readonly catalogue: string;
  readonly version: number;
  readonly onClose: () => void;
};

const OPERATION = "GET /api/catalogues/:id/versions/:version/citation";

/** How to cite a version, to be copied or saved. */
export function Cite({ catalogue, version, onClose }: CiteProps) {
  const format = useSignal<Format>("text");
  const input = {
    params: { id: catalogue, version },
    query: { format: format.value },
  };
  const citation = useCall(`${catalogue} ${version} ${format.value}`, async (signal) => {
    const answer = await send(OPERATION, input, { signal, accept: "*/*" });
    return answer.text();
  });
  return (
    <Dialog title={`Cite version ${count(version)}`} onClose={onClose}>
      <Select label="Format" {...bound(format)} options={FORMATS} />
      <Answered call={citation}>
        {(text) =>
          format.value === "text" ? (
            <CopyField label="Citation" value={text.trim()} />
          ) : (
            <CopyText key={format.value} text={text} />
          )
        }
      </Answered>
      <div class="row">
        <a class="button" href={addressOf(OPERATION, input)} download>
          Save
        </a>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
