/** A text that this browser keeps, when it keeps any: in private windows and by policy it may not. */
export interface Kept {
  read(): string | undefined;
  write(text: string): void;
  remove(): void;
}

/** @param name Tells it from the others; whatever is kept has the product's name before it */
export function kept(name: string): Kept {
  const key = `sealbook.${name}`;
  return {
    read: () => attempt(() => localStorage.getItem(key) ?? undefined),
    write: (text) => void attempt(() => localStorage.setItem(key, text)),
    remove: () => void attempt(() => localStorage.removeItem(key)),
  };
}

function attempt<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
