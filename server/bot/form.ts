import type { Position } from "../../air-quality/index.ts";
import { parseJsonPath } from "./json-path.ts";
import { checkPosition, parsePosition, type PositionFault } from "./position.ts";

/** Source of a sensor's values. */
export type SensorSource =
  | { readonly kind: "typed" }
  /** A JSON endpoint; `path` selects the value. */
  | { readonly kind: "http"; readonly url: string; readonly path: string };

/** The registration form. */
export interface SensorForm {
  /** Name of the sensor's owner. */
  readonly name: string;
  readonly device: string;
  readonly location: Position;
  /** Caption on the map. */
  readonly title: string;
  readonly source: SensorSource;
}

/** The questions in order. */
export const QUESTIONS = ["name", "device", "location", "title", "source"] as const;

export type Question = (typeof QUESTIONS)[number];

/** The answers so far. */
export type Answers = { readonly [Name in keyof SensorForm]?: SensorForm[Name] | undefined };

/** An incomplete form. */
export interface Draft {
  /** The current question; `confirm` if all questions are answered. */
  readonly step: Question | "confirm";
  readonly values: Answers;
  /** Whether the draft edits an existing form. */
  readonly edits: boolean;
}

/** Input for a question. */
export type FormInput =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "location"; readonly location: Position }
  | { readonly kind: "other" };

/** Reasons to reject an answer. */
export type FormFault =
  | PositionFault
  | "text_wanted"
  | "empty"
  | "too_long"
  | "control_characters"
  | "not_an_address"
  | "credentials"
  | "no_path"
  | "not_a_path"
  | "press_a_button";

/** Maximum characters of a name, a device and a caption. */
export const MAX_TEXT_LENGTH = 64;
const MAX_ADDRESS_LENGTH = 512;

/** Starts a new form or an edit of an existing one. */
export function beginForm(form?: SensorForm): Draft {
  return { step: "name", values: form ?? {}, edits: form !== undefined };
}

/** Applies an answer to the current question, or returns why it is invalid. */
export function answerForm(draft: Draft, input: FormInput): Draft | FormFault {
  const { step } = draft;
  if (step === "confirm") return "press_a_button";
  const value = valueOf(step, input);
  return typeof value === "string" ? value : nextStep({ ...draft, values: { ...draft.values, ...value } });
}

/** Keeps the existing answer. Does nothing if there is none. */
export function keepAnswer(draft: Draft): Draft {
  return draft.step === "confirm" || draft.values[draft.step] === undefined ? draft : nextStep(draft);
}

/** Answers the source question with typed values. Does nothing at other questions. */
export function chooseTyped(draft: Draft): Draft {
  return draft.step === "source"
    ? nextStep({ ...draft, values: { ...draft.values, source: { kind: "typed" } } })
    : draft;
}

/** Returns to the previous question. Does nothing at the first. */
export function previousStep(draft: Draft): Draft {
  const index = draft.step === "confirm" ? QUESTIONS.length : QUESTIONS.indexOf(draft.step);
  return { ...draft, step: QUESTIONS[Math.max(0, index - 1)] ?? "name" };
}

/** Returns the form if all questions are answered. */
export function completed({ step, values }: Draft): SensorForm | undefined {
  const { name, device, location, title, source } = values;
  if (
    step !== "confirm" ||
    name === undefined ||
    device === undefined ||
    location === undefined ||
    title === undefined ||
    source === undefined
  )
    return undefined;
  return { name, device, location, title, source };
}

function nextStep(draft: Draft): Draft {
  const index = draft.step === "confirm" ? QUESTIONS.length : QUESTIONS.indexOf(draft.step);
  return { ...draft, step: QUESTIONS[index + 1] ?? "confirm" };
}

function valueOf(question: Question, input: FormInput): Answers | FormFault {
  if (question === "location") {
    if (input.kind === "other") return "not_a_position";
    const location = input.kind === "location" ? checkPosition(input.location) : parsePosition(input.text);
    return typeof location === "string" ? location : { location };
  }
  if (input.kind !== "text") return "text_wanted";
  if (question === "source") {
    const source = parseSource(input.text);
    return typeof source === "string" ? source : { source };
  }
  const text = input.text.trim();
  if (text === "") return "empty";
  if ([...text].length > MAX_TEXT_LENGTH) return "too_long";
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return "control_characters";
  return { [question]: text };
}

/** Reads a source: an http or https address, and the path to the value in its response. */
function parseSource(text: string): SensorSource | FormFault {
  const [address = "", ...rest] = text.trim().split(/\s+/u);
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "") return "not_an_address";
  if (address.length > MAX_ADDRESS_LENGTH) return "too_long";
  // They would be in the form that is shown, and sent to wherever the address leads.
  if (url.username !== "" || url.password !== "") return "credentials";
  const path = rest.join(" ");
  if (path === "") return "no_path";
  return parseJsonPath(path) === undefined ? "not_a_path" : { kind: "http", url: url.href, path };
}
