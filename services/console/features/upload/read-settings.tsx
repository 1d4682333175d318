import type { Signal } from "@preact/signals";
import type { DELIMITERS } from "#contracts/http/upload.ts";
import { DATE_ORDERS, type DateOrder } from "#contracts/seismic-event/written-time.ts";
import { Select } from "../../ui/form/select.tsx";
import type { ReadSettings } from "./read-upload.ts";

type Option = { readonly value: string; readonly text: string };

const AUTOMATIC: Option = { value: "", text: "automatic" };
const SEPARATORS: readonly Exclude<keyof typeof DELIMITERS, "auto">[] = [
  "comma",
  "tab",
  "semicolon",
  "pipe",
  "space",
];
const ORDERS: Readonly<Record<DateOrder, string>> = {
  dmy: "day, month, year",
  mdy: "month, day, year",
  ymd: "year, month, day",
};
/** Those in which catalogues are found, by their labels. */
const ENCODINGS: readonly (readonly [label: string, text: string])[] = [
  ["utf-8", "UTF-8"],
  ["windows-1252", "Western European (Windows-1252)"],
  ["windows-1250", "Central European (Windows-1250)"],
  ["windows-1251", "Cyrillic (Windows-1251)"],
  ["windows-1253", "Greek (Windows-1253)"],
  ["windows-1254", "Turkish (Windows-1254)"],
  ["gb18030", "Chinese (GB 18030)"],
  ["big5", "Chinese (Big5)"],
  ["shift_jis", "Japanese (Shift JIS)"],
  ["euc-jp", "Japanese (EUC-JP)"],
  ["euc-kr", "Korean (EUC-KR)"],
  ["utf-16le", "UTF-16, little-endian"],
  ["utf-16be", "UTF-16, big-endian"],
];

const FIELDS: readonly {
  readonly name: keyof ReadSettings;
  readonly label: string;
  readonly options: readonly Option[];
}[] = [
  {
    name: "delimiter",
    label: "Columns are separated by",
    options: SEPARATORS.map((value) => ({ value, text: value })),
  },
  {
    name: "dateOrder",
    label: "Dates are written",
    options: DATE_ORDERS.map((value) => ({ value, text: ORDERS[value] })),
  },
  {
    name: "encoding",
    label: "Letters are encoded as",
    options: ENCODINGS.map(([value, text]) => ({ value, text })),
  },
];

type ReadSettingsProps = {
  readonly settings: Signal<ReadSettings>;
  readonly onChange: () => void;
};

/** What the service is told of a file that does not say it itself. */
export function ReadSettingsFields({ settings, onChange }: ReadSettingsProps) {
  return (
    <>
      {FIELDS.map(({ name, label, options }) => (
        <Select
          key={name}
          label={label}
          value={settings.value[name]}
          options={[AUTOMATIC, ...options]}
          onValue={(value) => {
            settings.value = { ...settings.value, [name]: value };
            onChange();
          }}
        />
      ))}
    </>
  );
}
