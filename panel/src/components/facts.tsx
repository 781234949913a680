import type { ComponentChildren } from "preact";

/** A list of named values; omits undefined ones. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ComponentChildren] | undefined)[] }) {
  return (
    <dl class="facts">
      {of.map((fact) =>
        fact === undefined ? null : (
          <Fact key={fact[0]} name={fact[0]}>
            {fact[1]}
          </Fact>
        ),
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
