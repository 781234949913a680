import { render } from "preact";
import { keepScroll } from "./kept-scroll.ts";
import { Panel } from "./panel.tsx";
import { startSession } from "./session/session.ts";
import "./styles/styles.ts";
import { startTexts } from "./texts/texts.ts";
import { startTheme } from "./theme/theme.ts";
import { copyTimesAsIso } from "./format/moment.tsx";
import { showHiddenCharacters } from "./hidden-characters.ts";

showHiddenCharacters();
copyTimesAsIso();
startTheme();
startSession();
keepScroll();
await startTexts();
const container = document.getElementById("app");
if (container !== null) render(<Panel />, container);
