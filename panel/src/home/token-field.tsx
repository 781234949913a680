import { CopyButton } from "../components/copy-button.tsx";
import { texts } from "../texts/texts.ts";
import { TokenLife } from "./token-life.tsx";

/** The token of the session, to copy, and how long a copy lasts. */
export function TokenField({ token }: { token: string }) {
  return (
    <div class="field">
      <label for="asc-token">ASC token</label>
      <div class="joined">
        <input class="control control-mono" id="asc-token" name="token" readOnly value={token} />
        <CopyButton text={token} label={texts.value.home.copyToken} free={false} />
      </div>
      <TokenLife />
    </div>
  );
}
