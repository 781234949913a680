import { render } from "preact";
import { Panel } from "./panel.tsx";
import "./styles/styles.ts";
import { startTexts } from "./texts/texts.ts";
import { startTheme } from "./theme/theme.ts";

startTheme();
await startTexts();
const place = document.getElementById("app");
if (place !== null) render(<Panel />, place);
