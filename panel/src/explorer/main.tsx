import { render } from "preact";
import "../styles/styles.ts";
import { startTexts } from "../texts/texts.ts";
import { startTheme } from "../theme/theme.ts";
import { Explorer } from "./explorer.tsx";
import { followLinks } from "./route.ts";

followLinks();
startTheme();
await startTexts();
const place = document.getElementById("app");
if (place !== null) render(<Explorer />, place);
