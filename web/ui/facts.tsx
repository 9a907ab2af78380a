/** Names and values, one below the other: `<Facts of={[["Account", "@mom"]]} />`. Those without a value are left out. */
import { type ComponentChildren, Fragment } from "preact";

export function Facts({ of }: { of: readonly (readonly [string, ComponentChildren])[] }) {
  const known = of.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
