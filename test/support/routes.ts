import type { Express } from "express";
import type { AppDeps } from "../../server/composition/app.ts";

/** Express's internal representation of a path: a route, or a router below it. */
interface Layer {
  readonly route?: { readonly path: string | readonly string[]; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: { readonly stack?: readonly Layer[] };
  /** Returns the part of a path that matches the layer. */
  match(path: string): { readonly path: string } | false;
}

/** Mount paths of routers: a layer does not store them as text, but can match them. */
const MOUNTS = ["/api"];

/** Returns stubs for an app whose routes are only listed. */
export function unusedParts(): AppDeps {
  const anything: object = new Proxy(() => anything, {
    get: (_, name) => (name === Symbol.toPrimitive ? () => 1 : anything),
  });
  return new Proxy({} as AppDeps, { get: (_, name) => (name === "version" ? "0.0.0" : anything) });
}

/**
 * Returns the routes of an app as `METHOD /path/{parameter}`.
 * @throws when a router is mounted at an unknown path
 */
export function routesOf(app: Express): string[] {
  const { stack } = (app as unknown as { router: { stack: readonly Layer[] } }).router;
  return routesBelow("", stack);
}

function routesBelow(mount: string, stack: readonly Layer[]): string[] {
  return stack.flatMap((layer) => {
    const { route, handle } = layer;
    if (route !== undefined) {
      const path =
        route.path === "/" && mount !== "" ? mount : `${mount}${String(route.path)}`.replaceAll(/:(\w+)/g, "{$1}");
      const methods = Object.keys(route.methods).filter((method) => method !== "_all");
      return methods.map((method) => `${method.toUpperCase()} ${path}`);
    }
    return handle.stack === undefined ? [] : routesBelow(mount + mountOf(layer), handle.stack);
  });
}

function mountOf(layer: Layer): string {
  for (const candidate of MOUNTS) {
    const matched = layer.match(candidate);
    if (matched !== false && ["", candidate].includes(matched.path)) return matched.path;
  }
  throw new Error("a router is mounted where none was: name its place in MOUNTS");
}
