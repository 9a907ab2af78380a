/** Entries by name: a new one, another name, gone. */
import { useState } from "preact/hooks";
import { Button, confirm, Dialog, IconButton, Select, TextField } from "../../ui/index.ts";
import { isHidden } from "./change-set.ts";
import { checkName } from "./check-value.ts";
import { describeField, startingValue } from "./field.ts";
import type { Form } from "./form.ts";
import { isObject, type JsonSchema } from "./json-schema.ts";
import { type Path, valueAt } from "./path.ts";

interface RecordProps {
  form: Form;
  path: Path;
  names: JsonSchema | undefined;
  values: JsonSchema;
}

export function AddEntry({ form, path, names, values }: RecordProps) {
  const { shape } = describeField(values, form.root);
  const kinds = shape.type === "union" ? shape.variants.map(({ name }) => name) : [];
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [kind, setKind] = useState(kinds.at(-1) ?? "");
  const wrong = useNameCheck(form, path, names, name);
  const add = () => {
    if (wrong !== undefined) return;
    const value = shape.type === "union" ? { [shape.tag]: kind } : startingValue(values, form.root);
    form.set([...path, name], value);
    form.toggle([...path, name], true);
    setOpen(false);
    setName("");
  };
  if (form.isReadOnly) return null;
  return (
    <>
      <Button size="small" icon="plus" onClick={() => setOpen(true)}>
        Add
      </Button>
      <Dialog
        isOpen={isOpen}
        title={`Add to ${path.at(-1) ?? "config"}`}
        size="small"
        onClose={() => setOpen(false)}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button variant="primary" disabled={wrong !== undefined} onClick={add}>
              Add
            </Button>
          </>
        }
      >
        <form class="cfg-dialog" onSubmit={(event) => submit(event, add)}>
          <TextField
            label="Name"
            value={name}
            onInput={setName}
            error={name === "" ? undefined : wrong}
            autoComplete="off"
          />
          {shape.type === "union" && (
            <Select
              label="Type"
              value={kind}
              onChange={setKind}
              options={kinds.map((value) => ({ value, label: value }))}
            />
          )}
        </form>
      </Dialog>
    </>
  );
}

/** Undefined: the name can be had. */
function useNameCheck(form: Form, path: Path, names: JsonSchema | undefined, name: string): string | undefined {
  const present = valueAt(form.draft, path);
  if (isObject(present) && Object.hasOwn(present, name)) return "There is an entry of this name already.";
  return checkName(names, name);
}

export function EntryActions({ form, path, names, name }: Omit<RecordProps, "values"> & { name: string }) {
  const [isOpen, setOpen] = useState(false);
  const [next, setNext] = useState(name);
  const wrong = useNameCheck(form, path, names, next);
  const apply = () => {
    if (wrong !== undefined) return;
    form.rename(path, name, next);
    form.toggle([...path, next], true);
    setOpen(false);
  };
  const ask = () => {
    setNext(name);
    setOpen(true);
  };
  if (form.isReadOnly) return null;
  return (
    <>
      <IconButton icon="edit" size="small" label={`Rename ${name}`} onClick={ask} />
      <IconButton icon="trash" size="small" label={`Remove ${name}`} onClick={() => remove(form, [...path, name])} />
      <Dialog
        isOpen={isOpen}
        title={`Rename ${name}`}
        size="small"
        onClose={() => setOpen(false)}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button variant="primary" disabled={wrong !== undefined} onClick={apply}>
              Rename
            </Button>
          </>
        }
      >
        <form class="cfg-dialog" onSubmit={(event) => submit(event, apply)}>
          <TextField
            label="New name"
            value={next}
            onInput={setNext}
            error={next === name ? undefined : wrong}
            autoComplete="off"
            {...(hasHidden(valueAt(form.draft, [...path, name])) && {
              hint: "Its secrets are not known here and must be typed again.",
            })}
          />
        </form>
      </Dialog>
    </>
  );
}

/** Enter in the field is the button. */
function submit(event: Event, act: () => void): void {
  event.preventDefault();
  act();
}

async function remove(form: Form, path: Path): Promise<void> {
  const isNew = valueAt(form.base, path) === undefined;
  const name = path.at(-1) ?? "";
  const question = {
    title: `Remove ${name}?`,
    text: "It goes when the changes are applied. Until then it can be brought back by discarding them.",
    action: "Remove",
    isDangerous: true,
  };
  if (isNew || (await confirm(question))) form.set(path, undefined);
}

function hasHidden(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasHidden);
  return isObject(value) ? Object.values(value).some(hasHidden) : isHidden(value);
}
