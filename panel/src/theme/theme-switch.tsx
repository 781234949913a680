import { Button } from "../components/button.tsx";
import { texts } from "../texts/texts.ts";
import { chosenTheme, switchTheme } from "./theme.ts";

/** Changes between light and dark. */
export function ThemeSwitch() {
  return <Button kind="quiet" icon={chosenTheme.value === "dark" ? "sun" : "moon"} label={texts.value.common.switchTheme} free onClick={switchTheme} />;
}
