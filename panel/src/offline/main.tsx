import FileWorker from "../files/file-worker.ts?worker&inline";
import { start } from "../start.ts";
import { LanguageChoice } from "../texts/language-choice.tsx";
import { texts } from "../texts/texts.ts";
import { ThemeSwitch } from "../theme/theme-switch.tsx";
import { Verification } from "../verify/verification.ts";
import { Verify } from "../verify/verify.tsx";

const verification = new Verification(() => new FileWorker());

/** The page for use without a network and without a server. */
function Offline() {
  return (
    <main class="view">
      <div class="row spread no-print">
        <strong>Sealbook</strong>
        <div class="row">
          <LanguageChoice />
          <ThemeSwitch />
        </div>
      </div>
      <Verify title={texts.value.verify.title} about={texts.value.verify.aboutOffline} verification={verification} />
    </main>
  );
}

await start(<Offline />);
