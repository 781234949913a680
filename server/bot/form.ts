import type { Position } from "../readings/index.ts";
import { parseJsonPath } from "./json-path.ts";
import { checkedPlace, parsePlace, type PlaceFault } from "./place.ts";

/** Where the values of a sensor come from. */
export type SensorSource =
  | { readonly kind: "typed" }
  /** Answers JSON, in which `path` leads to the value. */
  | { readonly kind: "http"; readonly url: string; readonly path: string };

/** The registration form. */
export interface SensorForm {
  /** How the sensor's owner wants to be called. */
  readonly name: string;
  readonly device: string;
  readonly place: Position;
  /** The caption on the map. */
  readonly title: string;
  readonly source: SensorSource;
}

/** The questions, in their order. */
export const QUESTIONS = ["name", "device", "place", "title", "source"] as const;

export type Question = (typeof QUESTIONS)[number];

/** The answers so far. */
export type Answers = { readonly [Name in keyof SensorForm]?: SensorForm[Name] | undefined };

/** A form that is being filled in. */
export interface Draft {
  /** What is asked now; `confirm` when everything is answered. */
  readonly step: Question | "confirm";
  readonly values: Answers;
  /** Whether it changes a form that there is already. */
  readonly edits: boolean;
}

/** What somebody answers a question with. */
export type FormInput =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "place"; readonly place: Position }
  | { readonly kind: "other" };

/** What is wrong with an answer. */
export type FormFault =
  | PlaceFault
  | "text_wanted"
  | "empty"
  | "too_long"
  | "control_characters"
  | "not_an_address"
  | "credentials"
  | "no_path"
  | "not_a_path"
  | "press_a_button";

/** The most characters of a name, a device and a caption. */
export const LONGEST_TEXT = 64;
const LONGEST_ADDRESS = 512;

/** Begins a form, or changing one. */
export function beginForm(form?: SensorForm): Draft {
  return { step: "name", values: form ?? {}, edits: form !== undefined };
}

/** Takes an answer to what is asked; the same question stays when it is wrong. */
export function answerForm(draft: Draft, input: FormInput): Draft | FormFault {
  const { step } = draft;
  if (step === "confirm") return "press_a_button";
  const value = valueOf(step, input);
  return typeof value === "string" ? value : nextStep({ ...draft, values: { ...draft.values, ...value } });
}

/** Leaves the answer of before as it is; nothing happens when there is none. */
export function keepAnswer(draft: Draft): Draft {
  return draft.step === "confirm" || draft.values[draft.step] === undefined ? draft : nextStep(draft);
}

/** Answers the last question: values are typed. Nothing happens at another one. */
export function chooseTyped(draft: Draft): Draft {
  return draft.step === "source"
    ? nextStep({ ...draft, values: { ...draft.values, source: { kind: "typed" } } })
    : draft;
}

/** Asks the question before once more; nothing happens at the first. */
export function previousStep(draft: Draft): Draft {
  const index = draft.step === "confirm" ? QUESTIONS.length : QUESTIONS.indexOf(draft.step);
  return { ...draft, step: QUESTIONS[Math.max(0, index - 1)] ?? "name" };
}

/** The form when every question is answered and it waits for its confirmation. */
export function completed({ step, values }: Draft): SensorForm | undefined {
  const { name, device, place, title, source } = values;
  if (
    step !== "confirm" ||
    name === undefined ||
    device === undefined ||
    place === undefined ||
    title === undefined ||
    source === undefined
  )
    return undefined;
  return { name, device, place, title, source };
}

function nextStep(draft: Draft): Draft {
  const index = draft.step === "confirm" ? QUESTIONS.length : QUESTIONS.indexOf(draft.step);
  return { ...draft, step: QUESTIONS[index + 1] ?? "confirm" };
}

function valueOf(question: Question, input: FormInput): Answers | FormFault {
  if (question === "place") {
    if (input.kind === "other") return "not_a_place";
    const place = input.kind === "place" ? checkedPlace(input.place) : parsePlace(input.text);
    return typeof place === "string" ? place : { place };
  }
  if (input.kind !== "text") return "text_wanted";
  if (question === "source") {
    const source = parseSource(input.text);
    return typeof source === "string" ? source : { source };
  }
  const text = input.text.trim();
  if (text === "") return "empty";
  if ([...text].length > LONGEST_TEXT) return "too_long";
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return "control_characters";
  return { [question]: text };
}

/** Reads a source: an http or https address, and the path to the value in what it answers. */
function parseSource(text: string): SensorSource | FormFault {
  const [address = "", ...rest] = text.trim().split(/\s+/u);
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "") return "not_an_address";
  if (address.length > LONGEST_ADDRESS) return "too_long";
  // They would be in the form that is shown, and sent to wherever the address leads.
  if (url.username !== "" || url.password !== "") return "credentials";
  const path = rest.join(" ");
  if (path === "") return "no_path";
  return parseJsonPath(path) === undefined ? "not_a_path" : { kind: "http", url: url.href, path };
}
