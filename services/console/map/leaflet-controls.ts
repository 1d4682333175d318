import L from "leaflet";

/** A button among those of the zoom, for those without a key 0. */
export function addFitButton(map: L.Map, onFit: () => void): void {
  const bar = map.getContainer().querySelector(".leaflet-control-zoom");
  if (!(bar instanceof HTMLElement)) return;
  const button = L.DomUtil.create("a", "map-fit", bar);
  button.href = "#";
  button.role = "button";
  button.title = "Show all (0)";
  button.setAttribute("aria-label", "Show all");
  button.textContent = "⤢";
  L.DomEvent.disableClickPropagation(button);
  L.DomEvent.on(button, "click", (event) => {
    L.DomEvent.stop(event);
    onFit();
  });
}

/** Leaflet takes credits for HTML. */
export function asHtml(text: string): string {
  const element = document.createElement("span");
  element.textContent = text;
  return element.innerHTML;
}
