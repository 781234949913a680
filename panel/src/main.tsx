import { keepScroll } from "./kept-scroll.ts";
import { Panel } from "./panel.tsx";
import { startSession } from "./session/session.ts";
import { start } from "./start.ts";

startSession();
keepScroll();
await start(<Panel />);
