/** A text in the storage of the browser; private windows and policies can disable the storage. */
export interface StoredText {
  read(): string | undefined;
  write(text: string): void;
  remove(): void;
}

/** @param name Unique name; the stored name has the product's name as prefix */
export function storedText(name: string): StoredText {
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
