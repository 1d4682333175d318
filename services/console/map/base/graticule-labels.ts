import L from "leaflet";
import { latitude, longitude } from "../../ui/text/format.ts";
import { degreeDigits, graticuleStep } from "./graticule.ts";

/** Room for the controls at the left, for the first line, and for the credit at the bottom, pixels of the screen. */
const ZOOM_WIDTH = 64;
const LINE_HEIGHT = 24;
const CREDIT_HEIGHT = 32;

/** Says the degrees of the graticule's lines: meridians on the upper edge, parallels on the right one. */
export function labelGraticule(map: L.Map): void {
  const element = L.DomUtil.create("div", "map-degrees", map.getContainer());
  element.setAttribute("aria-hidden", "true");
  const label = (): void => {
    const step = graticuleStep(map.getZoom());
    const digits = degreeDigits(step);
    const { x: width, y: height } = map.getSize();
    const labels: HTMLElement[] = [];
    const box = map.getBounds();
    for (let at = Math.ceil(box.getWest() / step); at * step < box.getEast(); at++) {
      const { x } = map.latLngToContainerPoint([0, at * step]);
      const degrees = L.Util.wrapNum(at * step, [-180, 180], true);
      if (x > ZOOM_WIDTH && x < width - ZOOM_WIDTH) {
        // The line between the halves is in neither.
        const text = Math.abs(degrees) === 180 ? "180°" : longitude(degrees, digits);
        labels.push(labelAt("map-meridian", text, x));
      }
    }
    for (let at = Math.ceil(box.getSouth() / step); at * step < box.getNorth(); at++) {
      const { y } = map.latLngToContainerPoint([at * step, box.getWest()]);
      if (y > LINE_HEIGHT && y < height - CREDIT_HEIGHT) {
        labels.push(labelAt("map-parallel", latitude(at * step, digits), y));
      }
    }
    element.replaceChildren(...labels);
  };
  map.on("move zoomend resize", label);
  label();
}

function labelAt(name: string, text: string, pixels: number): HTMLElement {
  const label = L.DomUtil.create("span", name);
  label.textContent = text;
  label.style.setProperty("--at", `${Math.round(pixels)}px`);
  return label;
}
