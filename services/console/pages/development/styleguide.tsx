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
import { Button, Empty } from "../../ui/page.tsx";
import { type Order, Table } from "../../ui/table.tsx";
import { count } from "../../ui/text/format.ts";
import { StatusTabs, Steps } from "../../ui/ways.tsx";

/** Every part of the console's looks, in every state. */
export function Page() {
  return (
    <section class="page">
      <div class="page-head">
        <h1>Style guide</h1>
        <span class="badge">development</span>
      </div>
      <p class="muted">
        What pages are made of. A page takes its parts from here and has no style of its own for
        what is here already.
      </p>
      <Scales />
      <Buttons />
      <Fields />
      <Ways />
      <Tables />
      <States />
    </section>
  );
}

const GROUNDS = ["ground", "raised", "sunken", "hover", "line", "line-button", "line-strong"];
const INKS = ["text", "muted", "accent", "danger", "good", "warning"];
const FILLS = ["accent-fill", "accent-ground", "danger-ground", "good-ground", "warning-ground"];

/** Letters, colours and spaces. */
function Scales() {
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

const KINDS = [
  ["primary", "Save the changes"],
  ["", "Compare…"],
  ["quiet", "Cite"],
  ["danger", "Delete…"],
  ["plain link", "Clear"],
] as const;

const SIGNED = [
  ["primary", "add", "New catalogue"],
  ["", "download", "Export"],
  ["small", "copy", "Copy"],
  ["sign", "left", "", "Earlier version"],
  ["sign quiet", "more", "", "Further actions"],
] as const;

/** Buttons of each kind, and the signs before their words. */
function Buttons() {
  return (
    <Part title="Buttons">
      {[false, true].map((isOff) => (
        <div key={String(isOff)} class="row">
          {KINDS.map(([kind, text]) => (
            <Button key={kind} class={kind} disabled={isOff} text={text} />
          ))}
        </div>
      ))}
      <div class="row">
        <Button aria-pressed="true" text="Pressed" />
        <a class="button" href="#buttons">
          To the catalogue
        </a>
      </div>
      <div class="row">
        {SIGNED.map(([kind, icon, text, label]) => (
          <button key={icon} type="button" class={kind} aria-label={label}>
            <Icon name={icon} /> {text}
          </button>
        ))}
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

const DEPTHS = [
  { value: "free", text: "from location" },
  { value: "fixed", text: "fixed by the operator" },
] as const;

const nothing = () => undefined;

/** Fields with values, hints, problems, and out of use. */
function Fields() {
  const text = useSignal("2016-11-13");
  const depth = useSignal<(typeof DEPTHS)[number]["value"]>("free");
  const isOn = useSignal(true);
  const note = useSignal("");
  const file = useSignal<{ readonly name: string; readonly size: string } | null>(null);
  return (
    <Part title="Fields">
      <div class="field-grid wide">
        <Field
          label="Depth"
          unit="km"
          inputMode="decimal"
          hint="Below sea level"
          {...bound(text)}
        />
        <Field label="Latitude" unit="°" value="91" onValue={nothing} problem="From −90 to 90" />
        <Field
          label="Part of the name"
          type="search"
          placeholder="Taupō"
          value=""
          onValue={nothing}
        />
        <Field label="Out of use" value="1.2" onValue={nothing} disabled />
        <Select label="Depth type" options={DEPTHS} {...bound(depth)} />
        <Select
          label="Out of use, a list"
          options={DEPTHS}
          value="fixed"
          onValue={nothing}
          disabled
        />
      </div>
      <div class="row">
        <Checkbox checked={isOn.value} onChecked={(isChecked) => (isOn.value = isChecked)}>
          Only what the map shows
        </Checkbox>
        <Checkbox checked={false} onChecked={nothing} disabled>
          Out of use
        </Checkbox>
        <Checkbox checked={isOn.value} onChecked={(isChecked) => (isOn.value = isChecked)} isSwitch>
          May sign in
        </Checkbox>
      </div>
      <Choices legend="Depth is" options={DEPTHS} {...bound(depth)} />
      <Segmented legend="Depth was" options={DEPTHS} {...bound(depth)} />
      <div class="columns">
        <TextArea label="Reason" min={10} max={1_000} {...bound(note)} />
        <FileDrop
          chosen={file.value}
          hint="CSV, QuakeML, ISF and others, up to 100 MB"
          onFile={({ name, size }) => (file.value = { name, size: `${count(size)} bytes` })}
        />
      </div>
      <CopyField label="Address of this page" value="https://example.org/catalogues" />
    </Part>
  );
}

const EVENTS = [
  { id: "sample-0461", time: "2022-05-17 02:41:09", magnitude: 6.1, status: "final" },
  { id: "sample-0462", time: "2022-05-17 02:44:51", magnitude: 3.4, status: "preliminary" },
  { id: "sample-0463", time: "2022-05-17 02:58:30", magnitude: 4, status: "rejected" },
];

const BADGE_OF_STATUS: Readonly<Record<string, string>> = {
  final: "badge good",
  preliminary: "badge warning",
  rejected: "badge bad",
};

/** A table as wide as the page, one with narrow rows, and a list of facts. */
function Tables() {
  return (
    <>
      <Events kind="" />
      <Events kind="compact long" />
      <Part title="Facts">
        <dl class="facts">
          <dt>Origin time</dt>
          <dd>2022-05-17 02:41:09.380 UTC</dd>
          <dt>Depth</dt>
          <dd>9.5 ± 0.6 km</dd>
        </dl>
      </Part>
    </>
  );
}

function Events({ kind }: { readonly kind: string }) {
  const order = useSignal<Order>("desc");
  const sign = order.value === "desc" ? -1 : 1;
  const rows = EVENTS.toSorted((a, b) => sign * (a.magnitude - b.magnitude));
  return (
    <Table
      label={`Events ${kind}`}
      kind={kind}
      rows={rows}
      rowAttributes={({ id }) => ({ class: id === "sample-0463" ? "chosen" : undefined })}
      columns={[
        ["Event", ({ id }) => <a href="#events">{id}</a>],
        ["Origin time, UTC", ({ time }) => time, "nowrap"],
        {
          head: "Magnitude",
          class: "number",
          sort: {
            order: order.value,
            onSort: () => (order.value = order.value === "desc" ? "asc" : "desc"),
          },
          cell: ({ magnitude }) => magnitude.toFixed(1),
        },
        ["Status", ({ status }) => <span class={BADGE_OF_STATUS[status]}>{status}</span>],
      ]}
    />
  );
}

/** Tabs, steps, menus, windows and what comes up at the window's edge. */
function Ways() {
  return (
    <Part title="Ways">
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
        <Button
          onClick={() =>
            ask({
              title: "Delete the catalogue",
              action: "Delete",
              name: "Taupō",
              text: "Its 1,133 events and both versions go. Nothing brings them back.",
              run: async () => undefined,
            })
          }
          text="Open a window"
        />
        <Button
          onClick={() => notice.done("The catalogue is renamed.")}
          text="Tell something good"
        />
        <Button
          onClick={() => notice.error(new Error("The agency does not answer."))}
          text="Tell a failure"
        />
      </div>
      <details>
        <summary>More about it</summary>
        <p class="muted">What only few need is folded.</p>
      </details>
    </Part>
  );
}

const BADGES = ["", "good", "warning", "bad"] as const;

const NOTICES = [
  ["", "Version 7 is there; you look at version 6."],
  ["done", "1,133 events are in the catalogue."],
  ["warning", "24 lines have no magnitude."],
] as const;

/** What is told while something is awaited, missing or wrong. */
function States() {
  return (
    <Part title="States">
      <div class="row">
        {BADGES.map((kind) => (
          <span key={kind} class={`badge ${kind}`}>
            {kind || "internal"}
          </span>
        ))}
      </div>
      {NOTICES.map(([kind, text]) => (
        <p key={kind} class={`notice ${kind}`}>
          <span>{text}</span>
        </p>
      ))}
      <ErrorNotice error={new Error("The agency does not answer.")} retry={() => undefined} />
      <progress aria-label="Half of it" max={100} value={50} />
      <progress aria-label="Not known how much" />
      <Waiting text="Reading the file…" />
      <Empty title="No event passes the filters" text="There are 1,133 without them.">
        <Button text="Clear the filters" />
      </Empty>
    </Part>
  );
}

/** A kind of parts, with its examples. */
function Part(props: { readonly title: string; readonly children: ComponentChildren }) {
  const { title, children } = props;
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
