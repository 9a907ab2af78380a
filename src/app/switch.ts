/** A port whose implementation can be exchanged while others hold it: how an edited config reaches a running room. */
export interface Switch<Port> {
  /** What is handed out; every call goes to the implementation of the moment. */
  readonly port: Port;
  use(next: Port): void;
}

export function createSwitch<Port extends object>(first: Port): Switch<Port> {
  let current = first;
  return {
    port: new Proxy(first, { get: (_target, name) => Reflect.get(current, name) }),
    use(next) {
      current = next;
    },
  };
}
