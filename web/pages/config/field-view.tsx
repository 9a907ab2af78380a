/** One field of the config form, whatever its kind. Draws containers with itself. */
import { useState } from "preact/hooks";
import { Button } from "../../ui/index.ts";
import { ChoiceView, type FieldViewProps, RecordView, SectionView, UnionView } from "./container-views.tsx";
import { describeField, type Field, fits, isReference, startingValue } from "./field.ts";
import { FieldRow } from "./field-row.tsx";
import {
  BooleanInput,
  EnumInput,
  type InputProps,
  JsonInput,
  NumberInput,
  SecretInput,
  TextInput,
} from "./leaf-inputs.tsx";
import { ListView } from "./list-view.tsx";
import { valueAt } from "./path.ts";

const draw = (props: FieldViewProps) => <FieldView {...props} />;

export function FieldView(props: FieldViewProps) {
  const { form, schema, path } = props;
  const field = describeField(schema, form.root);
  const { shape } = field;
  const value = valueAt(form.draft, path);
  if (value === null && field.isNullable) return <NothingView {...props} field={field} />;
  if (!fits(schema, value, form.root)) return <JsonView {...props} field={field} />;
  switch (shape.type) {
    case "section":
      return <SectionView {...props} field={{ ...field, shape }} draw={draw} />;
    case "record":
      return <RecordView {...props} field={{ ...field, shape }} draw={draw} />;
    case "union":
      return <UnionView {...props} field={{ ...field, shape }} draw={draw} />;
    case "choice":
      return <ChoiceView {...props} field={{ ...field, shape }} draw={draw} />;
    case "list":
      return <ListView {...props} field={{ ...field, shape }} draw={draw} />;
    case "json":
      return <JsonView {...props} field={field} />;
    default:
      return (
        <FieldRow
          {...props}
          resolved={field.schema}
          description={field.description}
          saysDefault={shape.type === "enum"}
        >
          {(wiring) => <LeafInput {...props} field={field} input={toInput(props, field, wiring)} />}
        </FieldRow>
      );
  }
}

function toInput(
  { form, path, isRequired = false }: FieldViewProps,
  { schema }: Field,
  wiring: InputProps["wiring"],
): InputProps {
  const onChange = (next: unknown) => form.set(path, next);
  return { wiring, schema, isRequired, value: valueAt(form.draft, path), onChange };
}

function LeafInput({ form, path, field, input }: FieldViewProps & { field: Field; input: InputProps }) {
  switch (field.shape.type) {
    case "enum":
      return <EnumInput {...input} values={field.shape.values} />;
    case "constant":
      return <EnumInput {...input} values={[field.shape.value]} />;
    case "boolean":
      return <BooleanInput {...input} />;
    case "number":
      return <NumberInput {...input} />;
    case "secret":
      return <SecretInput {...input} base={valueAt(form.base, path)} />;
    default:
      return <TextInput {...input} />;
  }
}

/** As JSON: what the form has no field for, or what stands where something else was expected. */
function JsonView(props: FieldViewProps & { field: Field }) {
  const { form, path, field } = props;
  const [isJson, setJson] = useState(true);
  const isPointer = isReference(valueAt(form.draft, path));
  const note = isJson
    ? isPointer
      ? "A file has the value."
      : "Written as JSON."
    : "This is not JSON yet, so the change is not taken.";
  return (
    <FieldRow {...props} resolved={field.schema} description={field.description} note={note}>
      {(wiring) => <JsonInput {...toInput(props, field, wiring)} onSlip={setJson} />}
    </FieldRow>
  );
}

/** `null`: switched off on purpose. */
function NothingView(props: FieldViewProps & { field: Field }) {
  const { form, path, field } = props;
  return (
    <FieldRow {...props} resolved={field.schema} description={field.description}>
      {({ id, disabled }) => (
        <Button
          id={id}
          size="small"
          disabled={disabled}
          onClick={() => form.set(path, startingValue(field.schema, form.root))}
        >
          Nothing (null). Give it a value
        </Button>
      )}
    </FieldRow>
  );
}
