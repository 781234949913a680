import { start } from "../start.ts";
import { Explorer } from "./explorer.tsx";
import { followLinks } from "./route.ts";

followLinks();
await start(<Explorer />);
