import type { ComponentChildren } from "preact";

/** What is known of something, by name; what is left out is not shown. */
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
