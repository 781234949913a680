import { type Answers, type Draft, QUESTIONS, type Question, type SensorSource } from "./form.ts";
import type { Position } from "../../air-quality/index.ts";
import type { Message } from "./message.ts";
import { type Texts, TEXTS } from "./texts/texts.ts";

/** Actions of a form besides answers. */
export const FORM_ACTIONS = ["back", "cancel", "keep", "typed", "confirm"] as const;
export type FormAction = (typeof FORM_ACTIONS)[number];

/** Parses the data of a form button: action and question. */
export function formButton(data: string): { readonly action: FormAction; readonly step: string } | undefined {
  const [, action, step] = /^form:(\w+):(\w+)$/.exec(data) ?? [];
  const found = FORM_ACTIONS.find((each) => each === action);
  return found === undefined || step === undefined ? undefined : { action: found, step };
}

/** Returns the action of a keyboard key in any language. */
export function formKey(text: string): FormAction | undefined {
  return FORM_ACTIONS.find((action) => Object.values(TEXTS).some((texts) => texts[action] === text));
}

/**
 * Creates the message with the current question of a form.
 * @param fault Error text for the previous answer
 */
export function question(draft: Draft, texts: Texts, fault?: string): Message {
  const { step, values } = draft;
  const actions = actionsOf(draft);
  const asks =
    step === "confirm"
      ? texts[draft.edits ? "confirmEdit" : "confirmNew"](formText(values, texts))
      : asked(step, values, texts);
  const text = fault === undefined ? asks : `${fault}\n\n${asks}`;
  if (step === "location")
    return {
      kind: "text",
      text,
      keyboard: { kind: "location", share: texts.share, keys: actions.map((action) => texts[action]) },
    };
  const rows = actions.map((action) => [{ text: texts[action], data: `form:${action}:${step}` }]);
  return { kind: "text", text, keyboard: { kind: "buttons", rows } };
}

/** Formats a form as text. */
export function formText({ name = "", device = "", location, title = "", source }: Answers, texts: Texts): string {
  return texts.form(
    name,
    device,
    location === undefined ? "" : positionText(location),
    title,
    source === undefined ? "" : sourceText(source, texts),
  );
}

export function positionText({ lat, lng }: Position): string {
  return `${lat}, ${lng}`;
}

function actionsOf({ step, values }: Draft): readonly FormAction[] {
  if (step === "confirm") return ["confirm", "back", "cancel"];
  return [
    ...(step === "source" ? (["typed"] as const) : []),
    ...(values[step] === undefined ? [] : (["keep"] as const)),
    ...(step === "name" ? [] : (["back"] as const)),
    "cancel",
  ];
}

function asked(step: Question, values: Answers, texts: Texts): string {
  return texts.question(QUESTIONS.indexOf(step) + 1, QUESTIONS.length, step, valueText(step, values, texts));
}

function valueText(step: Question, { location, source, ...rest }: Answers, texts: Texts): string | undefined {
  if (step === "location") return location && positionText(location);
  if (step === "source") return source && sourceText(source, texts);
  return rest[step];
}

function sourceText(source: SensorSource, texts: Texts): string {
  return source.kind === "typed" ? texts.sourceTyped : texts.sourceHttp(source.url, source.path);
}
