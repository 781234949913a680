import { type ComponentChild, type ComponentChildren, options } from "preact";
import { visibleText } from "./visible-text.ts";

/** Attributes with text for people. */
const TEXTS = ["title", "aria-label", "alt", "placeholder"];

/**
 * Makes hidden characters visible in every text that is rendered. The values of fields and of the clipboard remain as
 * they are.
 */
export function showHiddenCharacters(): void {
  const { vnode: next } = options;
  options.vnode = (vnode) => {
    const props: Record<string, unknown> & { children?: ComponentChildren } = vnode.props;
    if (props.children !== undefined) props.children = visibleChildren(props.children);
    if (typeof vnode.type === "string") {
      for (const name of TEXTS) {
        const text = props[name];
        if (typeof text === "string") props[name] = visibleText(text);
      }
    }
    next?.(vnode);
  };
}

function visibleChildren(children: ComponentChildren): ComponentChildren {
  if (typeof children === "string") return visibleText(children);
  return Array.isArray(children) ? children.map((child: ComponentChild) => visibleChildren(child)) : children;
}
