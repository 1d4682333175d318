import { ICONS, Icon } from "../../ui/icon.tsx";
import { Part } from "./part.tsx";

const KINDS = [
  ["primary", "Save the changes"],
  ["", "Compare…"],
  ["quiet", "Cite"],
  ["danger", "Delete…"],
  ["plain link", "Clear"],
] as const;

/** Buttons of each kind, and the signs before their words. */
export function Buttons() {
  return (
    <Part title="Buttons">
      <div class="row">
        {KINDS.map(([kind, text]) => (
          <button key={kind} type="button" class={kind}>
            {text}
          </button>
        ))}
        <button type="button" aria-pressed="true">
          Pressed
        </button>
        <a class="button" href="#buttons">
          To the catalogue
        </a>
      </div>
      <div class="row">
        {KINDS.map(([kind, text]) => (
          <button key={kind} type="button" class={kind} disabled>
            {text}
          </button>
        ))}
      </div>
      <div class="row">
        <button type="button" class="primary">
          <Icon name="add" /> New catalogue
        </button>
        <button type="button">
          <Icon name="download" /> Export
        </button>
        <button type="button" class="small">
          <Icon name="copy" /> Copy
        </button>
        <button type="button" class="sign" aria-label="Earlier version">
          <Icon name="left" />
        </button>
        <button type="button" class="sign quiet" aria-label="Further actions">
          <Icon name="more" />
        </button>
      </div>
      <ul class="swatches">
        {ICONS.map((name) => (
          <li key={name}>
            <Icon name={name} /> {name}
          </li>
        ))}
      </ul>
    </Part>
  );
}
