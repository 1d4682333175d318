import faceAddress from "../type/console-sans.woff2";

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
export async function pngOf(svg: string, scale = 2): Promise<Blob> {
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
