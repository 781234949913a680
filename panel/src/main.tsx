import { forgetAccess } from "./access/proof-access.ts";
import { keepScroll } from "./kept-scroll.ts";
import { Panel } from "./panel.tsx";
import { followLinks } from "./route.ts";
import { sectionAt } from "./sections.ts";
import { onForget } from "./session/kept.ts";
import { startSession } from "./session/session.ts";
import { start } from "./start.ts";

startSession();
onForget(forgetAccess);
keepScroll();
followLinks((path) => sectionAt(path) !== undefined);
await start(<Panel />);
