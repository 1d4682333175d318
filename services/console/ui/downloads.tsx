import { useAction } from "./call/use-action.ts";
import { pngOf } from "./text/picture.ts";
import { saveBlob, saveText } from "./text/save-text.ts";

type DownloadsProps = {
  /** Of the files, without their endings. */
  readonly name: string;
  /** The picture as an SVG document; null while it is not there. */
  readonly svg: () => Promise<string> | null;
  /** The picture in pixels, where it is not made of the SVG here. */
  readonly png?: () => Promise<Blob>;
  /** The numbers; null where there are none. */
  readonly csv: (() => string | Promise<string>) | null;
  /** The address of the answer. */
  readonly json?: string;
  /** What is shown is not what was asked last: nothing of it is given away. */
  readonly isBusy: boolean;
};

/** A plot and its numbers, to be taken along. */
export function Downloads({ name, svg, png, csv, json, isBusy: isStale }: DownloadsProps) {
  const { isBusy, run } = useAction();
  const saveSvg = async () => {
    const text = await svg();
    if (text !== null) saveText(`${name}.svg`, "image/svg+xml", text);
  };
  const savePng = async () => {
    if (png) return saveBlob(`${name}.png`, await png());
    const text = await svg();
    if (text !== null) saveBlob(`${name}.png`, await pngOf(text));
  };
  const saveCsv = async () => {
    if (csv) saveText(`${name}.csv`, "text/csv", await csv());
  };
  const kinds = [
    ["SVG", saveSvg],
    ["PNG", savePng],
    ...(csv ? ([["CSV", saveCsv]] as const) : []),
  ] as const;
  return (
    <div class="row">
      <span class="muted small">Save as</span>
      {kinds.map(([kind, save]) => (
        <button
          key={kind}
          type="button"
          class="small"
          aria-label={`Save as ${kind}`}
          disabled={isStale || isBusy.value}
          onClick={() => run(save)}
        >
          {kind}
        </button>
      ))}
      {json !== undefined && (
        <a class="button small" href={json} aria-label="The answer as JSON">
          JSON
        </a>
      )}
    </div>
  );
}
