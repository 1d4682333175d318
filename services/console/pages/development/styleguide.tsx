import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { ErrorNotice, notice, Waiting } from "../../ui/call.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { ask } from "../../ui/form/ask.ts";
import { CopyField } from "../../ui/form/copy.tsx";
import {
  bound,
  Checkbox,
  Choices,
  Field,
  Segmented,
  Select,
  TextArea,
} from "../../ui/form/fields.tsx";
import { ICONS, Icon } from "../../ui/icon.tsx";
import { Menu } from "../../ui/menu.tsx";
import {
  Button,
  ButtonLink,
  Empty,
  Facts,
  Frame,
  Panel,
  StatusTabs,
  Steps,
} from "../../ui/page.tsx";
import { type Order, Table } from "../../ui/table.tsx";

const nothing = () => undefined;

/** Every part of the console's looks, in every state. */
export function Page() {
  return (
    <Frame
      title="Style guide"
      head={<span class="badge">development</span>}
      intro="What pages are made of. A page takes its parts from here and has no style of its own for what is here already."
    >
      {Object.entries(PARTS).map(([title, samples]) => (
        <Panel key={title} title={title} aria-label={title}>
          {samples}
        </Panel>
      ))}
      <Fields />
      <Events kind="" />
      <Events kind="compact long" />
    </Frame>
  );
}

const COLOURS = {
  "Grounds and lines": "ground raised sunken hover line line-button line-strong",
  Inks: "text muted accent danger good warning",
  Fills: "accent-fill accent-ground danger-ground good-ground warning-ground",
};

const BUTTONS = {
  primary: "Save the changes",
  "": "Compare…",
  quiet: "Cite",
  danger: "Delete…",
  "plain link": "Clear",
};

const SIGNED = [
  ["primary", "file", "New catalogue"],
  ["", "upload", "Upload"],
  ["small", "filter", "Filter"],
  ["sign", "left", "", "Earlier version"],
  ["sign quiet", "right", "", "Later version"],
] as const;

const QUESTION = {
  title: "Delete the catalogue",
  action: "Delete",
  name: "Taupō",
  text: "Its 1,133 events and both versions go. Nothing brings them back.",
  run: async () => undefined,
};

const FAILURE = new Error("The agency does not answer.");

const NOTICES = {
  "": "Version 7 is there; you look at version 6.",
  done: "1,133 events are in the catalogue.",
  warning: "24 lines have no magnitude.",
};

const FACTS = { "Origin time": "2022-05-17 02:41:09.380 UTC", Depth: "9.5 ± 0.6 km" };

const PARTS: Readonly<Record<string, ComponentChildren>> = {
  Letters: (
    <>
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
    </>
  ),
  Colours: Object.entries(COLOURS).map(([label, names]) => (
    <div key={label} class="stack">
      <h3>{label}</h3>
      <ul class="swatches">
        {names.split(" ").map((name) => (
          <li key={name} style={{ "--swatch": `var(--${name})` }}>
            {name}
          </li>
        ))}
      </ul>
    </div>
  )),
  Buttons: (
    <>
      {[false, true].map((isOff) => (
        <div key={String(isOff)} class="row">
          {Object.entries(BUTTONS).map(([kind, text]) => (
            <Button key={kind} class={kind} disabled={isOff} text={text} />
          ))}
        </div>
      ))}
      <div class="row">
        <Button aria-pressed="true" text="Pressed" />
        <ButtonLink href="#buttons" text="To the catalogue" />
        {SIGNED.map(([kind, icon, text, label]) => (
          <Button
            key={icon}
            class={kind}
            aria-label={label}
            text={[<Icon key="" name={icon} />, text]}
          />
        ))}
      </div>
      <ul class="swatches">
        {ICONS.map((name) => (
          <li key={name}>
            <Icon name={name} /> {name}
          </li>
        ))}
      </ul>
    </>
  ),
  Ways: (
    <>
      <StatusTabs
        label="Requests"
        path="/styleguide"
        statuses={["pending", "approved", "rejected"]}
        chosen="pending"
      />
      <Steps names={["File", "Report", "Catalogue"]} at={1} />
      <div class="row">
        <Menu text="Export">
          <li>
            <a href="#ways">CSV</a>
          </li>
          <li>
            <Button class="quiet" text="QuakeML…" />
          </li>
        </Menu>
        <Button onClick={() => ask(QUESTION)} text="Open a window" />
        <Button
          onClick={() => notice.done("The catalogue is renamed.")}
          text="Tell something good"
        />
        <Button onClick={() => notice.error(FAILURE)} text="Tell a failure" />
      </div>
      <details>
        <summary>More about it</summary>
        <p class="muted">What only few need is folded.</p>
      </details>
    </>
  ),
  States: (
    <>
      <div class="row">
        {["internal", "good", "warning", "bad"].map((kind) => (
          <span key={kind} class={`badge ${kind}`}>
            {kind}
          </span>
        ))}
      </div>
      {Object.entries(NOTICES).map(([kind, text]) => (
        <p key={kind} class={`notice ${kind}`}>
          <span>{text}</span>
        </p>
      ))}
      <ErrorNotice error={FAILURE} retry={nothing} />
      <progress aria-label="Half of it" max={100} value={50} />
      <progress aria-label="Not known how much" />
      <Waiting text="Reading the file…" />
      <Empty title="No event passes the filters" text="There are 1,133 without them.">
        <Button text="Clear the filters" />
      </Empty>
    </>
  ),
  Facts: <Facts facts={Object.entries(FACTS)} />,
};

const DEPTHS = [
  { value: "free", text: "from location" },
  { value: "fixed", text: "fixed by the operator" },
] as const;

/** Fields with values, hints, problems, and out of use. */
function Fields() {
  const text = bound(useSignal("2016-11-13"));
  const depth = bound(useSignal<(typeof DEPTHS)[number]["value"]>("free"));
  const { value: isOn, onValue: onChecked } = bound(useSignal(true));
  return (
    <Panel title="Fields" aria-label="Fields">
      <div class="field-grid wide">
        <Field label="Depth" unit="km" inputMode="decimal" hint="Below sea level" {...text} />
        <Field label="Latitude" unit="°" value="91" onValue={nothing} problem="From −90 to 90" />
        <Field label="Part of the name" type="search" placeholder="Taupō" {...text} value="" />
        <Field label="Out of use" value="1.2" onValue={nothing} disabled />
        <Select label="Depth type" options={DEPTHS} {...depth} />
        <Select label="Out of use, a list" options={DEPTHS} {...depth} disabled />
      </div>
      <div class="row">
        <Checkbox checked={isOn} onChecked={onChecked}>
          Only what the map shows
        </Checkbox>
        <Checkbox checked={false} onChecked={nothing} disabled>
          Out of use
        </Checkbox>
        <Checkbox checked={isOn} onChecked={onChecked} isSwitch>
          May sign in
        </Checkbox>
      </div>
      <Choices legend="Depth is" options={DEPTHS} {...depth} />
      <Segmented legend="Depth was" options={DEPTHS} {...depth} />
      <div class="columns">
        <TextArea label="Reason" min={10} max={1_000} {...text} />
        <FileDrop chosen={null} hint="CSV, QuakeML, ISF and others" onFile={nothing} />
      </div>
      <CopyField label="Address of this page" value="https://example.org/catalogues" />
    </Panel>
  );
}

const EVENTS = [
  ["sample-0461", "2022-05-17 02:41:09", 6.1, "good"],
  ["sample-0462", "2022-05-17 02:44:51", 3.4, "warning"],
  ["sample-0463", "2022-05-17 02:58:30", 4, "bad"],
] as const;

/** A table as wide as the page, or one with narrow rows. */
function Events({ kind }: { readonly kind: string }) {
  const order = useSignal<Order>("desc");
  const sign = order.value === "desc" ? -1 : 1;
  const onSort = () => (order.value = order.value === "desc" ? "asc" : "desc");
  return (
    <Table
      label={`Events ${kind}`}
      kind={kind}
      rows={EVENTS.toSorted((a, b) => sign * (a[2] - b[2]))}
      rowAttributes={([, , , state]) => ({ class: state === "bad" ? "chosen" : undefined })}
      columns={[
        ["Event", ([id]) => <a href="#events">{id}</a>],
        ["Origin time, UTC", ([, time]) => time, "nowrap"],
        {
          head: "Magnitude",
          class: "number",
          sort: { order: order.value, onSort },
          cell: ([, , magnitude]) => magnitude.toFixed(1),
        },
        ["Status", ([, , , state]) => <span class={`badge ${state}`}>{state}</span>],
      ]}
    />
  );
}
