import { useAction } from "./call.tsx";
import { Button } from "./page.tsx";
import { saveBlob, saveText } from "./text/files.ts";
import faceAddress from "./type/console-sans.woff2";

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
        <Button
          key={kind}
          class="small"
          aria-label={`Save as ${kind}`}
          disabled={isStale || isBusy.value}
          onClick={() => run(save)}
          text={kind}
        />
      ))}
      {json !== undefined && (
        <a class="button small" href={json} aria-label="The answer as JSON">
          JSON
        </a>
      )}
    </div>
  );
}

/** Pictures as texts and pixels. The console's policy takes images from data addresses alone. */

/** The address of an SVG document as an image. */
export function addressOfSvg(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

/** The address of a picture in pixels as an image. */
export function addressOfBlob(picture: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(picture);
  });
}

/** A drawing of the page as a document of its own, with the letters that it has here. */
export async function svgOf(drawing: SVGSVGElement): Promise<string> {
  const face = await (await fetch(faceAddress)).blob();
  const source = `url(${await addressOfBlob(face)}) format("woff2")`;
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = `@font-face{font-family:"Console Sans";font-weight:200 900;src:${source}}`;
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.prepend(style);
  return new XMLSerializer().serializeToString(copy);
}

/** An SVG document in pixels, so many for one of its own. */
async function pngOf(svg: string, scale = 2): Promise<Blob> {
  const image = new Image();
  image.src = addressOfSvg(svg);
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * scale;
  canvas.height = image.naturalHeight * scale;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("There is no picture")))),
  );
}
