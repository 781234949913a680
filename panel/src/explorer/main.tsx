import { render } from "preact";
import "../styles/styles.ts";
import { startTexts } from "../texts/texts.ts";
import { startTheme } from "../theme/theme.ts";
import { copyTimesAsIso } from "../format/moment.tsx";
import { showHiddenCharacters } from "../hidden-characters.ts";
import { Explorer } from "./explorer.tsx";
import { followLinks } from "./route.ts";

showHiddenCharacters();
copyTimesAsIso();
followLinks();
startTheme();
await startTexts();
const container = document.getElementById("app");
if (container !== null) render(<Explorer />, container);
