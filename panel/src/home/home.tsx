import { Notice } from "../components/notice.tsx";
import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import { AccountState } from "./account-state.tsx";
import { Newest } from "./newest.tsx";
import { SessionCard } from "./session-card.tsx";
import "./home.css";

/** The session and the account. */
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
      <section class="area">
        <SessionCard {...open} />
        <Newest />
        <AccountState {...open.atLogin} />
      </section>
    </div>
  );
}
