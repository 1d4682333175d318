import { Segmented } from "../ui/form/segmented.tsx";
import { chooseTheme, type ThemeChoice, themeChoice } from "../ui/style/theme.ts";

const CHOICES: readonly { readonly value: ThemeChoice; readonly text: string }[] = [
  { value: "system", text: "System" },
  { value: "light", text: "Light" },
  { value: "dark", text: "Dark" },
];

/** The choice of a theme, as an entry of a menu. */
export function ThemeChoices() {
  return (
    <li class="theme-choices">
      <Segmented legend="Theme" value={themeChoice.value} options={CHOICES} onValue={chooseTheme} />
    </li>
  );
}
