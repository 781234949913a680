import { effect } from "@preact/signals";
import { render } from "preact";
import { CopyButton } from "../components/copy-button.tsx";
import { partOf } from "../fragment/server-fragment.tsx";
import { duration } from "../format/duration.ts";
import { secondsLeft } from "../session/seconds-left.ts";
import { session } from "../session/session.ts";
import { language, texts } from "../texts/texts.ts";
import { TokenLife } from "./token-life.tsx";

/** Updates the session data of the server's view, and makes token and key copyable. */
export function enhanceArea(root: HTMLElement): () => void {
  const undo = [
    followToken(root),
    followLifetime(root),
    revealSecureKey(root),
    addCopyButton(
      root,
      "[data-part=token]",
      () => session.current.value?.token ?? "",
      () => texts.value.home.copyToken,
      false,
    ),
    addCopyButton(
      root,
      "[data-part=account]",
      () => session.current.value?.account ?? "",
      () => texts.value.home.copyAccount,
      true,
    ),
    showTokenLife(root),
    localTimes(root),
  ];
  return () => undo.forEach((act) => act());
}

function followToken(root: HTMLElement): () => void {
  const field = partOf(root, "[name=token]", HTMLInputElement);
  return effect(() => {
    if (field !== undefined) field.value = session.current.value?.token ?? "";
  });
}

function showTokenLife(root: HTMLElement): () => void {
  const container = partOf(root, "[data-part=token-life]", HTMLElement);
  if (container === undefined) return () => undefined;
  render(<TokenLife />, container);
  return () => render(null, container);
}

function followLifetime(root: HTMLElement): () => void {
  const seconds = partOf(root, "[name=session]", HTMLOutputElement);
  const bar = partOf(root, "[data-part=remaining]", HTMLProgressElement);
  return effect(() => {
    const left = secondsLeft();
    if (seconds !== undefined) seconds.value = String(left);
    if (bar === undefined) return;
    // An extended session can last longer than the initial one.
    bar.max = Math.max(bar.max, left);
    bar.value = left;
  });
}

/** Reveals the key. The key is not stored across a reload; the next token includes it again. */
function revealSecureKey(root: HTMLElement): () => void {
  const details = partOf(root, "[data-part=secure-key]", HTMLDetailsElement);
  const code = details?.querySelector("code");
  if (details === undefined || code === null || code === undefined) return () => undefined;
  const renew = (): void => {
    if (details.open && session.secureKey.value === undefined) void session.renew();
  };
  details.addEventListener("toggle", renew);
  const stop = effect(() => {
    code.textContent = session.secureKey.value ?? texts.value.common.loading;
  });
  return () => {
    stop();
    details.removeEventListener("toggle", renew);
  };
}

function addCopyButton(
  root: HTMLElement,
  selector: string,
  text: () => string,
  label: () => string,
  free: boolean,
): () => void {
  const container = document.createElement("span");
  partOf(root, selector, HTMLElement)?.append(container);
  const stop = effect(() => render(<CopyButton text={text} label={label()} free={free} />, container));
  return () => {
    stop();
    render(null, container);
  };
}

function localTimes(root: HTMLElement): () => void {
  const uptime = partOf(root, "[data-part=stat-uptime]", HTMLElement);
  const seconds = Number.parseInt(uptime?.textContent ?? "", 10);
  return effect(() => {
    const format = new Intl.DateTimeFormat(language.value, { dateStyle: "short", timeStyle: "medium" });
    for (const time of root.querySelectorAll("time")) time.textContent = format.format(new Date(time.dateTime));
    if (uptime !== undefined && Number.isFinite(seconds)) uptime.textContent = duration(seconds);
  });
}
