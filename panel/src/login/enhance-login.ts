import { texts, type Texts } from "../texts/texts.ts";
import { partOf } from "../fragment/server-fragment.tsx";

/** The entered credentials. */
export interface Credentials {
  readonly address: string;
  readonly password: string;
}

/** Shows input errors at their fields, and submits the form by a call instead of natively. */
export function enhanceLogin(root: HTMLElement, onSubmit: (credentials: Credentials) => void): () => void {
  const form = partOf(root, "form", HTMLFormElement);
  const address = partOf(root, "[name=login]", HTMLInputElement);
  const password = partOf(root, "[name=password]", HTMLInputElement);
  if (form === undefined || address === undefined || password === undefined) return () => undefined;
  form.noValidate = true;

  const submit = (event: Event): void => {
    event.preventDefault();
    address.value = address.value.trim();
    const { login } = texts.value;
    showError(address, addressError(address, login));
    showError(password, password.validity.valueMissing ? login.passwordMissing : undefined);
    const wrong = [address, password].find((input) => !input.validity.valid);
    if (wrong !== undefined) return wrong.focus();
    onSubmit({ address: address.value, password: password.value });
    password.value = "";
  };
  form.addEventListener("submit", submit);
  (address.value === "" ? address : password).focus();
  return () => form.removeEventListener("submit", submit);
}

function addressError({ validity }: HTMLInputElement, login: Texts["login"]): string | undefined {
  if (validity.valueMissing) return login.addressMissing;
  return validity.valid ? undefined : login.addressMalformed;
}

function showError(input: HTMLInputElement, error: string | undefined): void {
  const id = `${input.id}-error`;
  document.getElementById(id)?.remove();
  if (error === undefined) {
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
    return;
  }
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", id);
  const element = document.createElement("span");
  element.id = id;
  element.className = "field-error";
  element.textContent = error;
  input.after(element);
}
