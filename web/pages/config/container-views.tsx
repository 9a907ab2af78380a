/** The fields of the config form that hold others: sections, entries by name, unions, choices. */
import type { ComponentChildren } from "preact";
import { describeField, type Field, listKeys, type Option, pickOption, type Shape, startingValue } from "./field.ts";
import { FieldRow } from "./field-row.tsx";
import { Fold } from "./fold.tsx";
import type { FieldProps } from "./form.ts";
import { isObject, type JsonSchema } from "./json-schema.ts";
import { nothingChosen } from "./leaf-inputs.tsx";
import { formatPath, humanise, valueAt } from "./path.ts";
import { AddEntry, EntryActions } from "./record-parts.tsx";

export interface FieldViewProps extends FieldProps {
  /** Beside the label. */
  actions?: ComponentChildren;
  /** It is one of a list of simple values: what the list is called. */
  list?: string | undefined;
  /** Keys of an object that are shown elsewhere. */
  without?: string;
}

/** Containers are given how fields are drawn, since fields know the containers. */
export interface ContainerProps<Type extends Shape["type"]> extends FieldViewProps {
  field: Field & { shape: Extract<Shape, { type: Type }> };
  draw(props: FieldViewProps): ComponentChildren;
}

export function SectionView(props: ContainerProps<"section">) {
  const { form, path, label, field, actions } = props;
  return (
    <Fold
      form={form}
      path={path}
      label={label}
      description={field.description}
      actions={actions}
      summary={describeKeys(valueAt(form.draft, path))}
    >
      {() => <SectionBody {...props} />}
    </Fold>
  );
}

/** The keys of an object without a fold of their own; those that the schema does not know at the end. */
function SectionBody({ form, path, field, draw, without }: ContainerProps<"section">) {
  const all = listKeys(field.shape, valueAt(form.draft, path)).filter(({ key }) => key !== without);
  const shown = all.filter(({ key }) => form.matches?.isShown(formatPath([...path, key])) ?? true);
  return (
    <>
      {shown.map(({ key, schema, isRequired }) => (
        <div key={key}>{draw({ form, schema, path: [...path, key], label: humanise(key), isRequired })}</div>
      ))}
      {shown.length === 0 && <p class="cfg-help">There is nothing to set here.</p>}
    </>
  );
}

export function RecordView({ form, path, label, field, actions, draw }: ContainerProps<"record">) {
  const value = valueAt(form.draft, path);
  const names = Object.keys(isObject(value) ? value : {});
  const shown = names.filter((name) => form.matches?.isShown(formatPath([...path, name])) ?? true);
  const { names: allowed, values } = field.shape;
  return (
    <Fold
      form={form}
      path={path}
      label={label}
      description={field.description}
      actions={actions}
      summary={names.join(", ") || "none"}
    >
      {() => (
        <>
          {shown.map((name) => (
            <div key={name}>
              {draw({
                form,
                schema: values,
                path: [...path, name],
                label: name,
                isRequired: true,
                actions: <EntryActions form={form} path={path} names={allowed} name={name} />,
              })}
            </div>
          ))}
          <div class="cfg-add">
            {names.length === 0 && <span class="cfg-help">Nothing here yet.</span>}
            <AddEntry form={form} path={path} names={allowed} values={values} />
          </div>
        </>
      )}
    </Fold>
  );
}

/** An object of one of several kinds; the kind is its first field. */
export function UnionView({ form, path, label, field, actions, draw }: ContainerProps<"union">) {
  const { tag, variants } = field.shape;
  const value = valueAt(form.draft, path);
  const kind = isObject(value) ? value[tag] : undefined;
  const variant = variants.find(({ name }) => name === kind);
  const tagSchema: JsonSchema = { enum: variants.map(({ name }) => name) };
  const choose = (name: unknown) => form.set(path, name === undefined ? {} : keepShared(value, tag, name, variants));
  const inner = variant && describeField(variant.schema, form.root);
  return (
    <Fold
      form={form}
      path={path}
      label={label}
      description={field.description}
      actions={actions}
      summary={typeof kind === "string" ? kind : undefined}
    >
      {() => (
        <>
          <FieldRow
            form={form}
            schema={tagSchema}
            resolved={tagSchema}
            path={[...path, tag]}
            label={humanise(tag)}
            description=""
            isRequired
          >
            {(wiring) => (
              <select
                {...wiring}
                class="input select"
                value={variant?.name ?? ""}
                onChange={({ currentTarget }) => choose(currentTarget.value)}
              >
                {!variant && <option value="">choose</option>}
                {variants.map(({ name }) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </FieldRow>
          {inner?.shape.type === "section" && (
            <SectionBody
              form={form}
              schema={inner.schema}
              path={path}
              label={label}
              draw={draw}
              without={tag}
              field={{ ...inner, shape: inner.shape }}
            />
          )}
        </>
      )}
    </Fold>
  );
}

/** What the other kind knows too goes along. */
function keepShared(
  value: unknown,
  tag: string,
  name: unknown,
  variants: readonly { name: string; schema: JsonSchema }[],
) {
  const known = variants.find((each) => each.name === name)?.schema.properties ?? {};
  const kept = Object.entries(isObject(value) ? value : {}).filter(([key]) => key !== tag && Object.hasOwn(known, key));
  return { [tag]: name, ...Object.fromEntries(kept) };
}

/** A fixed value, or something that has a field of its own below the choice. */
export function ChoiceView(props: ContainerProps<"choice">) {
  const { form, path, label, field, draw } = props;
  const { options } = field.shape;
  const value = valueAt(form.draft, path);
  const at = value === undefined ? undefined : pickOption(options, value, form.root);
  const chosen = at === undefined ? undefined : options[at];
  const choose = (index: string) => {
    form.set(path, index === "" ? undefined : startOf(options[Number(index)], form.root));
    form.toggle(path, true);
  };
  return (
    <>
      <FieldRow {...props} resolved={field.schema} description={field.description} saysDefault>
        {(wiring) => (
          <select
            {...wiring}
            class="input select"
            value={at === undefined ? "" : String(at)}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          >
            {(!props.isRequired || at === undefined) && <option value="">{nothingChosen(field.schema)}</option>}
            {options.map((option, i) => (
              <option key={option.label} value={String(i)}>
                {option.label}
              </option>
            ))}
          </select>
        )}
      </FieldRow>
      {chosen?.schema && (
        <div class="cfg-inner">
          {draw({ form, schema: chosen.schema, path, label: `${label}: ${chosen.label}`, isRequired: true })}
        </div>
      )}
    </>
  );
}

function startOf(option: Option | undefined, root: JsonSchema): unknown {
  return option?.schema ? startingValue(option.schema, root) : option?.value;
}

function describeKeys(value: unknown): string {
  const keys = Object.keys(isObject(value) ? value : {});
  return keys.length === 0 ? "defaults" : keys.map(humanise).join(", ");
}
