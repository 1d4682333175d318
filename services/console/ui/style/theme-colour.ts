/** A colour of the style sheets' scale, for example "--muted", as canvases take it in the theme that is shown. */
export function themeColour(name: string, element: Element): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
