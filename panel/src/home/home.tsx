import { Notice } from "../components/notice.tsx";
import { ServerFragment } from "../fragment/server-fragment.tsx";
import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import { enhanceArea } from "./enhance-area.tsx";
import "./home.css";

/** The session and the account, rendered by the server. */
export default function Home() {
  const open = session.current.value;
  if (open === undefined) return null;
  const { home } = texts.value;
  return (
    <div class="stack stack-wide">
      <div class="heading">
        <div>
          <h1>{home.title}</h1>
          <p>{home.lead}</p>
        </div>
      </div>
      {open.scope === "full" ? null : <Notice>{home.readOnly}</Notice>}
      <ServerFragment html={open.area} enhance={enhanceArea} />
    </div>
  );
}
