import { Part } from "./part.tsx";

const GROUNDS = ["ground", "raised", "sunken", "hover", "line", "line-button", "line-strong"];
const INKS = ["text", "muted", "accent", "danger", "good", "warning"];
const FILLS = ["accent-fill", "accent-ground", "danger-ground", "good-ground", "warning-ground"];

/** Letters, colours and spaces. */
export function Scales() {
  return (
    <>
      <Part title="Letters">
        <p class="display">24 · Taupō, 12 km SE, M 6.1 ± 0.2</p>
        <h2>18 · Magnitudes of the catalogue</h2>
        <h3>15 strong · Origin and magnitude</h3>
        <p>15 · Depths are below sea level; σ ≤ 0.3, Δt ≥ 1 s, 175.934° E, b = 0.998 ± 0.002.</p>
        <p class="small">13 · Hints, heads of tables and labels of fields.</p>
        <p class="request">12 · Badges and numbers of requests.</p>
        <p class="code">13 · quakeml:nz.org.geonet/2024p344188</p>
        <p>
          <a href="#letters">Its 1,133 events</a>, <strong>something strong</strong>,{" "}
          <span class="muted">something muted</span>, <kbd>Ctrl</kbd> <kbd>K</kbd>
        </p>
      </Part>
      <Part title="Colours">
        <Swatches label="Grounds and lines" names={GROUNDS} />
        <Swatches label="Inks" names={INKS} />
        <Swatches label="Fills" names={FILLS} />
      </Part>
    </>
  );
}

function Swatches({ label, names }: { readonly label: string; readonly names: readonly string[] }) {
  return (
    <>
      <h3>{label}</h3>
      <ul class="swatches">
        {names.map((name) => (
          <li key={name} style={{ "--swatch": `var(--${name})` }}>
            {name}
          </li>
        ))}
      </ul>
    </>
  );
}
