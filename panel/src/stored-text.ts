/** A text in the storage of the browser; private windows and policies can disable the storage. */
export interface StoredText {
  read(): string | undefined;
  write(text: string): void;
  remove(): void;
}

/** Which pages share a text: all of this browser, or those of one tab, until it is closed. */
type Sharing = "browser" | "tab";

const PREFIX = "sealbook.";

/** @param name Unique name; the stored name has the product's name as prefix */
export function storedText(name: string, sharing: Sharing = "browser"): StoredText {
  const key = `${PREFIX}${name}`;
  return {
    read: () => attempt(() => storageOf(sharing).getItem(key) ?? undefined),
    write: (text) => void attempt(() => storageOf(sharing).setItem(key, text)),
    remove: () => void attempt(() => storageOf(sharing).removeItem(key)),
  };
}

/** Removes all texts of this tab. */
export function removeTextsOfTab(): void {
  attempt(() => {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  });
}

// A browser that forbids the storage throws on access.
function storageOf(sharing: Sharing): Storage {
  return sharing === "tab" ? sessionStorage : localStorage;
}

function attempt<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
