import { Button } from "../components/button.tsx";
import { texts } from "../texts/texts.ts";
import { shownTheme, switchTheme } from "./theme.ts";

/** Switches between light and dark. */
export function ThemeSwitch() {
  return (
    <Button
      kind="quiet"
      icon={shownTheme.value === "dark" ? "sun" : "moon"}
      label={texts.value.common.switchTheme}
      free
      onClick={switchTheme}
    />
  );
}
