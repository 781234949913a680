import { answerForm, chooseTyped, type Draft, type FormInput, keepAnswer, previousStep } from "./form.ts";
import type { Command, Reply, Request } from "./commands/command.ts";
import { type FormAction, positionText, question } from "./form-questions.ts";
import type { Message } from "./message.ts";
import type { Texts } from "./texts/texts.ts";

/**
 * Handles input for an open form. The state of the form is only in the database, so that it continues after a restart.
 */
export async function continueForm(
  request: Request,
  draft: Draft,
  input: FormInput | FormAction,
  confirm: Command,
): Promise<Reply> {
  const { user, texts } = request;
  if (typeof input !== "string") return answered(request, draft, answerForm(draft, input));
  switch (input) {
    case "cancel":
      return { messages: [closing(texts.formLeft, draft)], user: { ...user, draft: undefined } };
    case "back":
      return moved(request, draft, previousStep(draft));
    case "keep":
      return moved(request, draft, keepAnswer(draft));
    case "typed":
      return moved(request, draft, chooseTyped(draft));
    case "confirm":
      return draft.step === "confirm" ? confirm(request) : moved(request, draft, draft);
  }
}

function answered(request: Request, draft: Draft, next: ReturnType<typeof answerForm>): Reply {
  const { texts } = request;
  // Repeats the question with its buttons.
  if (typeof next === "string") return { messages: [question(draft, texts, texts.formFault(next))] };
  return moved(request, draft, next);
}

function moved({ user, texts }: Request, from: Draft, to: Draft): Reply {
  return { messages: [...farewell(from, to, texts), question(to, texts)], user: { ...user, draft: to } };
}

/** Removes the keyboard of the location question. */
function farewell(from: Draft, to: Draft, texts: Texts): Message[] {
  if (from.step !== "location" || to.step === "location") return [];
  const { location } = to.values;
  return [closing(location === undefined ? texts.back : texts.locationNoted(positionText(location)), from)];
}

function closing(text: string, { step }: Draft): Message {
  return { kind: "text", text, ...(step === "location" ? { keyboard: { kind: "none" } } : {}) };
}
