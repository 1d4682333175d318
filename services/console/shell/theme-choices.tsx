import { chooseTheme, type ThemeChoice, themeChoice } from "../ui/theme.ts";

const CHOICES: readonly { readonly value: ThemeChoice; readonly text: string }[] = [
  { value: "system", text: "System" },
  { value: "light", text: "Light" },
  { value: "dark", text: "Dark" },
];

export function ThemeChoices() {
  return (
    <span class="row">
      <label for="theme">Theme</label>
      <select
        id="theme"
        class="small"
        value={themeChoice.value}
        onChange={({ currentTarget }) => chooseTheme(currentTarget.value as ThemeChoice)}
      >
        {CHOICES.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}
